from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agentmaker.errors import ConfigError, SourceError
from agentmaker.tasks.context import TaskContext
from agentmaker.tasks.package import ContextPackage
from agentmaker.tasks.source import Page
from tests.tasks.shelf import Shelf

pytestmark = pytest.mark.anyio

ANIMALS = {
    "cats.md": "Cats sleep most of the day.",
    "dogs.md": "Dogs want to be walked twice a day.",
    "fish.md": "Fish are fed on Sundays.",
}


def task_of(*sources: Shelf) -> TaskContext:
    task = TaskContext()
    for source in sources:
        task.attach(source)
    return task


def shown(package: ContextPackage) -> list[str]:
    return [ref.ref for ref in package.refs]


async def test_what_the_words_of_the_query_hit_comes_first() -> None:
    package = await task_of(Shelf(ANIMALS)).reader(consumer="writer").read("when are fish fed")
    assert shown(package)[0] == "fish.md"
    assert "fed on Sundays" in package.text


async def test_a_chinese_query_finds_the_chinese_text() -> None:
    shelf = Shelf({"a": "猫整天睡觉。", "b": "鱼在星期天喂食。", "c": "狗要出门。"})
    package = await task_of(shelf).reader(consumer="writer", max_blocks=1).read("什么时候喂食")
    assert shown(package) == ["b"]


async def test_without_a_query_things_come_by_priority_then_as_their_source_has_them() -> None:
    shelf = Shelf(ANIMALS, told={"dogs.md": {"priority": 5}})
    package = await task_of(shelf).reader(consumer="writer").read("")
    assert shown(package) == ["dogs.md", "cats.md", "fish.md"]


async def test_a_structural_task_never_reads_more_than_it_shows() -> None:
    shelf = Shelf(ANIMALS)
    task = task_of(shelf)
    task.configure_index(strategy="structural")
    package = await task.reader(consumer="writer", max_blocks=1).read("fish")
    assert shown(package) == ["cats.md"]
    assert shelf.reads == ["cats.md"]


async def test_what_is_not_hit_is_not_shown_where_there_is_more_than_a_window_of_it() -> None:
    texts = {f"note {number}": "Nothing about it." for number in range(30)}
    shelf = Shelf({**texts, "fish.md": ANIMALS["fish.md"]})
    package = await task_of(shelf).reader(consumer="writer", max_blocks=4).read("fish sundays")
    assert shown(package) == ["fish.md"]
    assert package.omission_counts == {"not_selected": 30}


async def test_a_query_that_hits_nothing_of_much_shows_nothing_and_says_so() -> None:
    shelf = Shelf({f"note {number}": "Nothing about it." for number in range(30)})
    package = await task_of(shelf).reader(consumer="writer", max_blocks=4).read("zebra")
    assert not package.blocks
    assert "no_match" in [each.code for each in package.diagnostics]


async def test_a_consumer_or_filters_that_leave_nothing_are_told() -> None:
    task = TaskContext()
    task.attach(Shelf(ANIMALS), consumers=["writer"])
    misspelt = await task.reader(consumer="wirter").read("fish")
    filtered = await task.reader(consumer="writer").read("fish", roles=["recrod"])
    told = [each.detail for each in (*misspelt.diagnostics, *filtered.diagnostics)]
    assert told == [
        "nothing is bound for this consumer, or its sources are empty",
        "the filters leave none of 3",
    ]


async def test_without_a_selector_the_order_of_the_index_holds_and_the_package_says_so() -> None:
    package = await task_of(Shelf(ANIMALS)).reader(consumer="writer").read("fish")
    assert [each.code for each in package.diagnostics] == ["semantic_selector_unavailable"]


async def test_a_task_without_sources_gives_an_empty_package() -> None:
    package = await TaskContext().reader(consumer="writer").read("anything")
    assert (package.blocks, package.omissions, package.text) == ((), (), "")


async def test_required_things_come_first_whatever_is_asked() -> None:
    shelf = Shelf(ANIMALS, told={"cats.md": {"required": True}})
    package = await task_of(shelf).reader(consumer="writer").read("fish", paths=["fish.md"])
    assert shown(package) == ["cats.md", "fish.md"]
    assert package.blocks[0].required


