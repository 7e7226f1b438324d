"""Where a conversation is cut: a pure fold over the sizes of its units.

Invariants:

1. The same units, room and policy give the same cut, in any process, however many calls it took.
2. A cut stands while what it shows fits. It is made anew only when that grows past the room.
3. A new cut shows at most the policy's target, or what must be shown where that is more, and
   falls short of it by less than one unit, so that one cut serves many calls and the prefix
   of the request holds still.
4. The question is always shown whole, the newest unit at least as its skeleton.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from agentmaker.context.floor import Floor, settled_floor, worthwhile
from agentmaker.context.sizes import SKELETON, Kept, Unit, Units, as_units
from agentmaker.errors import ContextWindowExceeded

NEWEST = 0.75
"""Share of the room left that the newest unit may take before older ones have had theirs."""

VERBATIM = 0.6
"""Share of the kept room that goes to units as they are before older ones are shortened."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """What is shown of the first *end* units: index and cap on its parts, None for verbatim.

    Everything from *end* on is shown as it is. *asked* is the question it was made for, and
    *recap* the room set aside for what remains of the units that are not shown.
    """

    end: int
    kept: Kept
    asked: int | None = None
    recap: int = 0

    @property
    def drops(self) -> bool:
        return len(self.kept) < self.end

    def shown(self, total: int) -> Iterator[tuple[int, int | None]]:
        """The units shown of a conversation of *total* units, with their caps."""
        yield from self.kept
        for index in range(self.end, total):
            yield index, None


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """How much room there is and how deep to cut, in tokens.

    Attributes:
        room: for the conversation beside the wished output reserve.
        most: the same beside the lowest output reserve.
        target: what a new cut goes down to; with *target* = *room* it fills the room.
        recap: tokens set aside for what remains of the dropped units, at the most.
    """

    room: int
    most: int
    target: int
    recap: int


def tokens_shown(units: Sequence[Unit], cut: Cut | None) -> int:
    """Tokens of what *cut* shows of *units*, its recap at full room."""
    units = as_units(units)
    return units.totals[-1] + (0 if cut is None else _difference(units, cut))


def _difference(units: Units, cut: Cut) -> int:
    """What *cut* shows of its units, less what they are."""
    shown = units.within(cut.kept) + (cut.recap if cut.drops else 0)
    return shown - units.totals[cut.end]


def fold(units: Sequence[Unit], policy: Policy, known: Cut | None = None) -> Cut | None:
    """The cut that stands for *units*, made by going through all their beginnings.

    *known* is a cut already made for a beginning of the conversation; the fold goes on from it.
    """
    units, cut, last = as_units(units), known, len(units)
    end = cut.end if cut else 0
    while (end := _first_too_long(units, policy.room, cut, min(end + 1, last))) < last:
        with suppress(ContextWindowExceeded):
            cut = standing_cut(units.upto(end), policy, cut)
    return cut


def _first_too_long(units: Units, room: int, cut: Cut | None, least: int) -> int:
    """So many units, at the *least*, of which *cut* shows more than fits *room*."""
    if cut is not None:
        room -= _difference(units, cut)
    return units.totals.upto_value(room, least)


def standing_cut(units: Sequence[Unit], policy: Policy, cut: Cut | None) -> Cut | None:
    """*cut* if what it shows fits the room or is no more than must be shown; else a new one.

    Raises:
        ContextWindowExceeded: the question and the barest newest unit do not fit.
    """
    units = as_units(units)
    shown = tokens_shown(units, cut)
    if shown <= policy.room:
        return _with_task(units, policy, cut)
    floor = Floor.of(units, len(units), policy.recap).tokens(SKELETON)
    fills = shown <= min(floor, policy.most)
    return _with_task(units, policy, cut) if fills else new_cut(units, policy)


def _with_task(units: Sequence[Unit], policy: Policy, cut: Cut | None) -> Cut | None:
    """*cut*; a new one where it had no room to say how the conversation began and now there is."""
    if not _lost_the_task(units, cut):
        return cut
    again = new_cut(units, policy)
    return cut if _lost_the_task(units, again) else again


def _lost_the_task(units: Sequence[Unit], cut: Cut | None) -> bool:
    """Whether the first user message is neither shown nor in the recap."""
    if cut is None or cut.recap:
        return False
    first = as_units(units).first_question()
    return first is not None and first < cut.end and first not in dict(cut.kept)


def new_cut(units: Sequence[Unit], policy: Policy) -> Cut:
    """A new cut over all *units*.

    Raises:
        ContextWindowExceeded: the question and the barest newest unit do not fit.
    """
    units, recap = as_units(units), worthwhile(policy.recap)
    while True:
        cut = _make(units, policy, recap)
        # A recap longer than half of what it stands for would rather be the text itself.
        worth = worthwhile(_dropped_tokens(units, cut) // 2)
        if worth >= recap:
            return _beginning_with_the_user(units, _unless_dearer(units, cut))
        recap = worth


def _unless_dearer(units: Sequence[Unit], cut: Cut) -> Cut:
    """*cut*, or one that shows what it drops where that takes no more than the recap of it."""
    if not cut.drops or _dropped_tokens(units, cut) > cut.recap:
        return cut
    shown = dict.fromkeys(range(cut.end)) | dict(cut.kept)
    return replace(cut, kept=tuple(sorted(shown.items())), recap=0)


def _beginning_with_the_user(units: Sequence[Unit], cut: Cut) -> Cut:
    """*cut* without what would stand before the first user message, where no recap is there."""
    if cut.asked is None or cut.recap or not cut.drops or units[0].kind != "question":
        return cut
    first = next(place for place, (index, _) in enumerate(cut.kept) if _asks(units, index))
    return replace(cut, kept=cut.kept[first:])


def _asks(units: Sequence[Unit], index: int) -> bool:
    return units[index].kind == "question"


def _dropped_tokens(units: Sequence[Unit], cut: Cut) -> int:
    shown = sum(units[index].within() for index, _ in cut.kept)
    return as_units(units).total(0, cut.end) - shown


def _make(units: Sequence[Unit], policy: Policy, recap: int) -> Cut:
    floor = Floor.of(units, len(units), recap)
    floor = floor.with_opening()
    floor, cap, room = settled_floor(floor, units, policy.target, policy.most)
    cut, left = _filled(units, floor, cap, room)
    fills = policy.target >= policy.room and cut.drops and recap
    return replace(cut, recap=cut.recap + left) if fills else cut


def _filled(units: Sequence[Unit], floor: Floor, cap: int, room: int) -> tuple[Cut, int]:
    """Fill *room* from the newest unit back, the far ones shortened; with what is left."""
    left = room - floor.tokens(cap)
    kept: dict[int, int | None] = dict.fromkeys(floor.exchange, SKELETON)
    if floor.asked is not None:
        kept[floor.asked] = None
    if floor.newest != floor.asked:
        cap, left = _widened(units[floor.newest], cap, left, NEWEST)
    left = _walk_back(units, floor, kept, left)
    if floor.newest != floor.asked:
        cap, left = _widened(units[floor.newest], cap, left, 1.0)
        kept[floor.newest] = _shortest(units[floor.newest], cap)
    for index in sorted((index for index, cap in kept.items() if cap == SKELETON), reverse=True):
        cap, left = _widened(units[index], SKELETON, left, 1.0)
        kept[index] = _shortest(units[index], cap)
    shown = tuple(sorted(kept.items()))
    return Cut(end=len(units), kept=shown, asked=floor.asked, recap=floor.recap), left


def _shortest(unit: Unit, cap: int) -> int | None:
    """*cap*, or None where it cuts nothing."""
    return None if cap >= max(unit.elastic, default=0) else cap


def _widened(unit: Unit, cap: int, left: int, share: float) -> tuple[int, int]:
    """The cap for *unit* with *share* of what is left added to it, and what is left then."""
    wider = max(cap, unit.cap_for(unit.within(cap) + int(left * share)))
    return wider, left - (unit.within(wider) - unit.within(cap))


def _walk_back(units: Sequence[Unit], floor: Floor, kept: dict[int, int | None], left: int) -> int:
    verbatim = left * (1 - VERBATIM)
    for index in range(floor.newest - 1, -1, -1):
        if index == floor.asked:
            continue
        unit = units[index]
        reserved = unit.within(SKELETON) if index in floor.exchange else 0
        shrinks = unit.kind == "work" and unit.within(SKELETON) < unit.within()
        if left - unit.within() + reserved >= (verbatim if shrinks else 0):
            kept[index], left = None, left - unit.within() + reserved
        elif shrinks and left >= unit.within(SKELETON):
            kept[index], left = SKELETON, left - unit.within(SKELETON)
        elif not reserved:
            break
    return left
