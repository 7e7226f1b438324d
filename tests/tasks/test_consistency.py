from __future__ import annotations

import json
from typing import Any

import anyio
import pytest

from agentmaker.errors import SourceError
from agentmaker.tasks.context import TaskContext
from agentmaker.tasks.package import ContextPackage
from agentmaker.tasks.source import Content
from tests.tasks.shelf import Shelf, revision_of

pytestmark = pytest.mark.anyio


def task_of(shelf: Shelf, **options: bool) -> TaskContext:
    task = TaskContext()
    task.attach(shelf, **options)  # type: ignore[arg-type]
    return task


def is_consistent(package: ContextPackage) -> bool:
    """Every text is of the revision that its ref names."""
    texts = {block.reference_id: block.text for block in package.blocks}
    return all(revision_of(texts[ref.reference_id]) == ref.revision for ref in package.refs)


async def test_a_changed_thing_changes_the_revision_and_only_its_block() -> None:
    shelf = Shelf({"a": "first text", "b": "second text"})
    reader = task_of(shelf).reader(consumer="writer")
    before = await reader.read("")
    shelf.texts["b"] = "second text, revised"
    after = await reader.read("")
    assert after.revision != before.revision
    assert after.blocks[0].text == before.blocks[0].text
    assert after.blocks[1].text == "second text, revised"
    assert after.refs[0].revision == before.refs[0].revision


async def test_a_thing_that_changes_while_it_is_read_is_read_anew_at_the_new_revision() -> None:
    async def change_once(ref: str) -> None:
        if "revised" not in shelf.texts["b"] and len(shelf.reads) > 2:
            shelf.texts["b"] = "b, revised"

    shelf = Shelf({"a": "a, as it was", "b": "b, as it was"}, before=change_once)
    package = await task_of(shelf).reader(consumer="writer").read("")
    assert [block.text for block in package.blocks] == ["a, as it was", "b, revised"]
    assert is_consistent(package)


async def test_a_thing_deleted_while_it_is_read_is_simply_gone() -> None:
    async def delete(ref: str) -> None:
        if len(shelf.reads) > 2:
            shelf.texts.pop("b", None)

    shelf = Shelf({"a": "one", "b": "two"}, before=delete)
    package = await task_of(shelf).reader(consumer="writer").read("")
    assert [ref.ref for ref in package.refs] == ["a"]
    assert not package.omissions


async def test_a_thing_that_never_stands_still_is_left_out_and_the_rest_is_consistent() -> None:
    async def change(ref: str) -> None:
        if ref == "b":
            shelf.texts["b"] += "!"

    shelf = Shelf({"a": "one", "b": "two"}, before=change)
    package = await task_of(shelf).reader(consumer="writer").read("")
    assert [ref.ref for ref in package.refs] == ["a"]
    assert [(each.ref, each.reason) for each in package.omissions] == [("b", "read_failed")]
    assert "revision_untrue" in [each.code for each in package.diagnostics]


async def test_a_source_that_lies_of_a_revision_is_found_out_by_the_second_look() -> None:
    shelf = Shelf({"a": "one", "b": "two"}, told={"b": {"revision": "made up"}})
    package = await task_of(shelf).reader(consumer="writer").read("")
    assert [ref.ref for ref in package.refs] == ["a"]
    assert [each.code for each in package.diagnostics if each.ref] == ["revision_untrue"]
    assert shelf.looks == 2


async def test_a_source_that_lies_of_a_size_is_told_and_its_text_is_shown() -> None:
    shelf = Shelf({"a": "one"}, told={"a": {"size": 1_000_000}})
    package = await task_of(shelf).reader(consumer="writer").read("")
    assert [block.text for block in package.blocks] == ["one"]
    assert [each.code for each in package.diagnostics] == ["size_untrue"]


@pytest.mark.parametrize(
    "content",
    [
        Content(text="one", revision=revision_of("one"), start=0, total=1),
        Content(text="one", revision=revision_of("one"), start=2, total=5),
        Content(text="one", revision=revision_of("one"), start=0, total=float("inf")),  # type: ignore[arg-type]
        Content(text=b"one", revision=revision_of("one"), start=0, total=3),  # type: ignore[arg-type]
        "one",
        None,
    ],
)
async def test_a_read_that_gives_something_else_is_left_out(content: Any) -> None:
    async def read(ref: str, *, start: int = 0, limit: int = 0) -> Content:
        return content  # type: ignore[no-any-return]

    shelf = Shelf({"a": "one"})
    shelf.read = read  # type: ignore[method-assign]
    package = await task_of(shelf).reader(consumer="writer").read("")
    assert not package.blocks
    assert package.omission_counts == {"read_failed": 1}


async def test_a_required_thing_that_cannot_be_read_stops_the_read() -> None:
    async def burn(ref: str) -> None:
        raise OSError("the disk is on fire")

    shelf = Shelf({"a": "one"}, before=burn)
    with pytest.raises(SourceError, match="OSError"):
        await task_of(shelf, required=True).reader(consumer="writer").read("")


