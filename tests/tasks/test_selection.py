from __future__ import annotations

from collections.abc import Iterable
from itertools import repeat
from typing import Any

import anyio
import pytest

from agentmaker.errors import ConfigError
from agentmaker.tasks.context import TaskContext
from agentmaker.tasks.package import ContextPackage
from agentmaker.tasks.selection import SelectionRequest, Selector
from agentmaker.tasks.sources.records import RecordsSource
from tests.tasks.shelf import Shelf

pytestmark = pytest.mark.anyio

TEXTS = {f"n{number}": f"cats number {number}" for number in range(6)}


class Picking:
    """Takes the candidates at *places*, and remembers what it was asked."""

    def __init__(self, *places: int) -> None:
        self.places = places
        self.asked: list[SelectionRequest] = []

    async def __call__(self, request: SelectionRequest) -> list[str]:
        self.asked.append(request)
        return [request.candidates[place].key for place in self.places]


async def read(
    selector: Selector,
    shelf: Shelf | None = None,
    *,
    seconds: float | None = None,
    **options: Any,
) -> ContextPackage:
    task = TaskContext(source_timeout=seconds)
    task.attach(shelf or Shelf(TEXTS))
    reader = task.reader(consumer="writer", semantic_selector=selector, **options)
    return await reader.read("cats")


def refs(package: ContextPackage) -> list[str]:
    return [ref.ref for ref in package.refs]


async def test_a_selector_chooses_an_ordered_subset() -> None:
    picking = Picking(3, 1)
    package = await read(picking)
    offered = [each.label for each in picking.asked[0].candidates]
    assert [block.label for block in package.blocks] == [offered[3], offered[1]]
    assert package.omission_counts == {"not_selected": 4}
    assert not package.diagnostics


async def test_a_selector_may_leave_out_everything() -> None:
    package = await read(Picking())
    assert (package.blocks, package.omission_counts) == ((), {"not_selected": 6})


async def test_a_selector_is_told_who_asks_and_shown_no_refs_and_no_text() -> None:
    picking = Picking(0)
    shelf = Shelf(
        {"secret/place": "cats hidden", "b": "cats"},
        told={"secret/place": {"title": "Cats", "summary": "All on cats.", "role": "note"}},
    )
    await read(picking, shelf, phase="review", budget_tokens=500)
    (request,) = picking.asked
    assert (request.consumer, request.phase, request.query) == ("writer", "review", "cats")
    assert request.budget == 500
    assert "secret" not in repr(request)
    assert "hidden" not in repr(request)
    assert {each.summary for each in request.candidates} == {"All on cats.", ""}


async def test_sources_of_one_kind_are_told_apart_by_a_number() -> None:
    picking, task = Picking(0, 1, 2), TaskContext()
    for source in ("one", "two"):
        task.attach(Shelf({"a": "cats"}, id=source))
    task.attach(Shelf({"b": "cats"}, id="hidden"), consumers=["auditor"])
    task.attach(RecordsSource([{"id": "c"}], key="id"))
    task.attach(task.snapshot().bound[0].binding.source, binding_id="again")
    package = await task.reader(consumer="writer", semantic_selector=picking).read("cats")
    labels = ["shelf 1: a", "shelf 2: a", "records: c"]
    assert sorted(each.label for each in picking.asked[0].candidates) == sorted(labels)
    assert sorted(block.label for block in package.blocks) == sorted(labels)


async def test_never_more_candidates_than_the_window() -> None:
    picking = Picking()
    await read(picking, max_blocks=3)
    assert len(picking.asked[0].candidates) == 3


async def test_the_window_is_filled_up_for_a_selector_with_what_the_words_do_not_hit() -> None:
    picking = Picking(1)
    shelf = Shelf({"a": "felines", "b": "cats", **{f"x{n}": "dogs" for n in range(9)}})
    await read(picking, shelf, max_blocks=3)
    assert [each.label for each in picking.asked[0].candidates] == [
        "shelf: b",
        "shelf: a",
        "shelf: x0",
    ]


async def test_a_single_candidate_is_taken_without_asking() -> None:
    picking = Picking()
    package = await read(picking, Shelf({"a": "dogs"}))
    assert (refs(package), picking.asked) == (["a"], [])


