"""`Memory`: what to remember beyond a conversation, and what of it matters now."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from agentmaker.context.knobs import check_count, check_share
from agentmaker.context.results import RetrievalResult
from agentmaker.errors import ConfigError
from agentmaker.memory.checks import checked_index, checked_scope, checked_store, checked_text
from agentmaker.memory.exclusive import exclusive
from agentmaker.memory.in_memory import MemoryStore
from agentmaker.memory.index.following import Follower
from agentmaker.memory.index.index import Index
from agentmaker.memory.keys import owner_of
from agentmaker.memory.memories.checks import (
    checked_changes,
    checked_content,
    checked_metadata,
    checked_weights,
)
from agentmaker.memory.memories.eviction import Eviction
from agentmaker.memory.memories.indexing import MemoryRecipe
from agentmaker.memory.memories.record import (
    KIND,
    MemoryRecord,
    digest_of,
    from_document,
    renewed,
    to_document,
)
from agentmaker.memory.memories.scoring import Weights
from agentmaker.memory.memories.search import Searcher
from agentmaker.memory.memories.tools import MemoryTools
from agentmaker.memory.store import Store
from agentmaker.prompts import DEFAULT_PROMPTS, PromptRegistry
from agentmaker.scope import Scope
from agentmaker.tokens import TokenCounter, adopted, count_tokens
from agentmaker.tools import Tool

if TYPE_CHECKING:
    from agentmaker.memory.index.embedding import Embedder
    from agentmaker.memory.index.values import EmbeddingUsage

_PAGE = 256

_DOCUMENTS = 100_000
"""Memories of all scopes, where nobody gives a store."""


def _now() -> datetime:
    return datetime.now(UTC)


class Memory:
    """Memories in a store, found again by relevance, recency and importance.

    - Each belongs to one scope: that of the call, else that of this memory. A search sees those
      of its scope, and where this names a session those of no session too; never another's.
    - The same content added again is one memory, as new as the last time.
    - Additions from many tasks and processes are all kept; of two that change one memory at the
      same time the later one counts.
    - The index follows the store, also where other processes write to it.

    Args:
        store: where they are kept; None for a `MemoryStore` of its own.
        index: where they are found; None for one in the process. One in a file need not be made
            anew when the process starts; it serves one store.
        embedder: finds them by meaning too; an *index* that is given has its own.
        scope: whose memories a call without ``scope=`` means.
        weights: how much relevance, recency and importance count.
        most: memories in a scope, and a tenth more for a while; those of the least recency and
            importance make room, which is logged.
        counter: counts the tokens of the passages that a long memory is indexed in.
        clock: the time now, with a time zone.

    Raises:
        ConfigError: a setting is out of range.
        TypeError: an argument is of another type.
        StoreError: in a method, the store or the index cannot be read or written.
    """

    def __init__(
        self,
        *,
        store: Store | None = None,
        index: Index | None = None,
        embedder: Embedder | None = None,
        scope: Scope | None = None,
        weights: Weights | None = None,
        most: int = 10_000,
        counter: TokenCounter = count_tokens,
        clock: Callable[[], datetime] = _now,
    ) -> None:
        if index is not None and embedder is not None:
            raise ConfigError("an index has an embedder of its own: give it to Index(embedder=...)")
        weights = checked_weights(weights)
        self.store = checked_store(store) or MemoryStore(max_documents=_DOCUMENTS)
        self.scope = checked_scope(scope) or Scope()
        self._bound = scope is not None
        self._clock = clock
        self._eviction = Eviction(
            store=self.store, most=check_count("most", most, least=1), weights=weights
        )
        self._follower = Follower(
            self.store,
            checked_index(index) or Index(embedder=embedder),
            MemoryRecipe(adopted(counter)),
            owned=index is None,
        )
        self._searcher = Searcher(follower=self._follower, weights=weights)

    async def add(
        self,
        content: str,
        *,
        importance: float = 0.5,
        metadata: Mapping[str, Any] | None = None,
        scope: Scope | None = None,
    ) -> str:
        """Remember *content*; its id.

        What is known already is as new as now, keeps the larger importance and gains *metadata*.

        Raises:
            ConfigError: *content* is blank, *importance* is not from 0 to 1, or *metadata* is no
                JSON.
        """
        owner, now = self._owner(scope), self._clock()
        new = MemoryRecord(
            id=digest_of(checked_content(content))[:16],
            content=content,
            importance=check_share("importance", importance),
            created=now,
            updated=now,
            metadata=checked_metadata(metadata or {}),
        )
        async with exclusive(self._key(owner, new.id)):
            record = renewed(await self._read(owner, new.id), new)
            await self.store.put(owner, to_document(record))
        await self._eviction.make_room(owner, record.id, now)
        return record.id

    async def update(
        self,
        id: str,
        *,
        content: str | None = None,
        importance: float | None = None,
        metadata: Mapping[str, Any] | None = None,
        scope: Scope | None = None,
    ) -> bool:
        """Change what is given of a memory, which is as new as now; whether there was one.

        *metadata* takes the place of what there was.

        Raises:
            ConfigError: as in `add`.
        """
        owner, changes = self._owner(scope), checked_changes(content, importance, metadata)
        async with exclusive(self._key(owner, id)):
            record = await self._read(owner, id)
            if record is None:
                return False
            changed = replace(record, updated=self._clock(), **changes)
            await self.store.put(owner, to_document(changed))
            return True

    async def forget(self, id: str, *, scope: Scope | None = None) -> bool:
        """Forget a memory; whether there was one."""
        owner = self._owner(scope)
        async with exclusive(self._key(owner, id)):
            return await self.store.remove(owner, KIND, id)

    async def forget_where(
        self,
        *,
        older_than: timedelta | None = None,
        less_important_than: float | None = None,
        scope: Scope | None = None,
    ) -> int:
        """Forget the memories to which all that is given applies; how many there were.

        Raises:
            ConfigError: nothing is given.
        """
        if older_than is None and less_important_than is None:
            raise ConfigError("say what to forget: older_than=, less_important_than= or both")
        latest = None if older_than is None else self._clock() - older_than
        records = map(from_document, await self.store.documents(self._owner(scope), KIND))
        ids = [each.id for each in records if each.is_past(latest, less_important_than)]
        return sum([await self.forget(id, scope=scope) for id in ids])

    async def search(
        self,
        query: str,
        *,
        top_k: int = 10,
        scope: Scope | None = None,
        min_importance: float | None = None,
    ) -> list[RetrievalResult]:
        """The memories that matter for *query*, the best first.

        Their score is the weighted mean of relevance, recency and importance, from 0 to 1. Those
        that have nothing to do with the query are left out, unless it is blank: then the most
        recent and important ones are found. The metadata of a result has the memory's, and ``id``,
        ``importance``, ``created``, and as ``updated`` and ``timestamp`` when it last changed.
        """
        checked_text("query", query)
        least = check_share("min_importance", 0 if min_importance is None else min_importance)
        top_k = check_count("top_k", top_k, least=1)
        owner = self._owner(scope)
        scopes = dict.fromkeys((owner, owner_of(owner)))
        return await self._searcher.search(query, scopes, self._clock(), top_k, least)

    async def get(self, id: str, *, scope: Scope | None = None) -> MemoryRecord | None:
        """A memory, None where there is none."""
        return await self._read(self._owner(scope), id)

    async def all(self, *, scope: Scope | None = None) -> tuple[MemoryRecord, ...]:
        """The memories of the scope, the latest changed first."""
        owner = self._owner(scope)
        names = [each.name for each in await self.store.documents(owner, KIND)]
        found: list[MemoryRecord] = []
        for first in range(0, len(names), _PAGE):
            page = await self.store.read(owner, KIND, names[first : first + _PAGE])
            found.extend(map(from_document, page))
        return tuple(found)

    def tools(self, *, prompts: PromptRegistry = DEFAULT_PROMPTS) -> tuple[Tool, ...]:
        """``memory_add``, ``memory_search`` and ``memory_forget``, for memories as `of` says."""
        return MemoryTools(self, prompts).tools()

    def of(self, scope: Scope | None) -> Scope:
        """Whose memories a run of *scope* has to do with: those of this memory's own scope, else
        the run's, whatever its session.
        """
        return self.scope if self._bound or scope is None else owner_of(scope)

    @property
    def usage(self) -> EmbeddingUsage:
        """What embedding took so far."""
        return self._searcher.usage

    async def aclose(self) -> None:
        """Give back what an index made here holds; what was given is left open."""
        await self._follower.aclose()

    async def _read(self, owner: Scope, id: str) -> MemoryRecord | None:
        found = await self.store.document(owner, KIND, id)
        return from_document(found) if found else None

    def _owner(self, scope: Scope | None) -> Scope:
        return checked_scope(scope) or self.scope

    def _key(self, owner: Scope, name: str) -> tuple[int, Scope, str]:
        return id(self.store), owner, name
