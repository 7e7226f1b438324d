"""How many questions a knowledge base finds the answers to, at equal tokens, beside plain BM25.

A knowledge base is told the budget, as a builder tells its sources. Tokens are o200k where a
library counts them. What is found is taken the best first, as far as it fits. A question of a set
with gold passages is answered where one of its answers stands in what is shown of its passage,
else where it stands in anything shown.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import anyio

from agentmaker import Grant, KnowledgeBase, counter_for
from agentmaker.memory.chunks import chunks
from agentmaker.memory.index.local import LocalEmbedder
from agentmaker.memory.knowledge.base import CHUNK_TOKENS
from benchmarks import command, retrieval
from benchmarks.figures import Bar, Report, Table, share
from benchmarks.retrieval import Passage, Search, Shelf, shown

BUDGETS = (250, 500, 1_000, 2_000)
SMALL_BUDGETS = (50, 100, 200, 400)
"""For passages of a sentence."""

MOST = 40
"""Results asked for, more than any budget holds."""

PLAIN, CHUNKS, WORDS, BOTH = (
    "plain BM25",
    "plain BM25 of chunks",
    "`KnowledgeBase`, words",
    "`KnowledgeBase`, words and meaning",
)

Recalls = Sequence[float]


@dataclass(frozen=True, slots=True)
class Measured:
    """The recall of each way to search, by budget."""

    name: str
    budgets: Sequence[int]
    recalls: Mapping[str, Recalls]

    @property
    def table(self) -> Table:
        columns = (self.name, *(f"{budget:,} tokens" for budget in self.budgets))
        rows = [(way, *map(share, recalls)) for way, recalls in self.recalls.items()]
        return Table(self.name, columns, rows)

    def lead(self, way: str, over: str) -> float:
        """The least by which *way* finds more than *over*, of all budgets."""
        pairs = zip(self.recalls[way], self.recalls[over], strict=True)
        return min(ours - theirs for ours, theirs in pairs)


def searches() -> dict[str, Callable[[Sequence[Passage]], Search]]:
    ways: dict[str, Callable[[Sequence[Passage]], Search]] = {
        PLAIN: retrieval.plain,
        CHUNKS: lambda passages: retrieval.plain([*_chunked(passages)]),
        WORDS: lambda passages: ours(KnowledgeBase(), passages),
    }
    if importlib.util.find_spec("wordllama"):
        ways[BOTH] = lambda passages: ours(KnowledgeBase(embedder=LocalEmbedder()), passages)
    return ways


def ours(base: KnowledgeBase, passages: Sequence[Passage]) -> Search:
    async def fill() -> None:
        for each in passages:
            await base.add(each.text, name=each.key, title=each.title)

    async def find(question: str, budget: int) -> list[tuple[str, str]]:
        grant = Grant(budget, None, counter_for("gpt-4o"))
        found = await base.retrieve(question, top_k=MOST, grant=grant)
        return [(each.metadata["document"], each.content) for each in found]

    anyio.run(fill)
    return lambda question, budget: anyio.run(find, question, budget)


def _chunked(passages: Sequence[Passage]) -> Iterator[Passage]:
    for each in passages:
        for chunk in chunks(each.text, most=CHUNK_TOKENS):
            yield each._replace(text=chunk.text)


def recalls(shelves: Sequence[Shelf], way: Callable, budgets: Sequence[int]) -> list[float]:
    """The share of all questions of *shelves* that are answered, by budget."""
    count = counter_for("gpt-4o")
    answered = [0] * len(budgets)
    for shelf in shelves:
        search = way(shelf.passages)
        for question in shelf.questions:
            for at, budget in enumerate(budgets):
                found = search(question.text, budget)
                answered[at] += question.is_answered(shown(found, count, budget))
    return [number / sum(len(shelf.questions) for shelf in shelves) for number in answered]


def measured(name: str, shelves: Sequence[Shelf], budgets: Sequence[int] = BUDGETS) -> Measured:
    found = {way: recalls(shelves, made, budgets) for way, made in searches().items()}
    return Measured(name, budgets, found)


def bars(sets: Sequence[Measured], own: Measured) -> Iterator[Bar]:
    for each in sets:
        for way in (WORDS, BOTH):
            if way in each.recalls:
                yield _bar(f"{each.name}: {way} at least plain BM25", each.lead(way, PLAIN))
        if BOTH in each.recalls:
            yield _bar(f"{each.name}: meaning takes nothing away", each.lead(BOTH, WORDS))
    if BOTH in own.recalls:
        lead = min(own.lead(BOTH, WORDS), own.lead(BOTH, PLAIN))
        yield Bar("paraphrases: meaning finds more than words", _points(lead), lead > 0)


def _bar(claim: str, lead: float) -> Bar:
    return Bar(claim, _points(lead), lead >= 0)


def _points(lead: float) -> str:
    return f"{lead * 100:+.1f} points at the least"


def measure(folder: Path | None) -> Report | None:
    if folder is None:
        return None
    sets = {
        "nq_oracle": retrieval.nq_oracle(folder),
        "cmrc2018": retrieval.cmrc2018(folder),
        "bfcl_memory": retrieval.bfcl_memory(folder),
    }
    results = [measured(name, shelves) for name, shelves in sets.items() if shelves]
    own = measured("paraphrases", retrieval.paraphrases(), SMALL_BUDGETS)
    return Report([each.table for each in (*results, own)], [*bars(results, own)])


if __name__ == "__main__":
    command.run("retrieval", measure)
