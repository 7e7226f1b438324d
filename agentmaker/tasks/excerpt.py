"""The stretch of a text that is worth its room: around a place, cut where its structure allows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain

from agentmaker.context.clip import cut_to
from agentmaker.context.words import terms
from agentmaker.memory.chunks import Chunk, chunks
from agentmaker.tasks.source import Span
from agentmaker.tokens import TokenCounter

_PARTS = 6
_PRECISE = 48
_REACH = 16  # characters a token: farther from the place nothing can be shown


def excerpt(text: str, place: Span | None, room: int, counter: TokenCounter) -> Span:
    """At most *room* tokens of *text* around *place*, or from its beginning."""
    start, end = (place.start, place.end) if place else (0, 0)
    begin = max(0, start - room * _REACH)
    near = text[begin : max(end, start + 1) + room * _REACH]
    pieces = chunks(near, most=max(8, room // _PARTS), counter=counter)
    first = _at(pieces, start - begin)
    low, high = _grown(near, pieces, first, _at(pieces, end - 1 - begin), room, counter)
    if low > high:
        head = cut_to(near[pieces[first].start :], room, counter) if pieces else ""
        return Span(at := begin + (pieces[first].start if pieces else 0), at + len(head))
    return Span(begin + pieces[low].start, begin + pieces[high].end)


def sharpened(text: str, place: Span, query: str) -> Span:
    """The part of *place* that holds most of the words of *query*, the rarer ones above all."""
    pieces = chunks(text[place.start : place.end], most=_PRECISE)
    wanted = set(terms(query))
    held = [wanted.intersection(terms(piece.text)) for piece in pieces]
    among = Counter(chain.from_iterable(held))
    worth = [sum(1 / among[term] for term in sorted(each)) for each in held]
    if not any(worth):
        return place
    best = pieces[worth.index(max(worth))]
    return Span(place.start + best.start, place.start + best.end)


def _at(pieces: Sequence[Chunk], character: int) -> int:
    """The piece that holds *character*, or the one before it."""
    before = [index for index, piece in enumerate(pieces) if piece.start <= character]
    return before[-1] if before else 0


def _grown(
    text: str, pieces: Sequence[Chunk], first: int, last: int, room: int, counter: TokenCounter
) -> tuple[int, int]:
    """The pieces from *first* on as far as *last* and *room* go, then those behind and before."""

    def fits(low: int, high: int) -> bool:
        return counter(text[pieces[low].start : pieces[high].end]) <= room

    if not pieces or not fits(first, first):
        return 1, 0
    low = high = first
    while high < last and fits(low, high + 1):
        high += 1
    before, behind = high >= last, True
    while before or behind:
        behind = behind and high + 1 < len(pieces) and fits(low, high + 1)
        high += behind
        before = before and low > 0 and fits(low - 1, high)
        low -= before
    return low, high
