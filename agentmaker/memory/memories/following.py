"""An index that follows a store: what changed there since is read and indexed, nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock

from anyio import to_thread

from agentmaker.memory.chunks import chunks
from agentmaker.memory.exclusive import exclusive
from agentmaker.memory.index.index import Index
from agentmaker.memory.index.values import Indexed, Passage
from agentmaker.memory.memories.record import KIND, MemoryRecord, digest_of, from_document
from agentmaker.memory.records import Document
from agentmaker.memory.shelf import Shelf
from agentmaker.memory.sql.codec import scope_to_json
from agentmaker.memory.store import Store
from agentmaker.scope import Scope
from agentmaker.tokens import TokenCounter

PASSAGE = 256
"""Tokens that are found together."""

_PAGE = 256
"""Texts in memory at a time."""

_ROUNDS = 3
"""Others may write meanwhile: so often the index is brought up to date for one search."""

_HELD = 200_000
"""Memories of all scopes whose listing is kept between searches."""


@dataclass(frozen=True, slots=True)
class Listing:
    """A scope's memories without their texts, as they were when the store had that stamp."""

    stamp: str
    records: Mapping[str, MemoryRecord]


@dataclass(slots=True, kw_only=True)
class Following:
    """Brings *index* up to date with *store*, scope by scope.

    Attributes:
        owned: whether nobody else has the index: it forgets the scopes not asked for longest.
    """

    store: Store
    index: Index
    owned: bool
    counter: TokenCounter
    _lock: Lock = field(default_factory=Lock)
    _listings: Shelf[Scope, Listing] = field(
        default_factory=lambda: Shelf(most=_HELD, heaviest=_HELD, full="")
    )

    async def listing(self, scope: Scope) -> Listing:
        """What there is, indexed."""
        stamp = await self.store.stamp(scope, KIND)
        known = self._known(scope)
        if known is not None and known.records and not await self._is_indexed(scope):
            self._forget(scope)
        elif known is not None and known.stamp == stamp:
            return known
        async with exclusive((id(self), scope)):
            return await self._followed(scope)

    async def _followed(self, scope: Scope) -> Listing:
        """The stamp is looked at again behind the work: who indexed an older state mends it."""
        known = self._known(scope)
        for _ in range(_ROUNDS):
            stamp = await self.store.stamp(scope, KIND)
            if known is not None and known.stamp == stamp:
                break
            known = Listing(stamp, await self._listed(scope))
            await self._index(scope, known.records)
            await self._keep(scope, known)
        assert known is not None
        return known

    async def _listed(self, scope: Scope) -> dict[str, MemoryRecord]:
        documents = await self.store.documents(scope, KIND)
        return await to_thread.run_sync(_by_id, documents)

    async def _index(self, scope: Scope, records: Mapping[str, MemoryRecord]) -> None:
        partition = partition_of(scope)
        known = await self.index.known(partition)
        gone = known.keys() - records.keys()
        await self.index.put(partition, (), gone=gone)
        changed = [
            each.id
            for each in records.values()
            if each.id not in known or known[each.id].revision != each.digest
        ]
        for first in range(0, len(changed), _PAGE):
            page = await self.store.read(scope, KIND, changed[first : first + _PAGE])
            await self.index.put(partition, await to_thread.run_sync(self._indexed, page))

    def _indexed(self, documents: Sequence[Document]) -> list[Indexed]:
        return [
            Indexed(
                key=each.name,
                revision=digest_of(each.text),
                passages=tuple(
                    Passage(chunk.text, chunk.start, chunk.end)
                    for chunk in chunks(each.text, most=PASSAGE, counter=self.counter)
                ),
            )
            for each in documents
        ]

    async def aclose(self) -> None:
        if self.owned:
            await self.index.aclose()

    def _known(self, scope: Scope) -> Listing | None:
        with self._lock:
            return self._listings.get(scope)

    async def _is_indexed(self, scope: Scope) -> bool:
        """Not where somebody emptied the index, or closed one in memory."""
        return await self.index.holds(partition_of(scope))

    def _forget(self, scope: Scope) -> None:
        with self._lock:
            self._listings.drop(scope)

    async def _keep(self, scope: Scope, listing: Listing) -> None:
        if len(listing.records) > _HELD:
            return
        with self._lock:
            gone = self._listings.put(scope, listing, len(listing.records))
        for each in gone if self.owned else ():
            await self.index.drop(partition_of(each))


def _by_id(documents: Sequence[Document]) -> dict[str, MemoryRecord]:
    return {each.name: from_document(each) for each in documents}


def partition_of(scope: Scope) -> str:
    return f"{KIND} {scope_to_json(scope)}"
