"""Keeps the index true to the store: what changed there is chunked anew, and nothing else."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from agentmaker.calls.memory.remembered import Remembered
from agentmaker.context.aside import aside
from agentmaker.memory.chunks import chunks
from agentmaker.memory.exclusive import exclusive
from agentmaker.memory.index import Hit, Index, Indexed, Kept
from agentmaker.memory.knowledge.items import item_of, key_of, name_of, number_of
from agentmaker.memory.knowledge.kept import KIND, facts_of
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
        chunks: what is known of those of each document, by its name and their numbers.
        gists: of the documents.
    """

    stamp: str
    partition: str
    chunks: Mapping[str, Mapping[int, Kept]]
    gists: Mapping[str, str]

    def holds(self, hit: Hit) -> bool:
        """Whether it is known; another process may have indexed it meanwhile."""
        return number_of(hit.key) in self.chunks.get(name_of(hit.key), ())


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
        if view is not None and view.chunks and not await self._index.holds(view.partition):
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
            view = await self._indexed(scope, stamp, view)
        assert view is not None
        return view

    async def _indexed(self, scope: Scope, stamp: str, view: View | None) -> View:
        partition = self._partition(scope)
        # Before the documents: what another process indexed meanwhile is then not taken for gone.
        before = view or View("", partition, _by_document(await self._index.known(partition)), {})
        # Whatever fails on the way, the index is asked anew what it holds.
        self._views.drop(scope)
        gists = {each.name: each.gist for each in await self._store.documents(scope, KIND)}
        chunks = dict(before.chunks)
        gone = [
            key for name in chunks.keys() - gists.keys() for key in _keys(name, chunks.pop(name))
        ]
        await self._index.put(partition, (), gone=gone)
        changed = [name for name, gist in gists.items() if _differs(name, gist, before)]
        for at in range(0, len(changed), _AT_ONCE):
            documents = await self._store.read(scope, KIND, changed[at : at + _AT_ONCE])
            chunks |= await self._put(partition, documents, chunks)
        view = View(stamp, partition, chunks, gists)
        self._views.put(scope, view)
        return view

    async def _put(
        self,
        partition: str,
        documents: Sequence[Document],
        before: Mapping[str, Mapping[int, Kept]],
    ) -> Mapping[str, Mapping[int, Kept]]:
        """What is known of the chunks of *documents* now."""
        characters = sum(len(each.text) for each in documents)
        items = await aside(characters, lambda: [*self._items(documents)])
        now = {each.key: Kept(each.revision, each.data) for each in items}
        keys = {key for each in documents for key in _keys(each.name, before.get(each.name, ()))}
        await self._index.put(partition, items, gone=keys - now.keys())
        return _by_document(now)

    def _items(self, documents: Sequence[Document]) -> Iterator[Indexed]:
        for document in documents:
            facts = facts_of(document.gist)
            parts = chunks(document.text, most=self._chunk_tokens, counter=self._counter)
            for number, chunk in enumerate(parts):
                yield item_of(document.name, facts, number, chunk)

    def _partition(self, scope: Scope) -> str:
        counted = counter_name(self._counter)
        owner = [scope.base, scope.user, scope.agent, scope.session, scope.app]
        return json.dumps([KIND, _VERSION, self._chunk_tokens, counted, *owner])


def _by_document(known: Mapping[str, Kept]) -> dict[str, dict[int, Kept]]:
    found: defaultdict[str, dict[int, Kept]] = defaultdict(dict)
    for key, kept in known.items():
        found[name_of(key)][number_of(key)] = kept
    return dict(found)


def _keys(name: str, numbers: Iterable[int]) -> list[str]:
    return [key_of(name, number) for number in numbers]


def _differs(name: str, gist: str, before: View) -> bool:
    """Whether a document is to be chunked; equal facts are not read again."""
    if before.gists.get(name) == gist:
        return False
    chunks = before.chunks.get(name)
    revision = facts_of(gist).revision
    return not chunks or any(each.revision != revision for each in chunks.values())
