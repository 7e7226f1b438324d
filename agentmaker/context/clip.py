"""Cuts a text to a number of tokens, by any counter."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from agentmaker.tokens import TokenCounter, unremembered

HEAD_SHARE = 0.6
"""Of a text cut in its middle, the share of the room that its head takes."""

_PIECE = 4_096
_SPARSE = 16  # characters a token: what counts even less is quickly counted whole
_JOINER = "\u200d"
_MODIFIERS = frozenset(
    {_JOINER, *map(chr, range(0xFE00, 0xFE10)), *map(chr, range(0x1F3FB, 0x1F400))}
)
_FARTHEST = 16


def cut_to(text: str, tokens: int, counter: TokenCounter) -> str:
    """The head of *text* that counts at most *tokens*; *text* itself when it fits.

    The cut falls between characters as a reader sees them. Fewer than one in 128 of
    *tokens* stay unused beyond what that costs; "" when not even one character fits.
    """
    return _longest(_Head(text), tokens, counter)


def beginning(text: str, size: int) -> str:
    """The first *size* characters of *text*, or a few less: none that a reader sees is split."""
    return text[: _boundary(text, size, -1)]


def cut_middle(text: str, tokens: int, counter: TokenCounter, marker: str) -> str:
    """Head and tail of *text* around *marker*, in all at most *tokens*; *text* when it fits.

    Where the marker leaves no room for both ends, the head alone.
    """
    if fits(text, tokens, counter):
        return text
    room = tokens - counter(marker)
    while room >= 2:
        cut = _ends(text, room, counter, marker)
        over = counter(cut) - tokens
        if over <= 0:
            return cut
        room -= over  # tokens that came to be where the parts meet
    return cut_to(text, tokens, counter)


def fits(text: str, tokens: int, counter: TokenCounter) -> bool:
    """Whether *text* counts at most *tokens*; a far longer one is not counted to its end."""
    least = 0
    for piece in _pieces(text) if len(text) > _PIECE else ():
        least += counter(piece) - 1  # a cut between pieces makes a token of its own at most
        if least > tokens:
            return False
    return counter(text) <= tokens


def _ends(text: str, room: int, counter: TokenCounter, marker: str) -> str:
    head = cut_to(text, max(1, int(room * HEAD_SHARE)), counter)
    tail = _longest(_Tail(text), room - counter(head), counter)
    return f"{head}{marker}{tail}"


@dataclass(frozen=True, slots=True)
class _Head:
    text: str

    def whole(self, size: int) -> str:
        """So many characters of this end, or a few less."""
        return beginning(self.text, size)

    def part(self, start: int, end: int) -> str:
        """The characters of a stretch, counted from this end."""
        return self.text[start : _boundary(self.text, end, -1)]


@dataclass(frozen=True, slots=True)
class _Tail:
    text: str

    def whole(self, size: int) -> str:
        return self.text[_boundary(self.text, len(self.text) - size, 1) :]

    def part(self, start: int, end: int) -> str:
        size = len(self.text)
        return self.text[_boundary(self.text, size - end, 1) : size - start]


def _longest(end: _Head | _Tail, tokens: int, counter: TokenCounter) -> str:
    """The longest of this end of a text that counts at most *tokens*.

    Counters need not be monotone, nor add up: what is returned was itself counted.
    """
    counter = unremembered(counter)
    start, room = _whole_pieces(end, tokens, counter)
    while start and room >= 0:
        kept = end.whole(start + _search(end, start, room, counter))
        over = counter(kept) - tokens
        if over <= 0:
            return kept
        room -= over
    return end.whole(size) if (size := _search(end, 0, tokens, counter)) else ""


def _whole_pieces(end: _Head | _Tail, tokens: int, counter: TokenCounter) -> tuple[int, int]:
    """The characters of as many pieces as fit surely, and what they leave of *tokens*."""
    start = 0
    while start + _PIECE < len(end.text) and tokens * _SPARSE > _PIECE:
        used = counter(end.part(start, start + _PIECE))
        if used > tokens:
            break
        start, tokens = start + _PIECE, tokens - used
    return start, tokens


def _search(end: _Head | _Tail, start: int, tokens: int, counter: TokenCounter) -> int:
    """How many characters behind *start* count at most *tokens*: gallop, then close in."""
    size = len(end.text) - start
    if tokens <= 0 or size <= 0:
        return 0
    low, used = 0, 0
    high = min(size, tokens * 4)
    while (count := counter(end.part(start, start + high))) <= tokens:
        low, used = high, count
        if high == size:
            return low
        high = min(size, high * 2)
    bisect = False
    while high - low > 1 and used < tokens - tokens // 128:
        share = 0.5 if bisect else (tokens - used) / (count - used)
        middle = min(high - 1, max(low + 1, low + int((high - low) * share)))
        bisect = not bisect
        tried = counter(end.part(start, start + middle))
        if tried <= tokens:
            low, used = middle, tried
        else:
            high, count = middle, tried
    return low


def _pieces(text: str) -> Iterator[str]:
    return (text[at : at + _PIECE] for at in range(0, len(text), _PIECE))


def _boundary(text: str, at: int, step: int) -> int:
    """The nearest cut from *at* in direction *step* that splits no visible character."""
    for moved in range(_FARTHEST):
        index = at + moved * step
        if not 0 < index < len(text) or not _splits(text[index - 1], text[index]):
            return max(0, min(len(text), index))
    return at


def _splits(before: str, behind: str) -> bool:
    if before.isascii() and behind.isascii():
        return before == "\r" and behind == "\n"
    return (
        before == _JOINER
        or behind in _MODIFIERS
        or unicodedata.combining(behind) != 0
        or ("\ud800" <= before <= "\udbff" and "\udc00" <= behind <= "\udfff")
    )
