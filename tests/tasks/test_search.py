from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import pytest

from agentmaker.memory.index.values import Found, Hit
from agentmaker.tasks.candidates import CandidateFinder, Candidates
from agentmaker.tasks.context import TaskContext
from agentmaker.tasks.filters import Filters
from agentmaker.tasks.omissions import OmissionLog
from agentmaker.tasks.search import Search
from agentmaker.tasks.snapshot import Snapshot
from agentmaker.tasks.source import Span
from tests.tasks.shelf import Shelf, revision_of

pytestmark = pytest.mark.anyio

TEXTS = {f"n{number}": f"text {number}" for number in range(6)}


class Finding:
    """An index that finds what it is told to find."""

    def __init__(self, *keys: str, revision: str | None = None, problem: str = "") -> None:
        self.keys = keys
        self.revision = revision
        self.problem = problem
        self.asked: list[tuple[Mapping[str, Collection[str] | None], int]] = []

    async def search(
        self,
        query: str,
        partitions: Mapping[str, Collection[str] | None],
        *,
        limit: int,
        strategy: str = "lexical",
    ) -> Found:
        self.asked.append((partitions, limit))
        (partition,) = partitions
        hits = [self.hit(partition, key) for key in self.keys[:limit]]
        return Found(hits=tuple(hits), problem=self.problem)

    def hit(self, partition: str, key: str) -> Hit:
        revision = self.revision or revision_of(TEXTS.get(key, ""))
        return Hit(partition=partition, key=key, revision=revision, score=1.0, start=1, end=4)


async def snapshot() -> Snapshot:
    task = TaskContext()
    task.configure_index(strategy="structural")
    task.attach(Shelf(TEXTS))
    await task.refresh()
    return task.snapshot()


async def candidates(**filters: list[str]) -> Candidates:
    return CandidateFinder(await snapshot(), "w", Filters.of(**filters), OmissionLog()).find()


def search(index: Any) -> Search:
    return Search(index=index, strategy="lexical")


async def test_hits_come_in_their_order_with_their_places() -> None:
    window = await search(Finding("n4", "n1")).narrow("q", await candidates(), 2, fill=False)
    assert [item.descriptor.ref for item in window.items] == ["n4", "n1"]
    assert window.spans["shelf", "n4"] == Span(1, 4)


async def test_a_place_in_another_revision_is_no_place_in_this() -> None:
    found = Finding("n4", revision="older")
    window = await search(found).narrow("q", await candidates(), 2, fill=False)
    assert [item.descriptor.ref for item in window.items] == ["n4"]
    assert not window.spans


async def test_what_does_not_stand_for_choice_takes_no_place_of_what_does() -> None:
    found = Finding("n0", "n1", "gone", "n4")
    some = await candidates(skip=["n0", "n1"])
    window = await search(found).narrow("q", some, 2, fill=False)
    assert [item.descriptor.ref for item in window.items] == ["n4"]
    ((partitions, limit),) = found.asked
    assert (list(partitions.values()), limit) == ([None], 4)


async def test_a_window_may_be_filled_up_in_the_order_of_the_sources() -> None:
    window = await search(Finding("n4")).narrow("q", await candidates(), 3, fill=True)
    assert [item.descriptor.ref for item in window.items] == ["n4", "n0", "n1"]


async def test_where_all_have_a_place_all_are_in_the_window() -> None:
    window = await search(Finding("n4")).narrow("q", await candidates(), 6, fill=False)
    assert [item.descriptor.ref for item in window.items] == ["n4", "n0", "n1", "n2", "n3", "n5"]


@pytest.mark.parametrize("query", ["", "  \n"])
async def test_an_empty_query_is_not_searched_for(query: str) -> None:
    found = Finding("n4")
    window = await search(found).narrow(query, await candidates(), 2, fill=False)
    assert [item.descriptor.ref for item in window.items] == ["n0", "n1"]
    assert not found.asked


async def test_why_meaning_was_not_searched_is_told() -> None:
    found = Finding("n4", problem="late")
    window = await search(found).narrow("q", await candidates(), 2, fill=False)
    assert [(each.code, each.detail) for each in window.diagnostics] == [
        ("hybrid_unavailable", "late")
    ]
