"""What must be shown of a conversation, and what gives way where that is too much."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from agentmaker.context.sizes import LEAST, SKELETON, Unit, Units, as_units
from agentmaker.errors import ContextWindowExceeded

LEAST_RECAP = 64
"""Tokens below which a recap, its fence included, says too little to be sent."""

OPENING = 64
"""Tokens around the first user message where it stands in the recap."""


@dataclass(frozen=True, slots=True)
class Floor:
    """What must be shown: the question whole, the newest unit, the last exchange, the recap."""

    units: Units
    asked: int | None
    newest: int
    exchange: tuple[int, ...]
    recap: int

    @classmethod
    def of(cls, units: Sequence[Unit], end: int, recap: int) -> Floor:
        units = as_units(units)
        asked = units.last_question(end)
        exchange: tuple[int, ...] = ()
        if asked is not None:
            before = (units.last_question(asked), units.last_answer(asked))
            exchange = tuple(sorted(index for index in before if index is not None))
        return cls(units, asked, end - 1, exchange, recap)

    @property
    def opening(self) -> int:
        """Tokens the recap needs to say how the conversation began, were that dropped."""
        first = self.units.first_question()
        if first is None or first == self.asked or first in self.exchange:
            return 0
        return self.units[first].within(SKELETON) + OPENING

    def with_opening(self) -> Floor:
        return replace(self, recap=max(self.recap, self.opening))

    @property
    def question(self) -> int:
        return 0 if self.asked is None else self.units[self.asked].within()

    def work(self, cap: int) -> int:
        return 0 if self.newest == self.asked else self.units[self.newest].within(cap)

    def tokens(self, cap: int) -> int:
        exchange = sum(self.units[index].within(SKELETON) for index in self.exchange)
        return self.recap + exchange + self.question + self.work(cap)


def settled_floor(
    floor: Floor, units: Sequence[Unit], target: int, most: int
) -> tuple[Floor, int, int]:
    """The floor that fits, the cap on the newest unit's parts, and the room to fill.

    What gives way, in this order: the output reserve (from *target* to *most*), the last
    exchange, then by halves the recap and the newest unit's results.
    """
    needed = floor.tokens(SKELETON)
    if needed <= max(target, most):
        return floor, SKELETON, max(target, needed)
    bare = replace(floor, exchange=()).with_opening()
    for tried, cap in _halvings(bare):
        needed = tried.tokens(cap)
        if needed <= max(target, most):
            return tried, cap, max(target, needed)
    barest = replace(bare, recap=0)
    _check_barest(barest, most)
    return barest, units[barest.newest].cap_for(most - barest.question), most


def _halvings(floor: Floor) -> Iterator[tuple[Floor, int]]:
    cap, recap = SKELETON, floor.recap
    while cap > LEAST:
        yield replace(floor, recap=recap), cap
        yield replace(floor, recap=recap), cap // 2
        cap, recap = cap // 2, max(worthwhile(recap // 2), floor.opening)


def worthwhile(recap: int) -> int:
    return recap if recap >= LEAST_RECAP else 0


def check_floor(units: Sequence[Unit], most: int) -> None:
    """See that what must be shown fits *most* tokens, the room beside the lowest reserve.

    Raises:
        ContextWindowExceeded: the question or the barest newest unit does not.
    """
    units = as_units(units)
    if units.totals[-1] <= most:
        return
    newest = len(units) - 1
    asked = units.last_question(newest + 1)
    # A bound: where the newest unit is the question, it is counted twice.
    whole = units[newest].within() + (0 if asked is None else units[asked].within())
    if whole > most:
        _check_barest(Floor(units, asked, newest, (), 0), most)


def _check_barest(floor: Floor, most: int) -> None:
    if floor.tokens(LEAST) > most:
        part = "the question" if floor.question > most else "the newest tool exchange"
        raise ContextWindowExceeded(part, floor.tokens(LEAST), max(0, most))
