from __future__ import annotations

from typing import Any

import pytest

from agentmaker.errors import ConfigError
from agentmaker.tasks.context import TaskContext
from agentmaker.tasks.plan import QueryGroup, RetrievalPlan
from tests.tasks.shelf import Shelf

TEXTS = {
    **{f"cats/{number}": f"cats number {number}" for number in range(6)},
    **{f"dogs/{number}": f"dogs number {number}" for number in range(6)},
    "both": "cats and dogs",
}


def task() -> TaskContext:
    task = TaskContext()
    task.attach(Shelf(TEXTS))
    return task


@pytest.mark.anyio
async def test_a_plan_answers_each_query_in_one_package() -> None:
    plan = RetrievalPlan(
        [
            QueryGroup("cats", paths=["cats/*"], max_results=2),
            QueryGroup("dogs", paths="dogs/*", max_results=3),
        ]
    )
    package = await task().reader(consumer="writer").retrieve(plan)
    groups = package.metadata["groups"]
    refs = {ref.reference_id: ref.ref for ref in package.refs}
    assert [{refs[name][:4] for name in group} for group in groups] == [{"cats"}, {"dogs"}]
    assert list(map(len, groups)) == [2, 3]
    assert package.query == "cats\ndogs"


@pytest.mark.anyio
async def test_the_best_of_each_query_comes_before_the_second_best_of_any() -> None:
    plan = RetrievalPlan(
        [QueryGroup("cats", paths="cats/*", max_results=3), QueryGroup("dogs", paths="dogs/*")]
    )
    package = await task().reader(consumer="writer", budget_tokens=100).retrieve(plan)
    assert [ref.ref[:4] for ref in package.refs][:2] == ["cats", "dogs"]


@pytest.mark.anyio
async def test_what_two_queries_find_is_shown_once() -> None:
    plan = RetrievalPlan([QueryGroup("cats and dogs", max_results=1), QueryGroup("dogs cats")])
    package = await task().reader(consumer="writer").retrieve(plan)
    refs = [ref.ref for ref in package.refs]
    assert len(refs) == len(set(refs))
    both = next(ref.reference_id for ref in package.refs if ref.ref == "both")
    assert all(both in group for group in package.metadata["groups"])


@pytest.mark.anyio
async def test_a_plan_sees_what_its_consumer_sees_and_no_more() -> None:
    closed = TaskContext()
    closed.attach(Shelf(TEXTS), consumers=["auditor"])
    package = await closed.reader(consumer="writer").retrieve(RetrievalPlan([QueryGroup("cats")]))
    assert not package.blocks


@pytest.mark.anyio
async def test_a_plan_may_show_more_than_the_blocks_of_one_read() -> None:
    plan = RetrievalPlan([QueryGroup("cats dogs number", max_results=12)])
    package = await task().reader(consumer="writer", max_blocks=1).retrieve(plan)
    assert len(package.blocks) == 12


def test_a_plan_reserves_sixty_four_results_at_most() -> None:
    assert RetrievalPlan([QueryGroup("cats", max_results=32)] * 2).groups
    with pytest.raises(ConfigError, match="reserves 65 results where 64 may be visible"):
        RetrievalPlan([QueryGroup("a", max_results=60), QueryGroup("b", max_results=5)])


@pytest.mark.parametrize("groups", [[], ["cats"], [QueryGroup("a"), None]])
def test_a_plan_is_a_list_of_groups(groups: Any) -> None:
    with pytest.raises(ConfigError, match="a plan is a list of groups"):
        RetrievalPlan(groups)


def test_a_group_that_cannot_be_is_refused() -> None:
    with pytest.raises(ConfigError, match="max_results"):
        QueryGroup("cats", max_results=0)
    with pytest.raises(ConfigError, match="paths are strings"):
        QueryGroup("cats", paths=[1])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="a query is a string"):
        QueryGroup(None)  # type: ignore[arg-type]


@pytest.mark.anyio
async def test_what_a_plan_leaves_out_is_counted_once_with_its_reason() -> None:
    full = RetrievalPlan(
        [QueryGroup("cats", paths="cats/*", max_results=2), QueryGroup("cats", max_results=3)]
    )
    package = await task().reader(consumer="writer").retrieve(full)
    left = 13 - len(package.refs)
    assert package.omission_counts == {"selection_budget_exhausted": left}
    assert (package.coverage.candidates, package.coverage.considered) == (13, len(package.refs))
    every = RetrievalPlan([QueryGroup("cats", paths="cats/*"), QueryGroup("dogs", paths="cats/*")])
    assert not (await task().reader(consumer="writer").retrieve(every)).omissions


@pytest.mark.anyio
async def test_what_two_bindings_of_one_source_find_is_shown_once() -> None:
    both, shelf = TaskContext(), Shelf(TEXTS)
    both.attach(shelf, binding_id="first")
    both.attach(shelf, binding_id="second")
    plan = RetrievalPlan(
        [
            QueryGroup("cats", bindings="first", max_results=7),
            QueryGroup("dogs cats", bindings="second", max_results=13),
        ]
    )
    package = await both.reader(consumer="writer").retrieve(plan)
    shown = {ref.ref: ref.reference_id for ref in package.refs}
    assert sorted(shown) == sorted(TEXTS)
    assert len(package.blocks) == package.coverage.candidates == len(TEXTS)
    assert not package.omissions
    assert all(shown["both"] in group for group in package.metadata["groups"])
