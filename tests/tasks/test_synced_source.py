from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import anyio
import pytest

from agentmaker.errors import ConfigError, StoreError
from agentmaker.memory.index import Index
from agentmaker.scope import Scope
from agentmaker.tasks import enumeration
from agentmaker.tasks.context import TaskContext
from agentmaker.tasks.source import Changes, Descriptor, Page, Problem
from agentmaker.tasks.sources.records import RecordsSource
from tests.tasks.shelf import Shelf

pytestmark = pytest.mark.anyio


class Feed(Shelf):
    """A shelf that tells what changed."""

    def __init__(self, texts: Mapping[str, str], **options: str) -> None:
        super().__init__(texts, **options)  # type: ignore[arg-type]
        self.asked: list[set[str]] = []

    async def changes(self, known: Mapping[str, Descriptor]) -> Changes:
        self.asked.append(set(known))
        now = {ref: self.descriptor(ref) for ref in self.texts}
        return Changes(
            descriptors=[each for ref, each in now.items() if known.get(ref) != each],
            gone=[ref for ref in known if ref not in now],
        )


def texts(number: int) -> dict[str, str]:
    return {f"note {place}": f"cats, number {place}" for place in range(number)}


async def test_only_what_changed_is_read_and_put() -> None:
    shelf = Shelf(texts(20))
    task = TaskContext()
    task.attach(shelf)
    first = await task.refresh()
    shelf.reads.clear()
    shelf.texts["note 3"] = "dogs"
    del shelf.texts["note 4"]
    second = await task.refresh()
    third = await task.refresh()
    assert len(first.changed["shelf"]) == 20
    assert (second.changed, second.gone) == ({"shelf": ("note 3",)}, {"shelf": ("note 4",)})
    assert shelf.reads == ["note 3"]
    assert not third


async def test_a_source_that_tells_changes_is_asked_for_nothing_else() -> None:
    feed = Feed(texts(5))
    task = TaskContext()
    task.attach(feed)
    await task.refresh()
    feed.texts["note 9"] = "new"
    changed = await task.refresh()
    assert (feed.looks, feed.asked) == (0, [set(), set(texts(5))])
    assert changed.changed == {"shelf": ("note 9",)}


async def test_what_a_feed_tells_has_the_same_revision_however_it_came() -> None:
    feed = Feed(texts(12))
    gradual, at_once = TaskContext(), TaskContext()
    gradual.attach(feed)
    await gradual.refresh()
    del feed.texts["note 2"]
    await gradual.refresh()
    feed.texts["note 2"] = "cats, number 2"
    await gradual.refresh()
    at_once.attach(feed)
    await at_once.refresh()
    assert gradual.revision == at_once.revision
    refs = list(gradual.snapshot().bound[0].descriptors)
    assert refs == [f"note {place}" for place in range(12)], "numbers are put in their order"


async def test_a_stored_index_is_reopened_without_reading_anything(tmp_path: Path) -> None:
    feed = Feed(texts(8))
    async with TaskContext(index=tmp_path / "index.db") as task:
        task.attach(feed)
        await task.refresh()
        revision = task.revision
    feed.reads.clear()
    async with TaskContext(index=tmp_path / "index.db") as task:
        task.attach(feed)
        package = await task.reader(consumer="writer", max_blocks=1).read("number 7")
    assert feed.asked[1] == set(texts(8))
    assert feed.reads == ["note 7"], "what is shown, and no more"
    assert package.revision == revision


async def test_a_stored_index_makes_up_for_what_changed_meanwhile(tmp_path: Path) -> None:
    shelf = Shelf(texts(8))
    async with TaskContext(index=tmp_path / "index.db") as task:
        task.attach(shelf)
        await task.refresh()
    shelf.reads.clear()
    shelf.texts["note 1"] = "dogs"
    async with TaskContext(index=tmp_path / "index.db") as task:
        task.attach(shelf)
        changed = await task.refresh()
    assert shelf.reads == ["note 1"]
    assert changed.changed == {"shelf": ("note 1",)}


async def test_what_only_lies_elsewhere_is_no_other_data() -> None:
    shelf = Shelf(texts(3), told={"note 1": {"metadata": {"inode": 7}}})
    task = TaskContext()
    task.attach(shelf)
    await task.refresh()
    before = task.revision
    shelf.told["note 1"] = {"metadata": {"inode": 8}}
    assert not await task.refresh()
    assert task.revision == before
    assert task.snapshot().bound[0].descriptors["note 1"].metadata == {"inode": 8}


async def test_two_tenants_share_an_index_and_nothing_in_it() -> None:
    index = Index()
    ann = TaskContext(scope=Scope(user="ann"), index=index)
    ben = TaskContext(scope=Scope(user="ben"), index=index)
    ann.attach(Shelf({"x": "else", "a": "the code is swordfish"}))
    ben.attach(Shelf({"x": "else", "a": "the code is unknown"}))
    await ann.refresh()
    package = await ben.reader(consumer="writer").read("swordfish code")
    assert "swordfish" not in "".join(block.text for block in package.blocks)
    mine = await ann.reader(consumer="w", max_blocks=1).read("swordfish")
    assert [ref.ref for ref in mine.refs] == ["a"], "the other's text took the place of none"
    await index.aclose()


