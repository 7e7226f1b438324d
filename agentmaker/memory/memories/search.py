"""Puts memories in order for a query."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias

from agentmaker.context.results import RetrievalResult
from agentmaker.context.words import terms
from agentmaker.memory.index.alone import WordsAlone
from agentmaker.memory.index.values import EmbeddingUsage, Hit, Strategy
from agentmaker.memory.memories.following import Following, partition_of
from agentmaker.memory.memories.record import KIND, MemoryRecord, from_document
from agentmaker.memory.memories.worth import MANY, Weights, relevances
from agentmaker.scope import Scope

NAME = "memory"
"""Of the source that results say they come from."""

_TIMES = 5
"""The most relevant are candidates: so many times those wanted, or `MANY`."""

Place: TypeAlias = tuple[Scope, str]
"""A memory's scope and its id there."""

Records: TypeAlias = Mapping[Place, MemoryRecord]


@dataclass(slots=True, kw_only=True)
class Searcher:
    following: Following
    weights: Weights
    usage: EmbeddingUsage = field(default_factory=EmbeddingUsage)
    _alone: WordsAlone = field(default_factory=lambda: WordsAlone("memories"))

    async def search(
        self, query: str, scopes: Iterable[Scope], now: datetime, top_k: int, least: float
    ) -> list[RetrievalResult]:
        """At most *top_k* of those of at least the importance *least*, the best first."""
        every = {scope: (await self.following.listing(scope)).records for scope in scopes}
        known = {(scope, id): each for scope, some in every.items() for id, each in some.items()}
        records = {place: each for place, each in known.items() if each.importance >= least}
        hits: Mapping[Place, Hit | None] = dict.fromkeys(records)
        if terms(query):
            allowed = {
                scope: None if len(records) == len(known) else _ids(records, scope)
                for scope in every
            }
            hits = await self._hits(query, allowed, max(MANY, _TIMES * top_k))
        scores = self._scores(records, hits, now)
        best = _distinct(sorted(scores, key=scores.__getitem__, reverse=True), records, top_k)
        found = await self._read(best)
        return [_result(found[each], scores[each], hits[each]) for each in best if each in found]

    async def _hits(
        self, query: str, allowed: Mapping[Scope, Collection[str] | None], limit: int
    ) -> dict[Place, Hit | None]:
        scopes = {partition_of(scope): scope for scope in allowed}
        partitions = {partition: allowed[scope] for partition, scope in scopes.items()}
        index = self.following.index
        strategy: Strategy = "hybrid" if index.embeds else "lexical"
        found = await index.search(query, partitions, limit=limit, strategy=strategy)
        self.usage += found.usage
        self._alone.tell(found.problem)
        return {(scopes[hit.partition], hit.key): hit for hit in found.hits}

    def _scores(
        self, records: Records, hits: Mapping[Place, Hit | None], now: datetime
    ) -> dict[Place, float]:
        relevance = relevances({each: hit.score for each, hit in hits.items() if hit})
        return {
            each: self.weights.score(records[each], now, relevance.get(each, 0.0))
            for each in hits
            if each in records
        }

    async def _read(self, places: Sequence[Place]) -> dict[Place, MemoryRecord]:
        found: dict[Place, MemoryRecord] = {}
        for scope in dict.fromkeys(scope for scope, _ in places):
            ids = _ids(places, scope)
            for document in await self.following.store.read(scope, KIND, ids):
                found[scope, document.name] = from_document(document)
        return found


def _ids(places: Iterable[Place], scope: Scope) -> list[str]:
    return [id for owner, id in places if owner == scope]


def _distinct(places: Iterable[Place], records: Records, most: int) -> list[Place]:
    """The first *most* of *places*, of those with one content only the first."""
    firsts: dict[str, Place] = {}
    for each in places:
        firsts.setdefault(records[each].digest, each)
    return [*firsts.values()][:most]


def _result(record: MemoryRecord, score: float, hit: Hit | None) -> RetrievalResult:
    return RetrievalResult(
        record.content,
        score,
        NAME,
        id=record.id,
        embedding=hit.embedding if hit else None,
        metadata={
            **record.metadata,
            "id": record.id,
            "importance": record.importance,
            "created": record.created,
            "updated": record.updated,
            # By which `GSSCBuilder` knows how old a result is.
            "timestamp": record.updated,
        },
    )
