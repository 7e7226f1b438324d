"""Finds passages of a text by plain words, in any script."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from heapq import nlargest

AROUND = 120
"""Characters of a passage before and behind what was found."""

_LONGEST = 600
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]{3,}")


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of a text of *size* characters; *weight* grows with the words that stand in it."""

    start: int
    end: int
    size: int
    text: str
    weight: int


@dataclass(frozen=True, slots=True)
class Passages:
    """The best passages, the best first, of *total* there are."""

    best: tuple[Passage, ...] = ()
    total: int = 0


def passages(text: str, words: str, most: int) -> Passages:
    """Where *words* stand in *text*, whatever their case: as a phrase, or one by one.

    In scripts without spaces, pairs of characters are looked for too.
    """
    pattern = _pattern(words)
    spans = list(_spans(text, pattern)) if pattern else []
    best = nlargest(most, spans, key=lambda span: span.weight)
    return Passages(tuple(span.of(text) for span in best), len(spans))


@dataclass(slots=True)
class _Span:
    start: int
    end: int
    found: set[str] = field(default_factory=set)

    @property
    def weight(self) -> int:
        """Long words and many different ones tell more than one again and again."""
        return sum(map(len, self.found))

    def of(self, text: str) -> Passage:
        return Passage(self.start, self.end, len(text), text[self.start : self.end], self.weight)


def _pattern(words: str) -> re.Pattern[str] | None:
    phrase = " ".join(words.split())
    wanted = {phrase, *phrase.split(), *_pairs(phrase)} - {""}
    longest_first = sorted(wanted, key=lambda each: (-len(each), each))
    spaced = (re.escape(each).replace(r"\ ", r"\s+") for each in longest_first)
    return re.compile("|".join(spaced), re.IGNORECASE) if wanted else None


def _pairs(phrase: str) -> set[str]:
    runs = [run[0] for run in _UNSPACED.finditer(phrase)]
    return {run[at : at + 2] for run in runs for at in range(len(run) - 1)}


def _spans(text: str, pattern: re.Pattern[str]) -> Iterator[_Span]:
    """Neighbours are one span as long as it stays short."""
    current: _Span | None = None
    for match in pattern.finditer(text):
        start, end = max(0, match.start() - AROUND), min(len(text), match.end() + AROUND)
        if current is None or start > current.end or end - current.start > _LONGEST:
            if current is not None:
                yield current
            current = _Span(start, end)
        current.end = end
        current.found.add(match[0].casefold())
    if current is not None:
        yield current
