"""Narrows what stands for choice to a window of a few, the likeliest first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from agentmaker.memory.index.index import Index
from agentmaker.memory.index.values import EmbeddingUsage, Found, Hit, Strategy
from agentmaker.tasks.candidates import Candidates, Item, Key, Pool
from agentmaker.tasks.package import Diagnostic
from agentmaker.tasks.source import Span

_ASIDE = 64
"""So many items of a source that do not stand for choice are passed over in what is found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """How candidates are found: *index* None for the order of the sources alone."""

    index: Index | None
    strategy: Strategy

    async def narrow(self, query: str, candidates: Candidates, most: int, *, fill: bool) -> Window:
        """At most *most* of the optional candidates, the best first.

        What the query does not hit comes behind, when it may *fill* the window or all
        candidates have a place in it. A single candidate is not searched for.
        """
        if candidates.optional <= 1 or self.index is None or not query.strip():
            return Window(items=tuple(candidates.in_order(most)))
        # What is not offered now stands in the index still, and would take the place of others.
        pools = [pool for pool in candidates.pools if pool.descriptors]
        found = await self._search(self.index, query, pools, most)
        hits, spans = _read(found, pools)
        items = hits[:most]
        if fill or candidates.optional <= most:
            items = _filled(items, candidates.in_order(most), most)
        return Window(
            items=tuple(items),
            spans=spans,
            usage=found.usage,
            diagnostics=tuple(_problems(found, items)),
        )

    async def _search(self, index: Index, query: str, pools: Sequence[Pool], most: int) -> Found:
        aside = sum(len(pool.bound.descriptors) - len(pool.descriptors) for pool in pools)
        few = aside <= _ASIDE
        return await index.search(
            query,
            {each.bound.partition: None if few else each.descriptors.keys() for each in pools},
            limit=most + (aside if few else 0),
            strategy=self.strategy,
        )

    async def place(self, query: str, item: Item) -> Span | None:
        """Where in *item* its words answer *query* best. Asks for no embedding."""
        if self.index is None or not query.strip():
            return None
        found = await self.index.search(
            query, {item.bound.partition: {item.descriptor.ref}}, limit=1, strategy="lexical"
        )
        return next(filter(None, (_span(hit, item) for hit in found.hits)), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """The candidates that may be chosen, and where the query hit them."""

    items: tuple[Item, ...]
    spans: Mapping[Key, Span] = field(default_factory=dict)
    usage: EmbeddingUsage = field(default_factory=EmbeddingUsage)
    diagnostics: tuple[Diagnostic, ...] = ()


def _read(found: Found, pools: Sequence[Pool]) -> tuple[list[Item], dict[Key, Span]]:
    """What was hit and stands for choice. A place in another revision is no place in this."""
    by_partition = {pool.bound.partition: pool for pool in pools}
    hits: list[Item] = []
    spans: dict[Key, Span] = {}
    for hit in found.hits:
        pool = by_partition.get(hit.partition)
        item = pool.get(hit.key) if pool else None
        if item is None:
            continue
        hits.append(item)
        if span := _span(hit, item):
            spans[item.key] = span
    return hits, spans


def _span(hit: Hit, item: Item) -> Span | None:
    known = hit.start < hit.end and hit.revision == item.descriptor.revision
    return Span(hit.start, hit.end) if known else None


def _filled(items: list[Item], others: Sequence[Item], most: int) -> list[Item]:
    known = {item.key for item in items}
    return [*items, *(each for each in others if each.key not in known)][:most]


def _problems(found: Found, items: Sequence[Item]) -> list[Diagnostic]:
    nothing = [] if items else [Diagnostic(code="no_match")]
    if not found.problem:
        return nothing
    return [Diagnostic(code="hybrid_unavailable", detail=found.problem), *nothing]
