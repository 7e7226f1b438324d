"""Reads what was selected, in order, as far as blocks and tokens go.

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
from agentmaker.tasks.block_renderer import BlockRenderer, SelectedItem
from agentmaker.tasks.candidates import Key
from agentmaker.tasks.item_reader import ItemReader
from agentmaker.tasks.package import Block, Reason, joined_text
from agentmaker.tasks.source import Content, Span

CAP = 2_000
"""Tokens of one block where there is no budget."""

_FAIR = 256
"""A part gets so many tokens, where there are, though others wait."""

_WORTH = 64
"""Tokens that are worth builder a part longer by."""


@dataclass(frozen=True, slots=True)
class _Shown:
    selected: SelectedItem
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

    reader: ItemReader
    renderer: BlockRenderer
    budget: int | None
    max_blocks: int
    seen: Mapping[Key, str]
    shown: list[_Shown] = field(default_factory=list)
    _needs: dict[Key, _Need] = field(default_factory=dict)

    async def disclose(self, selected: Sequence[SelectedItem]) -> tuple[Block, ...]:
        """Blocks in the order of *selected*.

        Raises:
            ContextWindowExceeded: there is no room for what is required.
            SourceError: something required cannot be read.
            StaleSnapshot: something is not what was told.
        """
        for each in selected:
            if each.item.required:
                await self._hold(each)
        for place, each in enumerate(selected):
            why = self._needless(each)
            if why:
                self._needs.pop(each.item.key, None)
                self.reader.omissions.add(each.item, why)
            else:
                await self._show(each, selected[place + 1 :])
        await self._lengthen()
        await self._settle()
        return tuple(each.block for each in self.shown)

    @property
    def _room(self) -> int | None:
        used = sum(each.block.tokens for each in self.shown)
        return None if self.budget is None else self.budget - used

    def _needless(self, selected: SelectedItem) -> Reason | None:
        item = selected.item
        if any(_is_whole(each) and each.selected.item.key == item.parent for each in self.shown):
            return "covered_by_complete_parent"
        if item.required:
            return None
        if self.seen.get(item.key) == item.descriptor.revision:
            return "already_disclosed"
        return "block_budget_exhausted" if len(self.shown) >= self.max_blocks else None

    async def _show(self, selected: SelectedItem, waiting: Sequence[SelectedItem]) -> None:
        need = self._needs.pop(selected.item.key, None)
        content = need.content if need else await self.reader.read(selected.item, selected.place)
        if content is None:
            return
        room = self._free
        block = self.renderer.whole(selected, content, room)
        if block is None:
            share = room if self.budget is None else _share(room, 1 + len(waiting))
            block = await self._part(selected, content, share)
        if block is not None:
            self.shown.append(_Shown(selected, content, block))
        elif selected.item.required:
            raise self._too_little(selected, content)
        else:
            self.reader.omissions.add(selected.item, "size_budget_exhausted")

    async def _hold(self, selected: SelectedItem) -> None:
        """Read something required before all others, and keep the room for the least of it."""
        content = await self.reader.read(selected.item, selected.place)
        if content is None:
            return
        least = self.renderer.least(selected, content)
        whole = self.renderer.whole(selected, content, least)
        self._needs[selected.item.key] = _Need(content, whole.tokens if whole else least)

    @property
    def _free(self) -> int:
        """Tokens for the next block: what those that must be shown and wait do not need."""
        room = self._room
        return CAP if room is None else room - sum(each.tokens for each in self._needs.values())

    async def _part(self, selected: SelectedItem, content: Content, room: int) -> Block | None:
        if room < self.renderer.least(selected, content):
            return None
        place = await self.reader.place(selected.item, selected.place)
        content = await self._around(selected, content, place)
        return self.renderer.part(selected, content, place, room)

    async def _around(
        self, selected: SelectedItem, content: Content, place: Span | None
    ) -> Content:
        """*content*, or what is around *place* where that was not read yet."""
        if place is None or place.end <= content.start + len(content.text):
            return content
        return await self.reader.read(selected.item, place) or content

    async def _lengthen(self) -> None:
        for index, each in enumerate(self.shown):
            room = self._room
            if room is None or room < _WORTH:
                return
            if each.block.completeness == "truncated":
                longer = await self._longer(each, each.block.tokens + room)
                self.shown[index] = longer

    async def _longer(self, shown: _Shown, room: int) -> _Shown:
        selected, content = shown.selected, shown.content
        block = self.renderer.whole(selected, content, room)
        block = block or await self._part(selected, content, room)
        longer = block is not None and len(block.text) > len(shown.block.text)
        return _Shown(selected, content, block) if block is not None and longer else shown

    async def _settle(self) -> None:
        """Count the whole: counted one by one its parts cost a little more, seldom less."""
        while self.budget is not None and await self._total() > self.budget:
            last = self.shown.pop()
            if last.block.required:
                raise self._too_little(last.selected, last.content)
            self.reader.omissions.add(last.selected.item, "size_budget_exhausted")

    async def _total(self) -> int:
        text = joined_text([each.block.shown for each in self.shown], "")
        return (await counted([text], self.renderer.counter))[0] if text else 0

    def _too_little(self, selected: SelectedItem, content: Content) -> ContextWindowExceeded:
        least = self.renderer.least(selected, content)
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
