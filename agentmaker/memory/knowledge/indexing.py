"""Keeps the index true to the store: what changed there is chunked anew, and nothing else."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from agentmaker.calls.memory.remembered import Remembered
from agentmaker.context.aside import aside
from agentmaker.memory.chunks import chunks
from agentmaker.memory.exclusive import exclusive
from agentmaker.memory.index import Index, Indexed, Kept
from agentmaker.memory.knowledge.items import item_of, name_of
from agentmaker.memory.knowledge.kept import KIND, Facts, facts_of
from agentmaker.memory.records import Document
from agentmaker.memory.store import Store
from agentmaker.scope import Scope
from agentmaker.tokens import TokenCounter, counter_name

_VERSION = 1
"""Changes whenever documents are chunked otherwise."""

_AT_ONCE = 64
"""Documents that are read from the store together."""

_ROUNDS = 3
"""Others may write meanwhile: so often the index is brought up to date for one search."""


@dataclass(frozen=True, slots=True)
class View:
    """What is indexed of a scope, as of a state of the store.

    Attributes:
        known: of each chunk, by key.
        sizes: how many chunks each document has, by name.
    """

    stamp: str
    partition: str
    known: Mapping[str, Kept]
    sizes: Mapping[str, int]


class Indexing:
    """The chunks of a store's documents in an index, a partition for each scope."""

    def __init__(
        self, store: Store, index: Index, *, chunk_tokens: int, counter: TokenCounter
    ) -> None:
        self._store = store
        self._index = index
        self._chunk_tokens = chunk_tokens
        self._counter = counter
        self._views: Remembered[Scope, View] = Remembered(64)

    async def view(self, scope: Scope) -> View:
        """What is indexed of *scope*, once all that changed in the store is indexed as well."""
        stamp = await self._store.stamp(scope, KIND)
        view = self._views.get(scope)
        if view is not None and view.known and not await self._index.holds(view.partition):
            self.forget(scope)  # somebody emptied the index, or closed one in memory
        elif view is not None and view.stamp == stamp:
            return view
        async with exclusive((id(self._index), self._partition(scope))):
            return await self._caught_up(scope)

    def forget(self, scope: Scope) -> None:
        """Look again: something else has changed the index."""
        self._views.drop(scope)

    async def _caught_up(self, scope: Scope) -> View:
        """The stamp is looked at again behind the work: who indexed an older state mends it."""
        view = self._views.get(scope)
        for _ in range(_ROUNDS):
            stamp = await self._store.stamp(scope, KIND)
            if view is not None and view.stamp == stamp:
                break
            view = await self._indexed(scope, stamp)
            self._views.put(scope, view)
        assert view is not None
        return view

    async def _indexed(self, scope: Scope, stamp: str) -> View:
        partition = self._partition(scope)
        # Before the documents: what another process indexed meanwhile is then not taken for gone.
        known = await self._index.known(partition)
        keys = _by_document(known)
        facts = {each.name: facts_of(each) for each in await self._store.documents(scope, KIND)}
        gone = [key for name in keys.keys() - facts.keys() for key in keys[name]]
        await self._index.put(partition, (), gone=gone)
        changed = [name for name in facts if _differs(facts[name], keys[name], known)]
        for at in range(0, len(changed), _AT_ONCE):
            await self._put(scope, partition, changed[at : at + _AT_ONCE], keys)
        if gone or changed:
            known = await self._index.known(partition)
        return View(stamp, partition, known, Counter(map(name_of, known)))

    async def _put(
        self,
        scope: Scope,
        partition: str,
        names: Sequence[str],
        keys: Mapping[str, Collection[str]],
    ) -> None:
        documents = await self._store.read(scope, KIND, names)
        characters = sum(len(each.text) for each in documents)
        items = await aside(characters, lambda: [*self._items(documents)])
        before = {key for each in documents for key in keys[each.name]}
        await self._index.put(partition, items, gone=before - {each.key for each in items})

    def _items(self, documents: Sequence[Document]) -> Iterator[Indexed]:
        for document in documents:
            facts = facts_of(document)
            parts = chunks(document.text, most=self._chunk_tokens, counter=self._counter)
            for number, chunk in enumerate(parts):
                yield item_of(document.name, facts, number, chunk)

    def _partition(self, scope: Scope) -> str:
        counted = counter_name(self._counter)
        owner = [scope.base, scope.user, scope.agent, scope.session, scope.app]
        return json.dumps([KIND, _VERSION, self._chunk_tokens, counted, *owner])


def _by_document(known: Mapping[str, Kept]) -> defaultdict[str, list[str]]:
    keys: defaultdict[str, list[str]] = defaultdict(list)
    for key in known:
        keys[name_of(key)].append(key)
    return keys


def _differs(facts: Facts, keys: Collection[str], known: Mapping[str, Kept]) -> bool:
    return not keys or any(known[key].revision != facts.revision for key in keys)