async def test_a_thing_that_cannot_be_read_is_left_out_without_its_words() -> None:
    async def burn(ref: str) -> None:
        if ref == "a":
            raise OSError("secret words")

    shelf = Shelf({"a": "one", "b": "two"}, before=burn)
    package = await task_of(shelf).reader(consumer="writer").read("")
    assert [(each.ref, each.reason, each.detail) for each in package.omissions] == [
        ("a", "read_failed", "OSError")
    ]
    assert "secret words" not in json.dumps(package.to_dict())


async def test_many_things_that_cannot_be_read_cost_one_more_look_in_all() -> None:
    async def burn(ref: str) -> None:
        if ref != "ok":
            raise OSError

    shelf = Shelf({**{f"bad {n}": "x" for n in range(8)}, "ok": "fine"}, before=burn)
    task = task_of(shelf)
    task.configure_index(strategy="structural")
    package = await task.reader(consumer="writer").read("")
    assert [ref.ref for ref in package.refs] == ["ok"]
    assert package.omission_counts == {"read_failed": 8}
    assert shelf.looks == 2


async def test_a_source_that_hangs_costs_its_time_and_nothing_else() -> None:
    async def hang(ref: str) -> None:
        if ref == "a":
            await anyio.sleep_forever()

    task = TaskContext(source_timeout=0.02)
    shelf = Shelf({"a": "one", "b": "two"}, before=hang)
    task.attach(shelf)
    package = await task.reader(consumer="writer").read("")
    assert [ref.ref for ref in package.refs] == ["b"]
    assert [each.detail for each in package.omissions] == ["late"]
    assert shelf.looks == 1, "waiting for it once more would not help"


async def test_a_source_that_fails_is_told_and_comes_back_when_it_is_well() -> None:
    class Moody(Shelf):
        well = True

        async def pages(self):  # type: ignore[no-untyped-def]
            if not self.well:
                raise ConnectionError("no route")
            async for page in super().pages():
                yield page

    moody = Moody({"a": "one"}, id="moody")
    task = task_of(Shelf({"b": "two"}))
    task.attach(moody)
    reader = task.reader(consumer="writer")
    well = await reader.read("")
    moody.well = False
    ill = await reader.read("")
    moody.well = True
    again = await reader.read("")
    assert [ref.ref for ref in ill.refs] == ["b"]
    assert [(each.code, each.detail) for each in ill.diagnostics] == [
        ("source_failed", "ConnectionError")
    ]
    assert again == well
    assert moody.reads.count("a") == 3, "what was indexed is not indexed again"


async def test_a_hundred_readers_are_each_consistent_while_sources_change() -> None:
    shelf = Shelf({f"n{number}": f"cats, version 0 of {number}" for number in range(12)})
    task = task_of(shelf)
    packages: list[ContextPackage] = []

    async def read(number: int) -> None:
        reader = task.reader(consumer=f"reader {number % 7}", max_blocks=6)
        packages.append(await reader.read("cats version"))

    async def change() -> None:
        for version in range(1, 30):
            shelf.texts[f"n{version % 12}"] = f"cats, version {version} of {version % 12}"
            await anyio.lowlevel.checkpoint()

    async with anyio.create_task_group() as group:
        for number in range(100):
            group.start_soon(read, number)
            if number == 50:
                group.start_soon(change)
    assert len(packages) == 100
    assert all(map(is_consistent, packages))
    by_revision: dict[str, set[tuple[str, str]]] = {}
    for package in packages:
        seen = by_revision.setdefault(package.revision, set())
        seen.update((ref.ref, ref.revision) for ref in package.refs)
    for items in by_revision.values():
        assert len({ref for ref, _ in items}) == len(items), "a revision has one of each"
    assert shelf.looks < 100, "readers share a refresh"


async def test_a_cancelled_reader_leaves_the_others_their_refresh() -> None:
    gate = anyio.Event()
    scope = anyio.CancelScope()
    entered = anyio.Event()
    packages: list[ContextPackage] = []

    async def wait(ref: str) -> None:
        entered.set()
        await gate.wait()

    shelf = Shelf({"a": "one"}, before=wait)
    task = task_of(shelf)

    async def doomed() -> None:
        with scope:
            await task.reader(consumer="doomed").read("")

    async def other() -> None:
        packages.append(await task.reader(consumer="other").read(""))

    async with anyio.create_task_group() as group:
        group.start_soon(doomed)
        await entered.wait()
        for _ in range(3):
            group.start_soon(other)
        await anyio.wait_all_tasks_blocked()
        scope.cancel()
        await anyio.wait_all_tasks_blocked()
        gate.set()
    assert [package.blocks[0].text for package in packages] == ["one"] * 3
    assert shelf.looks == 2, "the one that was cancelled, and the one for all others"


async def test_something_attached_while_sources_are_asked_is_asked_as_well() -> None:
    async def attach(ref: str) -> None:
        if ref == "a" and len(task.source_catalog()) == 1:
            task.attach(Shelf({"b": "two"}, id="late"))

    task = task_of(Shelf({"a": "one"}, before=attach))
    package = await task.reader(consumer="writer").read("")
    assert [ref.ref for ref in package.refs] == ["a", "b"]
    assert "source_failed" not in [each.code for each in package.diagnostics]