async def test_named_refs_come_before_what_is_found_and_outside_the_filters() -> None:
    reader = task_of(Shelf(ANIMALS)).reader(consumer="writer")
    package = await reader.read("fish", paths=["fish.*"], refs=["dogs.md"])
    assert shown(package) == ["dogs.md", "fish.md"]


async def test_a_ref_that_nobody_has_is_told() -> None:
    reader = task_of(Shelf(ANIMALS)).reader(consumer="writer")
    package = await reader.read("fish", refs=["../secret"], paths=["fish.md"])
    assert [(each.code, each.ref) for each in package.diagnostics] == [("unknown_ref", "../secret")]


async def test_a_path_in_brackets_is_that_path_and_no_pattern() -> None:
    shelf = Shelf({"app/[id].tsx": "cats", "app/i.tsx": "cats", "app/d.tsx": "cats"})
    package = await task_of(shelf).reader(consumer="writer").read("cats", paths=["app/[id].tsx"])
    assert shown(package) == ["app/[id].tsx"]
    assert not package.diagnostics, "one candidate is not chosen from"


async def test_what_a_failing_source_has_in_the_index_takes_no_place_of_others() -> None:
    class Moody(Shelf):
        well = True

        async def pages(self) -> AsyncIterator[Page]:
            if not self.well:
                raise ConnectionError
            async for page in super().pages():
                yield page

    moody = Moody({f"m{number}": "cats" for number in range(9)}, id="moody")
    others = Shelf({f"n{number}": f"cats among other words {number}" for number in range(9)})
    reader = task_of(moody, others).reader(consumer="writer", max_blocks=3)
    await reader.read("cats")
    moody.well = False
    assert len((await reader.read("cats")).blocks) == 3


async def test_filters_by_path_role_and_binding_leave_what_matches() -> None:
    first = Shelf(ANIMALS, id="first", told={"cats.md": {"role": "skill"}})
    second = Shelf({"cats.md": "Other cats."}, id="second")
    reader = task_of(first, second).reader(consumer="writer")
    by_role = await reader.read("cats", roles=["skill"])
    by_binding = await reader.read("cats", bindings=["second"])
    by_path = await reader.read("cats", paths=["c*"], bindings="first")
    assert [ref.binding_id for ref in by_binding.refs] == ["second"]
    assert [ref.source_id for ref in by_role.refs] == ["first"]
    assert shown(by_path) == ["cats.md"]


async def test_two_stars_stand_for_no_folder_too() -> None:
    shelf = Shelf({"a.md": "one", "deep/b.md": "two", "c.txt": "three"})
    package = await task_of(shelf).reader(consumer="writer").read("", paths=["**/*.md"])
    assert shown(package) == ["a.md", "deep/b.md"]


async def test_skipped_refs_are_left_out_and_named() -> None:
    package = await task_of(Shelf(ANIMALS)).reader(consumer="writer").read("", skip=["cats.md"])
    assert shown(package) == ["dogs.md", "fish.md"]
    assert [(each.ref, each.reason) for each in package.omissions] == [
        ("cats.md", "explicitly_skipped")
    ]


async def test_a_consumer_sees_only_what_is_bound_for_it() -> None:
    task = TaskContext()
    task.attach(Shelf(ANIMALS, id="open"))
    task.attach(Shelf({"keys": "The secret is swordfish."}, id="closed"), consumers=["auditor"])
    hidden = await task.reader(consumer="writer").read("secret", refs=["keys"])
    assert "swordfish" not in json.dumps(hidden.to_dict())
    assert hidden.coverage.authorised == 3
    assert [(each.ref, each.reason) for each in hidden.omissions] == [("keys", "unauthorized")]
    assert '"closed"' not in json.dumps(hidden.to_dict())
    absent = await task.reader(consumer="writer").read("secret", refs=["nowhere"])
    assert repr(absent.omissions).replace("nowhere", "keys") == repr(hidden.omissions)
    assert repr(absent.diagnostics).replace("nowhere", "keys") == repr(hidden.diagnostics)
    seen = await task.reader(consumer="auditor").read("secret")
    assert "swordfish" in seen.text


