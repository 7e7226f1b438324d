"""An index that follows a store: what changed there since is read and indexed, nothing else."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Generic, Protocol, TypeVar

from agentmaker.context.aside import aside
from agentmaker.memory.exclusive import exclusive
from agentmaker.memory.index.index import Index
from agentmaker.memory.index.values import Indexed, Kept
from agentmaker.memory.records import Document
from agentmaker.memory.shelf import Shelf
from agentmaker.memory.store import Store
from agentmaker.scope import Scope

F = TypeVar("F")

_AT_ONCE = 64
"""Documents that are read from the store together."""

_ROUNDS = 3
"""Others may write meanwhile: so often the index is brought up to date for one search."""

_HELD, _LARGEST = 200_000, 50_000
"""Items of all scopes that are known between searches; more than that of one count no more."""

Items = Mapping[str, Mapping[str, Kept]]
"""What the index holds of each document, by its name and the keys of its items."""


class Recipe(Protocol[F]):
    """How the documents of a *kind* are indexed."""

    @property
    def kind(self) -> str: ...

    def partition(self, scope: Scope) -> str: ...

    def facts(self, document: Document) -> F:
        """About a document as it is listed, without its text."""

    def revision(self, facts: F) -> str:
        """That of all its items."""

    def items(self, document: Document) -> Iterable[Indexed]: ...

    def document(self, key: str) -> str:
        """The name of the document that an item is of."""


@dataclass(frozen=True, slots=True)
class View(Generic[F]):
    """What a scope has, all of it indexed, as of one state of the store.

    Attributes:
        stamp: of the store, *index_stamp* of the *partition* in the index.
        listed: the documents by name, without their texts.
    """

    stamp: str
    partition: str
    index_stamp: int | None
    listed: Mapping[str, Document]
    facts: Mapping[str, F]
    items: Items


class Follower(Generic[F]):
    """Brings *index* up to date with *store*, scope by scope.

    One that is *owned* serves nobody else: it forgets the scopes not asked for longest.
    """

    def __init__(self, store: Store, index: Index, recipe: Recipe[F], *, owned: bool) -> None:
        self.store = store
        self.index = index
        self._recipe = recipe
        self._owned = owned
        self._lock = Lock()
        self._views: Shelf[Scope, View[F]] = Shelf(most=_HELD, heaviest=_HELD, full="")

    async def view(self, scope: Scope) -> View[F]:
        """What *scope* has, once all of it is indexed."""
        view = self._known(scope)
        if view is not None and await self._is_current(scope, view):
            return view
        async with exclusive((id(self.index), self._recipe.partition(scope))):
            return await self._followed(scope)

    def forget(self, scope: Scope) -> None:
        """Ask the index anew what it holds."""
        with self._lock:
            self._views.drop(scope)

    async def aclose(self) -> None:
        if self._owned:
            await self.index.aclose()

    async def _is_current(self, scope: Scope, view: View[F]) -> bool:
        """Not where the store was changed, nor where somebody else changed or lost the index."""
        stamp = await self.store.stamp(scope, self._recipe.kind)
        return stamp == view.stamp and await self._is_ours(view)

    async def _is_ours(self, view: View[F]) -> bool:
        return await self.index.stamp(view.partition) == view.index_stamp

    async def _followed(self, scope: Scope) -> View[F]:
        """The state is looked at again behind the work: who indexed an older one mends it."""
        view = self._known(scope)
        for _ in range(_ROUNDS):
            if view is not None and await self._is_current(scope, view):
                break
            view = await self._indexed(scope, view)
        assert view is not None
        return view

    async def _indexed(self, scope: Scope, before: View[F] | None) -> View[F]:
        kind, partition = self._recipe.kind, self._recipe.partition(scope)
        stamp = await self.store.stamp(scope, kind)
        # Before the documents: what another process indexed meanwhile is then not taken for gone.
        items = await self._held(partition, before)
        self.forget(scope)  # whatever fails on the way, the index is asked anew
        listed = {each.name: each for each in await self.store.documents(scope, kind)}
        held = await self._left(partition, items, listed)
        gists = sum(len(each.gist) for each in listed.values())
        facts, changed = await aside(gists, self._compared, listed, before, held)
        for at in range(0, len(changed), _AT_ONCE):
            documents = await self.store.read(scope, kind, changed[at : at + _AT_ONCE])
            held |= await self._put(partition, documents, held)
        index_stamp = await self.index.stamp(partition)
        view = View(stamp, partition, index_stamp, listed, facts, held)
        await self._keep(scope, view)
        return view

    async def _held(self, partition: str, before: View[F] | None) -> Items:
        if before is not None and await self._is_ours(before):
            return before.items
        return self._by_document(await self.index.known(partition))

    async def _left(
        self, partition: str, items: Items, listed: Mapping[str, Document]
    ) -> dict[str, Mapping[str, Kept]]:
        """*items* without those of documents that are gone, from the index too."""
        gone = [key for name in items.keys() - listed.keys() for key in items[name]]
        await self.index.put(partition, (), gone=gone)
        return {name: items[name] for name in items.keys() & listed.keys()}

    def _compared(
        self, listed: Mapping[str, Document], before: View[F] | None, held: Items
    ) -> tuple[dict[str, F], list[str]]:
        """What is known of each document, and which are to be indexed."""
        facts = {
            name: before.facts[name]
            if before and before.listed.get(name) == document
            else self._recipe.facts(document)
            for name, document in listed.items()
        }
        return facts, [name for name in facts if self._differs(facts[name], held.get(name, {}))]

    def _by_document(self, known: Mapping[str, Kept]) -> Items:
        found: defaultdict[str, dict[str, Kept]] = defaultdict(dict)
        for key, kept in known.items():
            found[self._recipe.document(key)][key] = kept
        return dict(found)

    def _differs(self, facts: F, items: Mapping[str, Kept]) -> bool:
        revision = self._recipe.revision(facts)
        return not items or any(each.revision != revision for each in items.values())

    async def _put(self, partition: str, documents: Sequence[Document], before: Items) -> Items:
        """What is held of *documents* now."""
        characters = sum(len(each.text) for each in documents)
        items = await aside(characters, lambda: [*self._items(documents)])
        now = {each.key: Kept(each.revision, each.data) for each in items}
        keys = {key for each in documents for key in before.get(each.name, ())}
        await self.index.put(partition, items, gone=keys - now.keys())
        return self._by_document(now)

    def _items(self, documents: Iterable[Document]) -> Iterator[Indexed]:
        for each in documents:
            yield from self._recipe.items(each)

    def _known(self, scope: Scope) -> View[F] | None:
        with self._lock:
            return self._views.get(scope)

    async def _keep(self, scope: Scope, view: View[F]) -> None:
        size = sum(map(len, view.items.values()))
        with self._lock:
            gone = self._views.put(scope, view, min(size, _LARGEST))
        for each in gone if self._owned else ():
            await self.index.drop(self._recipe.partition(each))
