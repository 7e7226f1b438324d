"""How large the units of a conversation are, and how far they can shrink."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice
from math import inf
from typing import Literal, overload

from agentmaker.context.growing import Growing

SKELETON = 256
"""Tokens of each result that the skeleton of a unit keeps."""

LEAST = 16
"""Tokens of each result that remain before anything is raised."""

Kind = Literal["question", "answer", "work", "other"]

Kept = tuple[tuple[int, int | None], ...]
"""Units by their index, rising, and the cap on their parts, None for verbatim."""


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

    def within(self, cap: float = inf) -> int:
        """Its size with every elastic part cut to *cap* tokens."""
        if cap == inf:
            return self.rigid + sum(self.elastic)
        return self.rigid + sum(int(min(part, cap)) for part in self.elastic)

    def cap_for(self, tokens: int) -> int:
        """The largest cap at which the unit fits *tokens*; at least ``LEAST``."""
        low, high = LEAST, max((LEAST, *self.elastic))
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self.within(middle) <= tokens else (low, middle - 1)
        return low


class Units(Sequence[Unit]):
    """The sizes of a conversation's units, with running totals: sums and searches cost nothing.

    Attributes:
        totals: tokens of the first n units, for every n.
    """

    __slots__ = ("_answers", "_kept", "_questions", "_units", "totals")

    def __init__(self, units: Iterable[Unit] = ()) -> None:
        self._units: Growing[Unit] = Growing(units)
        self.totals: Growing[int] = Growing(accumulate(map(Unit.within, self._units), initial=0))
        self._questions: Growing[int] = Growing(_places(self._units, "question"))
        self._answers: Growing[int] = Growing(_places(self._units, "answer"))
        self._kept: tuple[Kept, int] = ((), 0)

    def __len__(self) -> int:
        return self._units.length

    @overload
    def __getitem__(self, index: int) -> Unit: ...

    @overload
    def __getitem__(self, index: slice) -> list[Unit]: ...

    def __getitem__(self, index: int | slice) -> Unit | list[Unit]:
        return self._units[index]

    def __iter__(self) -> Iterator[Unit]:
        return iter(self._units)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Units) and self._units == other._units

    __hash__ = None  # type: ignore[assignment]

    def total(self, start: int, stop: int) -> int:
        """Tokens of the units from *start* to *stop*."""
        return self.totals[stop] - self.totals[start]

    def within(self, kept: Kept) -> int:
        """Tokens of the units of *kept*; the last one asked for is known, to longer units too."""
        known, tokens = self._kept
        if kept != known:
            tokens = sum([self[index].within(inf if cap is None else cap) for index, cap in kept])
            self._kept = kept, tokens
        return tokens

    def first_question(self) -> int | None:
        return self._questions[0] if self._questions else None

    def last_question(self, end: int) -> int | None:
        """The last one of the first *end* units."""
        return self._questions.last_upto(end - 1)

    def last_answer(self, end: int) -> int | None:
        """The last one of the first *end* units."""
        return self._answers.last_upto(end - 1)

    def upto(self, end: int) -> Units:
        """The first *end* units."""
        known = self._kept
        return self._of(
            self._units.upto(end),
            self.totals.upto(end + 1),
            self._questions.upto(self._questions.upto_value(end - 1)),
            self._answers.upto(self._answers.upto_value(end - 1)),
            known if not known[0] or known[0][-1][0] < end else ((), 0),
        )

    def and_then(self, more: Sequence[Unit]) -> Units:
        """These units and *more* behind them."""
        start = len(self._units)
        totals = accumulate(map(Unit.within, more), initial=self.totals[start])
        return self._of(
            self._units.and_then(more),
            self.totals.and_then(islice(totals, 1, None)),
            self._questions.and_then(_places(more, "question", start)),
            self._answers.and_then(_places(more, "answer", start)),
            self._kept,
        )

    @staticmethod
    def _of(
        units: Growing[Unit],
        totals: Growing[int],
        questions: Growing[int],
        answers: Growing[int],
        kept: tuple[Kept, int],
    ) -> Units:
        made = Units.__new__(Units)
        made._units, made.totals, made._questions, made._answers = units, totals, questions, answers
        made._kept = kept
        return made


def as_units(units: Iterable[Unit]) -> Units:
    """*units* with their totals; the same object where they have them."""
    return units if isinstance(units, Units) else Units(units)


def _places(units: Iterable[Unit], kind: Kind, start: int = 0) -> list[int]:
    return [place for place, unit in enumerate(units, start) if unit.kind == kind]