async def test_what_could_not_be_read_is_tried_again() -> None:
    broken = True

    async def fail(ref: str) -> None:
        if broken:
            raise OSError

    shelf = Shelf({"a": "about cats", **texts(20)}, before=fail)
    task = TaskContext()
    task.attach(shelf)
    await task.refresh()
    broken = False
    package = await task.reader(consumer="writer", max_blocks=2).read("about")
    assert package.refs[0].ref == "a"


async def test_the_sources_are_asked_at_once() -> None:
    asked = {"one": anyio.Event(), "two": anyio.Event()}

    class Waiting(Shelf):
        """Tells what it has when the other is asked as well."""

        async def pages(self) -> AsyncIterator[Page]:
            asked[self.id].set()
            for each in asked.values():
                await each.wait()
            async for page in super().pages():
                yield page

    task = TaskContext(source_timeout=None)
    for name in asked:
        task.attach(Waiting({name: "text"}, id=name))
    with anyio.fail_after(30):
        found = await task.refresh()
    assert found.changed == {"one": ("one",), "two": ("two",)}


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_source_that_raises_a_cancellation_fails_alone() -> None:
    shelf = Shelf({}, id="odd")

    def pages() -> AsyncIterator[Page]:
        raise anyio.get_cancelled_exc_class()

    shelf.pages = pages  # type: ignore[method-assign]
    task = TaskContext()
    task.attach(shelf)
    task.attach(Shelf({"a": "one"}))
    package = await task.reader(consumer="writer").read("")
    assert [block.text for block in package.blocks] == ["one"]
    assert [each.detail for each in package.diagnostics] == ["cancelled itself"]


async def test_a_source_that_hangs_holds_up_the_index_a_few_times_and_never_for_the_same() -> None:
    async def hang(ref: str) -> None:
        await anyio.sleep_forever()

    shelf = Shelf(texts(12), before=hang)
    task = TaskContext(source_timeout=0.01)
    task.attach(shelf)
    for _ in range(5):
        await task.refresh()
    assert sorted(shelf.reads) == sorted(texts(12))


@pytest.mark.parametrize("records", [[{"id": 1}], RecordsSource([{"id": 1}])])
async def test_records_without_a_name_are_refused_where_the_index_is_kept(
    records: Any, tmp_path: Path
) -> None:
    for index in (Index(), tmp_path / "index.db"):
        with pytest.raises(ConfigError, match=r"RecordsSource\(records, name='tickets'\)"):
            TaskContext(index=index).attach(records)


async def test_records_of_two_tasks_stay_apart_in_one_index() -> None:
    index = Index()
    tasks = {name: TaskContext(index=index) for name in ("cats", "dogs")}
    for name, task in tasks.items():
        task.attach([{"text": f"{name} sleep"}], binding_id=name)
    for task in tasks.values():
        await task.refresh()
    assert not any([await task.refresh() for task in tasks.values()])
    partitions = {task.snapshot().bound[0].partition for task in tasks.values()}
    assert len(partitions) == 2
    assert [list(await index.known(each)) for each in partitions] == [["#0"], ["#0"]]


async def test_what_is_gone_leaves_the_index_though_it_was_never_read() -> None:
    async def fail(ref: str) -> None:
        raise OSError

    index = Index()
    shelf = Shelf(texts(3), before=fail)
    task = TaskContext(index=index)
    task.attach(shelf)
    await task.refresh()
    del shelf.texts["note 1"]
    await task.refresh()
    kept = await index.known(task.snapshot().bound[0].partition)
    assert set(kept) == {"note 0", "note 2"}


async def test_two_things_of_one_name_and_what_is_no_descriptor_are_told() -> None:
    class Odd(Shelf):
        def descriptor(self, ref: str) -> Descriptor:
            return super().descriptor("same") if ref != "odd" else 7  # type: ignore[return-value]

    task = TaskContext()
    task.attach(Odd({"same": "one", "other": "two", "odd": "three"}))
    package = await task.reader(consumer="writer").read("")
    assert [ref.ref for ref in package.refs] == ["same"]
    assert [(each.code, each.detail) for each in package.diagnostics] == [
        ("invalid", "told twice"),
        ("invalid", "no descriptor, or not of its types"),
    ]


async def test_problems_of_a_source_are_told_in_the_package() -> None:
    class Half(Shelf):
        async def pages(self) -> AsyncIterator[Page]:
            bad: Any = [Problem("b.bin", "binary"), "no problem"]
            yield Page([self.descriptor("a")], bad)

    task = TaskContext()
    task.attach(Half({"a": "one"}))
    package = await task.reader(consumer="writer").read("")
    assert [(each.code, each.ref) for each in package.diagnostics] == [("binary", "b.bin")]
    assert task.source_catalog()[0].problems == (Problem("b.bin", "binary"),)


