"""What was found as results for the window: text below its headings, and where it is from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from agentmaker.context.results import RetrievalResult
from agentmaker.memory.index import Hit
from agentmaker.memory.knowledge.citation import STEP, path_of
from agentmaker.memory.knowledge.indexing import View
from agentmaker.memory.knowledge.items import Place, name_of, number_of, place_of
from agentmaker.memory.knowledge.kept import KIND, Facts, facts_of
from agentmaker.memory.knowledge.ranking import Stretch, ranked
from agentmaker.memory.records import Document
from agentmaker.memory.store import Store
from agentmaker.scope import Scope


@dataclass(frozen=True, slots=True)
class Searched:
    """A scope's documents: what is indexed of them, and where they are kept."""

    scope: Scope
    view: View
    store: Store

    async def texts(self, stretches: Iterable[Stretch]) -> dict[str, Document]:
        here = (each for each in stretches if each.partition == self.view.partition)
        names = [*dict.fromkeys(each.document for each in here)]
        read = await self.store.read(self.scope, KIND, names) if names else ()
        return {each.name: each for each in read}


def stretches_of(hits: Sequence[Hit], views: Mapping[str, View]) -> list[Stretch]:
    """Single chunks in order, each of one of *views*, by partition."""
    numbered = {(hit.partition, name_of(hit.key), number_of(hit.key)): hit for hit in hits}
    sizes = {key[:2]: len(views[key[0]].chunks[key[1]]) for key in numbered}
    return ranked(numbered, sizes)


async def results_of(
    stretches: Sequence[Stretch], searched: Sequence[Searched], source: str
) -> list[RetrievalResult | None]:
    """A result for each of *stretches*, in order; None where the store has another text by now."""
    views = {each.view.partition: each.view for each in searched}
    texts = {each.view.partition: await each.texts(stretches) for each in searched}
    return [
        _result(each, views[each.partition], texts[each.partition], source) for each in stretches
    ]


def _result(
    stretch: Stretch, view: View, texts: Mapping[str, Document], source: str
) -> RetrievalResult | None:
    document = texts.get(stretch.document)
    chunks = view.chunks[stretch.document]
    first, last, best = chunks[stretch.first], chunks[stretch.last], chunks[stretch.best]
    facts = facts_of(document.gist) if document else None
    if document is None or facts is None or first.revision != facts.revision:
        return None
    start, end = place_of(first).start, place_of(last).end
    above = _above(facts, place_of(first))
    text = document.text[start:end]
    return RetrievalResult(
        f"{above}\n{text}" if above else text,
        stretch.score,
        source,
        id=f"{document.name}#{start}-{end}",
        embedding=stretch.hit.embedding if stretch.hit else None,
        metadata={
            **facts.metadata,
            **_cited(document.name, facts, place_of(best)),
            "start": start,
            "end": end,
        },
    )


def _above(facts: Facts, place: Place) -> str:
    """The headings that a text stands under and does not begin with."""
    path = path_of(facts.title, (*place.above, *place.own))
    return STEP.join(path[: len(path) - len(place.own)])


def _cited(name: str, facts: Facts, place: Place) -> dict[str, object]:
    return {
        "document": name,
        "title": facts.title,
        "headings": [*place.above, *place.own],
        "page": facts.page_at(place.start),
        "uri": facts.uri,
    }
