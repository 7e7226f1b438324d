"""Brings what is known of a source up to date, in memory and in the index, by what changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import anyio
from anyio import to_thread

from agentmaker.context.together import is_cancellation
from agentmaker.memory.index.index import Index
from agentmaker.memory.index.values import Indexed
from agentmaker.tasks.enumeration import Enumeration, enumerate_source
from agentmaker.tasks.indexing import indexed, labelled, remembered
from agentmaker.tasks.inventory import UNASKED, Inventory, by_ref, facts_of, inventory_of
from agentmaker.tasks.source import Descriptor, TaskSource, Unreadable

LATE = "late"

_LATE = 3
"""Items of one source that a refresh waits for in vain."""

_BATCH = 256
_BATCH_CHARACTERS = 4_194_304
"""Of one transaction: what is held in memory at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """What a refresh found, by binding: refs that are new or other than before, and refs gone.

    Attributes:
        failed: why a source could not be asked, by binding.
    """

    changed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    gone: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    failed: Mapping[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.changed or self.gone)


@dataclass(slots=True)
class SyncedSource:
    """One source and what is known of it.

    Attributes:
        stored: what the index holds by ref, None for what has to be put again; not known before
            the first look.
        stamp: of the index when that was so.
        late: reads of this refresh that took too long.
    """

    source: TaskSource
    partition: str
    timeout: float | None
    inventory: Inventory = UNASKED
    stored: dict[str, Descriptor | None] | None = None
    stamp: int | None = None
    late: int = 0
    changed: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()

    async def refresh(self, index: Index | None) -> None:
        """Ask the source what it has; with an *index*, put there what it lacks.

        A fault of the source is kept in the inventory. Cut short, the next refresh goes on from
        what is in the index by then.

        Raises:
            StoreError: the index cannot be read or written.
        """
        self.changed, self.gone, self.late = (), (), 0
        stored = await self._stored(index) if index is not None else {}
        before = self.inventory.known or by_ref(each for each in stored.values() if each)
        found = await self._enumerated(before)
        if isinstance(found, str):
            self.inventory = self.inventory.failing(found)
            return
        told = _new(before, found.descriptors)
        self.changed = tuple(each.ref for each in told if _says_else(before.get(each.ref), each))
        self.gone = _gone(before, found.descriptors)
        if index is not None:
            await self._store(index, stored, found.descriptors)
        if told or self._differs(found):
            self.inventory = await to_thread.run_sync(
                inventory_of, found.descriptors, found.problems
            )

    async def _enumerated(self, before: dict[str, Descriptor]) -> Enumeration | str:
        """What the source has, or why it cannot be asked."""
        try:
            return await enumerate_source(self.source, before, self.timeout)
        except Exception as error:
            return reason_of(error)
        except anyio.get_cancelled_exc_class() as fault:
            if is_cancellation(fault):
                raise
            # Nobody cancelled it, so it raised this by itself: the others must not pay.
            return "cancelled itself"

    def elsewhere(self) -> SyncedSource:
        """The same source, for another index."""
        return SyncedSource(self.source, self.partition, self.timeout, self.inventory)

    def _differs(self, found: Enumeration) -> bool:
        listed = self.inventory
        return bool(
            listed.failed
            or self.gone
            or tuple(found.problems) != listed.problems
            or (found.descriptors is not listed.known and [*found.descriptors] != [*listed.known])
        )

    async def _stored(self, index: Index) -> dict[str, Descriptor | None]:
        """What the index holds, looked up anew where others changed it."""
        stamp = await index.stamp(self.partition)
        if self.stored is None or stamp != self.stamp:
            self.stored = remembered(await index.known(self.partition))
            self.stamp = stamp
        return self.stored

    async def _store(
        self, index: Index, stored: dict[str, Descriptor | None], told: Mapping[str, Descriptor]
    ) -> None:
        if stored == told:  # the quickest way to see it, as most are the very same objects
            return
        gone = _gone(stored, told)
        batch: list[Indexed] = []
        for item in _new(stored, told):
            batch.append(await self._indexed(item))
            if _is_full(batch):
                await self._put(index, batch, stored, told)
                batch = []
        if batch or gone:
            await self._put(index, batch, stored, told, gone)

    async def _indexed(self, item: Descriptor) -> Indexed:
        """What is late is not waited for again until it changes, and few are in one refresh."""
        if self.late >= _LATE:
            return labelled(item, "")
        try:
            return await indexed(self.source, item, self.timeout)
        except TimeoutError:
            self.late += 1
            return labelled(item, item.revision)

    async def _put(
        self,
        index: Index,
        batch: Sequence[Indexed],
        stored: dict[str, Descriptor | None],
        told: Mapping[str, Descriptor],
        gone: Sequence[str] = (),
    ) -> None:
        await index.put(self.partition, batch, gone=gone)
        self.stamp = await index.stamp(self.partition)
        stored.update({each.key: told[each.key] if each.revision else None for each in batch})
        for ref in gone:
            stored.pop(ref, None)


def _new(
    known: Mapping[str, Descriptor | None], told: Mapping[str, Descriptor]
) -> list[Descriptor]:
    if known is told:
        return []
    # Most are the very same objects, which is quicker to see than that they are equal.
    pairs = ((known.get(ref), each) for ref, each in told.items())
    return [each for before, each in pairs if before is not each and before != each]


def _gone(
    known: Mapping[str, Descriptor | None], told: Mapping[str, Descriptor]
) -> tuple[str, ...]:
    return () if known is told else tuple(each for each in known if each not in told)


def _says_else(before: Descriptor | None, now: Descriptor) -> bool:
    return before is None or facts_of(before) != facts_of(now)


def _is_full(batch: Sequence[Indexed]) -> bool:
    return len(batch) >= _BATCH or _characters(batch) >= _BATCH_CHARACTERS


def _characters(batch: Sequence[Indexed]) -> int:
    return sum(len(passage.text) for each in batch for passage in each.passages)


def reason_of(error: Exception) -> str:
    """Why a source gave nothing, in words that hold no content."""
    # Its type only: an error's text may hold keys and content. What Unreadable says is without.
    if isinstance(error, Unreadable):
        return str(error) or "unreadable"
    return LATE if isinstance(error, TimeoutError) else type(error).__name__
