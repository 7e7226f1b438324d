"""Long texts encoded piece by piece: no piece takes long, and their counts add up."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence

PIECE = 8_192
"""About the most bytes encoded at once: encoding holds the GIL, for up to 0.8 µs a byte."""

SURE = 256
"""So many bytes behind a token, nothing that follows can change it."""

Encode = Callable[[str], Sequence[int]]
Spell = Callable[[int], bytes]
"""The bytes that a token stands for."""

# Where every vocabulary's own splitting ends a piece too: before one space or mark between two
# letters, and after a line's end.
_SAFE = re.compile(r"(?<=[^\W\d_])(?=[ ,.;:(，。、；：（][^\W\d_])|(?<=\n)(?=\S)")
_NEAR = 512  # characters at a piece's end in which such a place is looked for
_FARTHEST = 64  # characters that a piece may be longer, to end before one that composes with none


def piece_length(text: str) -> int:
    """The most characters of *text* to encode at once."""
    return PIECE if text.isascii() else PIECE // 3


def piece_counts(text: str, encode: Encode, spell: Spell) -> Iterator[int]:
    """The tokens of *text*, piece by piece.

    A piece ends at a safe place. Where there is none near, it ends behind a token: no merge
    crossed that end, so both sides are what they would be alone. Of the last tokens this is
    not sure yet; they are encoded again at the head of the next piece.
    """
    size, start = piece_length(text), 0
    encoded, going_on = encode, _going_on(encode)
    while len(text) - start > size:
        piece = text[start : start + size]
        place = _SAFE.search(piece, size - _NEAR)
        if place:
            kept, length = len(encoded(piece[: place.start()])), place.start()
        else:
            kept, length = _sure(encoded(piece), piece, spell)
        yield kept
        start += length
        encoded = going_on
    yield len(encoded(text[start:]))


def _sure(tokens: Sequence[int], piece: str, spell: Spell) -> tuple[int, int]:
    """How many of the *tokens* are sure, and the characters of *piece* they stand for."""
    kept, tail = len(tokens), b""
    while kept and (len(tail) < SURE or _inside_a_character(tail)):
        kept -= 1
        tail = spell(tokens[kept]) + tail
    rest = tail.decode("utf-8", "replace")
    if kept and len(rest) < len(piece) and piece.endswith(rest):
        return kept, len(piece) - len(rest)
    return len(tokens), len(piece)


def _inside_a_character(tail: bytes) -> bool:
    return tail[0] & 0xC0 == 0x80


def _going_on(encode: Encode) -> Encode:
    """*encode* for what goes on: SentencePiece begins every text with a space of its own."""
    opening = len(encode("\n"))
    return encode if opening == 1 else lambda text: encode(f"\n{text}")[opening:]


def composed(text: str) -> Iterator[str]:
    """*text* in Unicode's composed form (NFC), in pieces."""
    start, size = 0, piece_length(text)
    while start < len(text):
        end = next(
            (at for at in range(start + size, start + size + _FARTHEST) if _begins(text, at)),
            start + size,
        )
        yield unicodedata.normalize("NFC", text[start:end])
        start = end


def _begins(text: str, at: int) -> bool:
    """Whether the character at *at* composes with none before it."""
    pair = text[at - 1 : at + 1]
    if len(pair) < 2 or pair.isascii():
        return True
    composes = unicodedata.combining(pair[1]) or "\u1160" <= pair[1] <= "\u11ff"  # Hangul
    return not composes and unicodedata.normalize("NFC", pair) == pair
