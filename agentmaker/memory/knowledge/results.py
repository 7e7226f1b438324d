"""Hits as results for the window: text, the headings it stands under, and where it is from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from agentmaker.context.results import RetrievalResult
from agentmaker.memory.index import Hit
from agentmaker.memory.knowledge.citation import STEP, path_of
from agentmaker.memory.knowledge.indexing import View, headings_in, name_of
from agentmaker.memory.knowledge.kept import KIND, facts_of
from agentmaker.memory.records import Document
from agentmaker.memory.store import Store
from agentmaker.scope import Scope


class Stale(Exception):
    """Raised when the store has other texts by now than those that were searched."""


@dataclass(frozen=True, slots=True)
class Searched:
    """A scope's documents: what is indexed of them, and where they are kept."""

    scope: Scope
    view: View
    store: Store

    async def texts(self, hits: Iterable[Hit]) -> dict[str, Document]:
        names = dict.fromkeys(name_of(hit.key) for hit in hits if self.found(hit))
        read = await self.store.read(self.scope, KIND, [*names]) if names else ()
        return {each.name: each for each in read}

    def found(self, hit: Hit) -> bool:
        return hit.partition == self.view.partition


async def results_of(
    hits: Sequence[Hit], searched: Sequence[Searched], source: str
) -> list[RetrievalResult]:
    """A result for each of *hits*, in order.

    Raises:
        Stale: there is none for one of them.
    """
    results: dict[Hit, RetrievalResult] = {}
    for each in searched:
        texts = await each.texts(hits)
        results |= {hit: _result(hit, each.view, texts, source) for hit in hits if each.found(hit)}
    return [results[hit] for hit in hits]


def _result(hit: Hit, view: View, texts: Mapping[str, Document], source: str) -> RetrievalResult:
    name = name_of(hit.key)
    document, kept = texts.get(name), view.known.get(hit.key)
    facts = facts_of(document) if document else None
    if document is None or facts is None or kept is None or facts.revision != hit.revision:
        raise Stale
    above, own = headings_in(kept)
    text = document.text[hit.start : hit.end]
    path = STEP.join(path_of(facts.title, above))
    return RetrievalResult(
        f"{path}\n{text}" if path else text,
        hit.score,
        source,
        id=f"{name}#{hit.start}-{hit.end}",
        embedding=hit.embedding,
        metadata={
            **facts.metadata,
            "document": name,
            "title": facts.title,
            "headings": [*above, *own],
            "page": facts.page_at(hit.start),
            "start": hit.start,
            "end": hit.end,
            "uri": facts.uri,
        },
    )