async def test_what_is_hidden_from_a_consumer_does_not_change_its_packages() -> None:
    task = TaskContext()
    task.attach(Shelf(ANIMALS), consumers=["writer", "auditor"])
    writer, auditor = task.reader(consumer="writer"), task.reader(consumer="auditor")
    alone = await writer.read("secret cats")
    assert alone.revision == task.revision
    closed = Shelf({"keys": "The secret is swordfish."}, id="closed")
    task.attach(closed, consumers=["auditor"])
    seen = await auditor.read("secret cats")
    assert await writer.read("secret cats") == alone
    closed.texts["more"] = "Another secret."
    assert await writer.read("secret cats") == alone
    assert (await auditor.read("secret cats")).revision == task.revision != seen.revision


@pytest.mark.parametrize("name", ["shelf", "other"])
async def test_a_binding_of_another_consumer_is_refused_as_one_there_is_not(name: str) -> None:
    task = TaskContext()
    task.attach(Shelf(ANIMALS), consumers=["auditor"])
    with pytest.raises(ConfigError, match=f"'writer' has no binding '{name}'"):
        await task.reader(consumer="writer").read("cats", bindings=[name])


async def test_a_model_is_told_nothing_of_what_it_may_not_see() -> None:
    task = TaskContext()
    task.attach(Shelf({"keys": "42"}), consumers=["auditor"])
    package = await task.reader(consumer="writer").read("", refs=["keys"])
    assert package.text == ""


async def test_a_source_that_is_bound_twice_is_shown_once() -> None:
    shelf = Shelf(ANIMALS)
    task = TaskContext()
    task.attach(shelf, binding_id="one")
    task.attach(shelf, binding_id="two")
    package = await task.reader(consumer="writer").read("")
    assert [ref.binding_id for ref in package.refs] == ["one"] * 3
    assert package.coverage.authorised == 3


@pytest.mark.parametrize("bindings", [(), ("free",), ("needed",)])
async def test_a_source_that_one_of_its_bindings_requires_is_shown_whole(
    bindings: tuple[str, ...],
) -> None:
    shelf = Shelf(ANIMALS)
    task = TaskContext()
    task.attach(shelf, binding_id="free")
    task.attach(shelf, binding_id="needed", required=True)
    reader = task.reader(consumer="writer", max_blocks=1)
    package = await reader.read("fish", bindings=bindings)
    assert sorted(shown(package)) == sorted(ANIMALS)


async def test_what_was_seen_through_one_binding_is_not_shown_again_through_another() -> None:
    shelf = Shelf(ANIMALS)
    task = TaskContext()
    task.attach(shelf, binding_id="one")
    task.attach(shelf, binding_id="two")
    reader = task.reader(consumer="writer")
    first = await reader.read("cats", bindings="one", paths="cats.md")
    second = await reader.read("", bindings="two", seen=[first])
    assert shown(second) == ["dogs.md", "fish.md"]


async def test_a_child_is_left_out_when_its_parent_is_shown_whole() -> None:
    shelf = Shelf(
        {"book#1": "Chapter one.", "book": "Chapter one. Chapter two."},
        told={"book#1": {"parent": "book"}},
    )
    package = await task_of(shelf).reader(consumer="writer").read("")
    assert shown(package) == ["book"]
    assert package.omission_counts == {"covered_by_complete_parent": 1}


async def test_what_was_seen_completely_is_not_shown_again_when_told_so() -> None:
    shelf = Shelf(ANIMALS)
    reader = task_of(shelf).reader(consumer="writer")
    first = await reader.read("", refs=["cats.md"], paths=["cats.md"])
    second = await reader.read("", seen=[first])
    assert shown(second) == ["dogs.md", "fish.md"]
    assert second.omission_counts == {"already_disclosed": 1}
    shelf.texts["cats.md"] = "Cats hunt at night."
    third = await reader.read("", seen=[first])
    assert "hunt at night" in third.text