@pytest.mark.parametrize("pages", [lambda: [1], lambda: None, lambda: 1 / 0])
async def test_a_source_that_gives_no_pages_fails_alone(pages: object) -> None:
    shelf = Shelf({"a": "one"}, id="odd")
    shelf.pages = pages  # type: ignore[method-assign,assignment]
    task = TaskContext()
    task.attach(shelf)
    task.attach(Shelf({"b": "two"}))
    package = await task.reader(consumer="writer").read("")
    assert [ref.ref for ref in package.refs] == ["b"]
    assert package.diagnostics[0].code == "source_failed"


async def test_another_strategy_needs_no_other_task() -> None:
    shelf = Shelf(texts(4))
    task = TaskContext()
    task.attach(shelf)
    task.configure_index(strategy="structural")
    structural = await task.reader(consumer="w", max_blocks=1).read("number 3")
    task.configure_index(strategy="lexical")
    lexical = await task.reader(consumer="w", max_blocks=1).read("number 3")
    assert [structural.refs[0].ref, lexical.refs[0].ref] == ["note 0", "note 3"]
    assert structural.revision == lexical.revision
    await task.aclose()
    again = await task.reader(consumer="w", max_blocks=1).read("number 3")
    assert again == lexical


async def test_an_index_that_cannot_be_used_is_an_error_with_the_way_out(tmp_path: Path) -> None:
    (tmp_path / "index.db").write_bytes(b"no database at all, but long enough to be one" * 90)
    task = TaskContext(index=tmp_path / "index.db")
    task.attach(Shelf({"a": "one"}, id="first"))
    task.attach(Shelf({"a": "one"}, id="second"))
    with pytest.raises(StoreError):
        await task.refresh()


@pytest.mark.parametrize(
    "claim",
    [
        {"ref": ""},
        {"ref": 7},
        {"title": 7},
        {"summary": None},
        {"role": ["file"]},
        {"parent": ["a"]},
        {"priority": "high"},
        {"size": "7"},
        {"metadata": {1: 2, "a": 3}},
        {"metadata": None},
    ],
)
async def test_a_descriptor_with_a_field_of_another_type_costs_no_other(claim: Any) -> None:
    task = TaskContext()
    task.attach(Shelf({"odd": "cats", "a": "cats", "b": "cats"}, told={"odd": claim}))
    package = await task.reader(consumer="writer").read("cats")
    assert sorted(ref.ref for ref in package.refs) == ["a", "b"]
    assert "invalid" in [each.code for each in package.diagnostics]


async def test_a_problem_that_is_not_in_words_is_passed_over() -> None:
    class Half(Shelf):
        async def pages(self) -> AsyncIterator[Page]:
            bad: Any = [Problem("a", ["x"], ["y"])]  # type: ignore[arg-type]
            yield Page([self.descriptor("a")], bad)

    task = TaskContext()
    task.attach(Half({"a": "one"}))
    package = await task.reader(consumer="writer").read("")
    assert [ref.ref for ref in package.refs] == ["a"]


@pytest.mark.parametrize("items", [[], ["a"]])
async def test_pages_without_an_end_are_a_fault_of_their_source(items: list[str]) -> None:
    class Endless(Shelf):
        async def pages(self) -> AsyncIterator[Page]:
            while True:
                yield Page([self.descriptor(ref) for ref in items])

    task = TaskContext()
    task.attach(Endless({"a": "cats"}, id="endless"))
    task.attach(Shelf({"b": "cats"}))
    package = await task.reader(consumer="writer").read("cats")
    assert [ref.ref for ref in package.refs] == ["b"]
    assert [(each.code, each.detail) for each in package.diagnostics] == [
        ("source_failed", "its pages have no end")
    ]


async def test_things_without_an_end_are_a_fault_of_their_source(monkeypatch: Any) -> None:
    monkeypatch.setattr(enumeration, "_MOST", 1_000)

    class Endless(Shelf):
        async def pages(self) -> AsyncIterator[Page]:
            item = self.descriptor("a")
            endless: Any = (replace(item, ref=f"a{number}") for number in count())
            yield Page(endless)

    task = TaskContext()
    task.attach(Endless({"a": "cats"}))
    package = await task.reader(consumer="writer").read("cats")
    assert [each.code for each in package.diagnostics] == ["source_failed", "no_candidates"]


async def test_what_others_put_into_the_index_is_made_up_for(tmp_path: Path) -> None:
    first, second = (TaskContext(index=tmp_path / "index.db") for _ in range(2))
    async with first, second:
        first.attach(Shelf(texts(20)))
        second.attach(Shelf(texts(10)))
        reader = first.reader(consumer="writer", max_blocks=1)
        before = await reader.read("number 17")
        await second.refresh()
        assert await reader.read("number 17") == before