async def test_an_exact_path_with_one_candidate_is_taken_without_asking() -> None:
    picking = Picking()
    task = TaskContext()
    task.attach(Shelf(TEXTS))
    reader = task.reader(consumer="writer", semantic_selector=picking)
    package = await reader.read("dogs", paths=["n4"])
    assert (refs(package), picking.asked) == (["n4"], [])


async def test_required_things_are_not_for_a_selector_to_choose() -> None:
    picking = Picking()
    package = await read(picking, Shelf(TEXTS, told={"n0": {"required": True}}))
    assert refs(package) == ["n0"]
    assert len(picking.asked[0].candidates) == 5
    assert picking.asked[0].max_blocks == 15


async def test_a_plain_function_is_a_selector_too() -> None:
    package = await read(lambda request: [request.candidates[0].key])
    assert len(package.blocks) == 1


@pytest.mark.parametrize(
    "answer", [["c1", "nothing"], ["c1", "c1"], "c1", 7, [1], None, ["n1"], {"c1": 1}.items()]
)
async def test_an_answer_that_is_no_choice_chooses_nothing(answer: Any) -> None:
    package = await read(lambda request: answer)
    assert not package.blocks
    assert package.omission_counts == {"selection_invalid": 6}
    assert [each.code for each in package.diagnostics] == ["selection_invalid"]


async def test_a_choice_without_an_end_chooses_nothing() -> None:
    package = await read(lambda request: repeat("c1"))
    assert package.omission_counts == {"selection_invalid": 6}


async def test_a_choice_that_fails_while_it_is_gone_through_chooses_nothing() -> None:
    def choose(request: SelectionRequest) -> Iterable[str]:
        yield "c1"
        raise OSError("secret words")

    package = await read(choose)
    assert package.omission_counts == {"selection_failed": 6}
    assert [each.detail for each in package.diagnostics] == ["OSError"]


async def test_a_selector_is_shown_the_beginning_of_a_long_summary() -> None:
    picking = Picking()
    await read(picking, Shelf(TEXTS, told={"n0": {"summary": "long " * 100_000}}))
    assert max(len(each.summary) for each in picking.asked[0].candidates) == 1_000


async def test_a_selector_that_fails_chooses_nothing_and_its_words_are_kept_out() -> None:
    def fail(request: SelectionRequest) -> Iterable[str]:
        raise RuntimeError("key sk-123")

    package = await read(fail)
    assert package.omission_counts == {"selection_failed": 6}
    assert [(each.code, each.detail) for each in package.diagnostics] == [
        ("selection_failed", "RuntimeError")
    ]


async def test_a_selector_that_is_late_chooses_nothing() -> None:
    async def hang(request: SelectionRequest) -> Iterable[str]:
        await anyio.sleep_forever()
        return []

    package = await read(hang, seconds=0.05)
    assert package.omission_counts == {"selection_failed": 6}
    assert package.diagnostics[0].detail == "late"


async def test_a_failing_selector_does_not_cost_what_is_required() -> None:
    package = await read(lambda request: ["bad"], Shelf(TEXTS, told={"n0": {"required": True}}))
    assert refs(package) == ["n0"]


async def test_the_same_candidates_are_not_asked_about_twice_when_a_read_begins_anew() -> None:
    async def change(ref: str) -> None:
        if len(shelf.reads) > len(TEXTS) and "!" not in shelf.texts[ref]:
            shelf.texts[ref] += "!"

    shelf = Shelf(TEXTS, before=change)
    picking = Picking(0, 1)
    package = await read(picking, shelf)
    assert len(picking.asked) == 1
    assert all(block.text.endswith("!") for block in package.blocks)


async def test_cancelling_passes_through_a_selector() -> None:
    async def hang(request: SelectionRequest) -> Iterable[str]:
        scope.cancel()
        await anyio.sleep_forever()
        return []

    with anyio.CancelScope() as scope:
        await read(hang)
    assert scope.cancelled_caught


@pytest.mark.parametrize("selector", ["model", 7, dict])
def test_what_cannot_be_called_is_no_selector(selector: Any) -> None:
    with pytest.raises(ConfigError, match="semantic_selector is a function"):
        TaskContext().reader(consumer="writer", semantic_selector=selector)
