"""Reads what was chosen, in order, as far as blocks and tokens go.

Invariants:

1. What is required is shown, if only in part, or nothing is.
2. Tokens are never more than the budget, counted over the whole text as it is sent.
3. What fits is not left out for room; what room is left goes to those that were cut.
4. Nothing is shown twice: not within a parent that is shown whole, nor what was seen before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from agentmaker.context.counting import counted
from agentmaker.errors import ContextWindowExceeded
from agentmaker.tasks.contents import Reading
from agentmaker.tasks.package import Block, Reason, joined_text
from agentmaker.tasks.rendering import Chosen, Rendering
from agentmaker.tasks.source import Content, Span
from agentmaker.tasks.things import Key

CAP = 2_000
"""Tokens of one block where there is no budget."""

_FAIR = 256
"""A part gets so many tokens, where there are, though others wait."""

_WORTH = 64
"""Tokens that are worth making a part longer by."""


@dataclass(frozen=True, slots=True)
class _Shown:
    chosen: Chosen
    content: Content
    block: Block


@dataclass(frozen=True, slots=True)
class _Need:
    """Something required, read, and the least tokens it must have."""

    content: Content
    tokens: int


@dataclass(slots=True)
class Disclosure:
    """Discloses one package.

    Attributes:
        seen: what the consumer has complete already, with its revision.
    """

    reading: Reading
    rendering: Rendering
    budget: int | None
    max_blocks: int
    seen: Mapping[Key, str]
    shown: list[_Shown] = field(default_factory=list)
    _needs: dict[Key, _Need] = field(default_factory=dict)

    async def disclose(self, chosen: Sequence[Chosen]) -> tuple[Block, ...]:
        """Blocks in the order of *chosen*.

        Raises:
            ContextWindowExceeded: there is no room for what is required.
            SourceError: something required cannot be read.
            Moved: something is not what was told.
        """
        for each in chosen:
            if each.thing.required:
                await self._hold(each)
        for place, each in enumerate(chosen):
            why = self._needless(each)
            if why:
                self._needs.pop(each.thing.key, None)
                self.reading.omitting.add(each.thing, why)
            else:
                await self._show(each, chosen[place + 1 :])
        await self._lengthen()
        await self._settle()
        return tuple(each.block for each in self.shown)

    @property
    def _room(self) -> int | None:
        used = sum(each.block.tokens for each in self.shown)
        return None if self.budget is None else self.budget - used

    def _needless(self, chosen: Chosen) -> Reason | None:
        thing = chosen.thing
        parent = thing.bound.id, thing.told.parent
        if any(_is_whole(each) and each.chosen.thing.key == parent for each in self.shown):
            return "covered_by_complete_parent"
        if thing.required:
            return None
        if self.seen.get(thing.key) == thing.told.revision:
            return "already_disclosed"
        return "block_budget_exhausted" if len(self.shown) >= self.max_blocks else None

    async def _show(self, chosen: Chosen, waiting: Sequence[Chosen]) -> None:
        need = self._needs.pop(chosen.thing.key, None)
        content = need.content if need else await self.reading.read(chosen.thing, chosen.place)
        if content is None:
            return
        room = self._free
        block = self.rendering.whole(chosen, content, room)
        if block is None:
            share = room if self.budget is None else _share(room, 1 + len(waiting))
            block = await self._part(chosen, content, share)
        if block is not None:
            self.shown.append(_Shown(chosen, content, block))
        elif chosen.thing.required:
            raise self._too_little(chosen, content)
        else:
            self.reading.omitting.add(chosen.thing, "size_budget_exhausted")

    async def _hold(self, chosen: Chosen) -> None:
        """Read something required before all others, and keep the room for the least of it."""
        content = await self.reading.read(chosen.thing, chosen.place)
        if content is None:
            return
        least = self.rendering.least(chosen, content)
        whole = self.rendering.whole(chosen, content, least)
        self._needs[chosen.thing.key] = _Need(content, whole.tokens if whole else least)

    @property
    def _free(self) -> int:
        """Tokens for the next block: what those that must be shown and wait do not need."""
        room = self._room
        return CAP if room is None else room - sum(each.tokens for each in self._needs.values())

    async def _part(self, chosen: Chosen, content: Content, room: int) -> Block | None:
        if room < self.rendering.least(chosen, content):
            return None
        place = await self.reading.place(chosen.thing, chosen.place)
        content = await self._around(chosen, content, place)
        return self.rendering.part(chosen, content, place, room)

    async def _around(self, chosen: Chosen, content: Content, place: Span | None) -> Content:
        """*content*, or what is around *place* where that was not read yet."""
        if place is None or place.end <= content.start + len(content.text):
            return content
        return await self.reading.read(chosen.thing, place) or content

    async def _lengthen(self) -> None:
        for index, each in enumerate(self.shown):
            room = self._room
            if room is None or room < _WORTH:
                return
            if each.block.completeness == "truncated":
                longer = await self._longer(each, each.block.tokens + room)
                self.shown[index] = longer

    async def _longer(self, shown: _Shown, room: int) -> _Shown:
        chosen, content = shown.chosen, shown.content
        block = self.rendering.whole(chosen, content, room)
        block = block or await self._part(chosen, content, room)
        longer = block is not None and len(block.text) > len(shown.block.text)
        return _Shown(chosen, content, block) if block is not None and longer else shown

    async def _settle(self) -> None:
        """Count the whole: counted one by one its parts cost a little more, seldom less."""
        while self.budget is not None and await self._total() > self.budget:
            last = self.shown.pop()
            if last.block.required:
                raise self._too_little(last.chosen, last.content)
            self.reading.omitting.add(last.chosen.thing, "size_budget_exhausted")

    async def _total(self) -> int:
        text = joined_text([each.block.shown for each in self.shown], "")
        return (await counted([text], self.rendering.counter))[0] if text else 0

    def _too_little(self, chosen: Chosen, content: Content) -> ContextWindowExceeded:
        least = self.rendering.least(chosen, content)
        shown = sum(each.block.tokens for each in self.shown)
        waiting = sum(each.tokens for each in self._needs.values())
        return ContextWindowExceeded(
            "what the task requires",
            shown + least + waiting,
            self.budget or 0,
            hint="give the reader more budget_tokens, or require less",
        )


def _is_whole(shown: _Shown) -> bool:
    return shown.block.completeness == "complete"


def _share(room: int, waiting: int) -> int:
    return min(room, max(room // waiting, _FAIR))
