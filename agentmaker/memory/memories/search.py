"""Puts memories in order for a query."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from agentmaker.context.results import RetrievalResult
from agentmaker.context.words import terms
from agentmaker.memory.index.values import EmbeddingUsage, Hit, Strategy
from agentmaker.memory.memories.following import Following, partition_of
from agentmaker.memory.memories.record import KIND, MemoryRecord, from_document
from agentmaker.memory.memories.worth import Weights
from agentmaker.scope import Scope

NAME = "memory"
"""Of the source that results say they come from."""

_FEWEST = 50
_TIMES = 5
"""So many of the most relevant, at least, are candidates for each that is wanted."""


@dataclass(slots=True, kw_only=True)
class Searcher:
    following: Following
    weights: Weights
    strategy: Strategy
    usage: EmbeddingUsage = field(default_factory=EmbeddingUsage)

    async def search(
        self, query: str, scope: Scope, now: datetime, top_k: int, least: float
    ) -> list[RetrievalResult]:
        """At most *top_k* of those of at least the importance *least*, the best first."""
        records = (await self.following.listing(scope)).records
        allowed = {each.id: each for each in records.values() if each.importance >= least}
        if terms(query):
            narrowed = allowed if len(allowed) < len(records) else None
            hits = await self._hits(query, scope, narrowed, max(_FEWEST, _TIMES * top_k))
        else:
            hits = dict.fromkeys(allowed)
        scores = self._scores(allowed, hits, now)
        best = _distinct(sorted(scores, key=scores.__getitem__, reverse=True), allowed, top_k)
        return await self._results(scope, {id: scores[id] for id in best}, hits)

    async def _hits(
        self, query: str, scope: Scope, allowed: Collection[str] | None, limit: int
    ) -> Mapping[str, Hit | None]:
        found = await self.following.index.search(
            query, {partition_of(scope): allowed}, limit=limit, strategy=self.strategy
        )
        self.usage += found.usage
        if found.problem:
            logging.getLogger("agentmaker").warning(
                "memories were searched by their words alone: %s", found.problem
            )
        return {hit.key: hit for hit in found.hits}

    def _scores(
        self, records: Mapping[str, MemoryRecord], hits: Mapping[str, Hit | None], now: datetime
    ) -> dict[str, float]:
        best = max((hit.score for hit in hits.values() if hit), default=0.0)
        return {
            id: self.weights.score(records[id], now, hit.score / best if hit and best else 0.0)
            for id, hit in hits.items()
            if id in records
        }

    async def _results(
        self, scope: Scope, scores: Mapping[str, float], hits: Mapping[str, Hit | None]
    ) -> list[RetrievalResult]:
        documents = await self.following.store.read(scope, KIND, [*scores])
        return [
            _result(record, scores[record.id], hits[record.id])
            for record in map(from_document, documents)
        ]


def _distinct(ids: Iterable[str], records: Mapping[str, MemoryRecord], most: int) -> list[str]:
    """The first *most* of *ids*, of those with one content only the first."""
    firsts: dict[str, str] = {}
    for id in ids:
        firsts.setdefault(records[id].digest, id)
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
        },
    )
