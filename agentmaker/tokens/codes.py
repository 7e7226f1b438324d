"""A text as codes of one byte each: of its bytes, and of pairs of bytes that stand near each other.

What a code is worth is looked up in a table by `bytes.translate`, and the worths are summed by
Adler-32; pairs are made of a whole text at once, as one large integer.
"""

from __future__ import annotations

from collections.abc import Sequence
from zlib import adler32

# What a text is made of, in sixteen classes of bytes.
KINDS = (
    *("abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789", " ", "\n\r"),
    *(".,;:!?", "\"'`", "()[]{}<>", "-_", "/\\", "=+*&|^%$#@~"),
    *((0xC2, 0xCF), (0xD0, 0xDF), (0xE0, 0xFF), (0x80, 0xC1)),
)
# Small letters by their sound.
SOUNDS = (
    *("a", "e", "i", "o", "u", "yjw", "td", "nm", "rl", "szx", "h", "ckgq", "pbfv", " "),
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
)
# Letters, large as small.
LETTERS = (
    *(f"{letter}{letter.upper()}" for letter in "abcdefghijklmnopqrstuvwxyz"),
    *("\n\r", "0123456789", " ", ".,;:!?", "\"'`()[]{}<>"),
)
# The leading bytes of UTF-8, which name a script together with the byte that follows.
LEADS = (
    *((0xC2, 0xC3), (0xC4, 0xC5), (0xC6, 0xCF), (0xD0, 0xD0), (0xD1, 0xD1), (0xD2, 0xD7)),
    *((0xD8, 0xD9), (0xDA, 0xDF), (0xE0, 0xE0), (0xE1, 0xE1), (0xE2, 0xE2), (0xE3, 0xE3)),
    *((0xE4, 0xE9), (0xEA, 0xED), (0xEE, 0xFF)),
)
Members = str | tuple[int, int]
"""The bytes of a class: ASCII characters, or all from the first to the last."""

ALWAYS = ("bytes", "kinds", "sounds", "letters", "letters otherwise")
"""Codes that every text has."""

BEYOND_ASCII = ("scripts", "characters", "neighbours")
"""Codes of texts that are not all ASCII."""

STEPS = 255
"""The most that a code is worth, in steps of its table."""

_SUMMED = 65_520 // STEPS  # of so many the sum is below 65,521, Adler-32's modulus (RFC 1950)


def codes_of(text: str) -> list[bytes]:
    """The codes of any string, in the order of `ALWAYS` and `BEYOND_ASCII`."""
    utf8 = text.encode("utf-8", "surrogatepass")
    size = len(utf8)
    # A shift by 8 moves each byte to where the next one stands. Classes of up to 4 bits leave
    # room for two in a byte; of larger ones the two overlap, differently in each of two codes.
    kinds, sounds, letters = _number(utf8, _KINDS), _number(utf8, _SOUNDS), _number(utf8, _LETTERS)
    codes = [
        utf8,
        (kinds | kinds >> 4).to_bytes(size, "big"),
        (sounds | sounds >> 4).to_bytes(size, "big"),
        (letters << 3 ^ letters >> 8).to_bytes(size, "big"),
        (letters ^ letters >> 5).to_bytes(size, "big"),
    ]
    return codes if utf8.isascii() else codes + _beyond_ascii(utf8.translate(None, _ASCII))


def _beyond_ascii(utf8: bytes) -> list[bytes]:
    inner = utf8.translate(None, _LEADING)
    size = len(inner)
    characters = [pairs.to_bytes(size, "big") for pairs in _characters(inner)]
    return [_scripts(utf8).to_bytes(len(utf8), "big"), *characters]


def total(worths: bytes) -> int:
    """The sum of bytes up to `STEPS`, which Adler-32 keeps in its lower half."""
    found = adler32(worths[:_SUMMED], 0) & 0xFFFF
    for start in range(_SUMMED, len(worths), _SUMMED):
        found += adler32(worths[start : start + _SUMMED], 0) & 0xFFFF
    return found


def _scripts(beyond: bytes) -> int:
    """The class of a leading byte beside four bits of the byte that follows on it."""
    return _number(beyond, _LEADS) >> 4 | _number(beyond, _GROUPS)


def _characters(inner: bytes) -> tuple[int, int]:
    """The six bits that each inner byte of UTF-8 adds, and those of the one before."""
    bits = _number(inner, _SIX_BITS)
    return bits ^ bits >> 2, bits << 2 ^ bits >> 8


def _number(text: bytes, table: bytes) -> int:
    """All of *text*, each byte by *table*, as one integer."""
    return int.from_bytes(text.translate(table), "big")


def _table(classes: Sequence[Members], first: int) -> bytes:
    """Each byte's class, counted from *first*; the bytes of none have a number of their own."""
    others = 0 if first else len(classes)
    table = bytearray([others]) * 256
    for number, members in enumerate(classes, first):
        for byte in members.encode() if isinstance(members, str) else _range(*members):
            table[byte] = number
    return bytes(table)


def _range(first: int, last: int) -> range:
    return range(first, last + 1)


_KINDS, _SOUNDS, _LETTERS = _table(KINDS, 0), _table(SOUNDS, 0), _table(LETTERS, 0)
_LEADS, _GROUPS = _table(LEADS, 1), bytes(byte >> 2 & 15 for byte in range(256))
_SIX_BITS = bytes(byte & 63 for byte in range(256))
_ASCII, _LEADING = bytes(range(0x80)), bytes(range(0xC0, 0x100))
