"""How large the units of a conversation are, and how far they can shrink."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, islice
from typing import Literal, Self

SKELETON = 256
"""Tokens of each result that the skeleton of a unit keeps."""

LEAST = 16
"""Tokens of each result that remain before anything is raised."""

Kind = Literal["question", "answer", "work", "other"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """The size of one unit in tokens: what cannot shrink, and each part that can.

    Attributes:
        kind: ``"question"`` for a user message that can be the question, ``"answer"`` for an
            assistant's text without calls, ``"work"`` for calls with their results, which may
            be shortened as they age.
    """

    rigid: int
    elastic: tuple[int, ...] = ()
    kind: Kind = "other"

    def within(self, cap: float = math.inf) -> int:
        """Its size with every elastic part cut to *cap* tokens."""
        if cap == math.inf:
            return self.rigid + sum(self.elastic)
        return self.rigid + sum(int(min(part, cap)) for part in self.elastic)

    def cap_for(self, tokens: int) -> int:
        """The largest cap at which the unit fits *tokens*; at least ``LEAST``."""
        low, high = LEAST, max((LEAST, *self.elastic))
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self.within(middle) <= tokens else (low, middle - 1)
        return low


class Units(tuple[Unit, ...]):
    """The sizes of a conversation's units, with running totals: sums and searches cost nothing."""

    @cached_property
    def totals(self) -> tuple[int, ...]:
        """Tokens of the first n units, for every n."""
        return tuple(accumulate((unit.within() for unit in self), initial=0))

    @cached_property
    def questions(self) -> tuple[int, ...]:
        """Where the questions are."""
        return tuple(_places(self, "question"))

    @cached_property
    def answers(self) -> tuple[int, ...]:
        """Where the answers are."""
        return tuple(_places(self, "answer"))

    def total(self, start: int, stop: int) -> int:
        """Tokens of the units from *start* to *stop*."""
        return self.totals[stop] - self.totals[start]

    def first_question(self) -> int | None:
        return self.questions[0] if self.questions else None

    def last_question(self, end: int) -> int | None:
        """The last one of the first *end* units."""
        return _last(self.questions, end)

    def last_answer(self, end: int) -> int | None:
        """The last one of the first *end* units."""
        return _last(self.answers, end)

    def upto(self, end: int) -> Self:
        """The first *end* units."""
        known = type(self)(self[:end])
        known.__dict__["totals"] = self.totals[: end + 1]
        known.__dict__["questions"] = self.questions[: bisect_left(self.questions, end)]
        known.__dict__["answers"] = self.answers[: bisect_left(self.answers, end)]
        return known

    def and_then(self, more: Iterable[Unit]) -> Self:
        """These units and *more* behind them."""
        longer, start = type(self)((*self, *more)), len(self)
        fresh = longer[start:]
        sizes = accumulate((unit.within() for unit in fresh), initial=self.totals[-1])
        longer.__dict__["totals"] = (*self.totals, *islice(sizes, 1, None))
        for name, kind in (("questions", "question"), ("answers", "answer")):
            places = (start + place for place in _places(fresh, kind))
            longer.__dict__[name] = (*getattr(self, name), *places)
        return longer


def as_units(units: Iterable[Unit]) -> Units:
    """*units* with their totals; the same object where they have them."""
    return units if isinstance(units, Units) else Units(units)


def _places(units: Iterable[Unit], kind: str) -> Iterable[int]:
    return (place for place, unit in enumerate(units) if unit.kind == kind)


def _last(places: tuple[int, ...], end: int) -> int | None:
    found = bisect_left(places, end)
    return places[found - 1] if found else None