async def test_an_empty_thing_is_a_block_without_text() -> None:
    package = await task_of(Shelf({"blank": ""})).reader(consumer="writer").read("")
    assert [block.completeness for block in package.blocks] == ["empty"]
    assert (package.coverage.disclosed, package.text) == (0, "")


async def test_required_things_are_all_shown_though_there_are_more_than_blocks() -> None:
    task = TaskContext()
    task.attach(Shelf(ANIMALS), required=True)
    package = await task.reader(consumer="writer", max_blocks=1).read("fish")
    assert sorted(shown(package)) == sorted(ANIMALS)


async def test_named_things_beyond_the_blocks_are_left_out() -> None:
    reader = task_of(Shelf(ANIMALS)).reader(consumer="writer", max_blocks=1)
    package = await reader.read("", refs=["fish.md", "dogs.md"])
    assert shown(package) == ["fish.md"]
    assert package.omission_counts == {"block_budget_exhausted": 2}


async def test_many_omissions_are_counted_and_only_the_first_are_listed() -> None:
    shelf = Shelf({f"{number}": "text" for number in range(1_000)})
    task = task_of(shelf)
    task.configure_index(strategy="structural")
    package = await task.reader(consumer="writer", max_blocks=2).read("")
    assert package.omission_counts == {"selection_budget_exhausted": 998}
    assert len(package.omissions) == 256
    assert package.omitted.count("\n- ") == 8


async def test_the_same_question_gives_the_same_bytes() -> None:
    reader = task_of(Shelf(ANIMALS)).reader(consumer="writer", budget_tokens=300)
    one, two = [json.dumps((await reader.read("dogs")).to_dict()) for _ in range(2)]
    assert one == two


def test_another_process_gives_the_same_bytes() -> None:
    code = (
        "import anyio, json; from tests.tasks.shelf import Shelf; "
        "from agentmaker import TaskContext; "
        "task = TaskContext(); "
        "task.attach(Shelf({str(n): f'dogs {n} cats' for n in range(40)})); "
        "task.put('dogs bark', title='x', consumers=['a', 'b', 'writer', 'c']); "
        "reader = task.reader(consumer='writer', budget_tokens=400); "
        "print(json.dumps(anyio.run(reader.read, 'dogs').to_dict()))"
    )
    root = Path(__file__).parents[2]
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            check=True,
            cwd=root,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(root)},
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1
    assert json.loads(outputs.pop())["blocks"]


async def test_a_query_is_a_string() -> None:
    reader = task_of(Shelf(ANIMALS)).reader(consumer="writer")
    with pytest.raises(TypeError, match="a query is a string, not int"):
        await reader.read(7)  # type: ignore[arg-type]


async def test_what_was_seen_is_a_list_of_packages_and_a_plan_is_a_plan() -> None:
    reader = task_of(Shelf(ANIMALS)).reader(consumer="writer")
    package = await reader.read("cats")
    for seen in (package, ["cats"], 1):
        with pytest.raises(ConfigError, match=r"write seen=\[package\]"):
            await reader.read("cats", seen=seen)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match=r"list is no plan: give RetrievalPlan\("):
        await reader.retrieve(["cats"])  # type: ignore[arg-type]


@pytest.mark.parametrize("filters", [{"paths": [1]}, {"refs": [None]}, {"skip": [b"x"]}])
async def test_filters_are_strings(filters: dict[str, list[str]]) -> None:
    reader = task_of(Shelf(ANIMALS)).reader(consumer="writer")
    with pytest.raises(ConfigError, match="are strings"):
        await reader.read("x", **filters)


async def test_a_required_source_that_fails_stops_the_read() -> None:
    class Broken(Shelf):
        async def pages(self):  # type: ignore[no-untyped-def]
            raise OSError("the disk is on fire")
            yield

    task = TaskContext()
    task.attach(Broken({}), required=True)
    with pytest.raises(SourceError, match=r"'shelf' failed \(OSError\)"):
        await task.reader(consumer="writer").read("x")
