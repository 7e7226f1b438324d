from __future__ import annotations

from dataclasses import dataclass

import pytest

from agentmaker.errors import ConfigError
from agentmaker.tasks.context import TaskContext
from tests.tasks.shelf import Shelf

pytestmark = pytest.mark.anyio


@dataclass
class Clock:
    now: float = 100.0

    def __call__(self) -> float:
        return self.now


def aged(shelf: Shelf, max_age: float = 10.0) -> tuple[TaskContext, Clock]:
    clock = Clock()
    task = TaskContext(max_age=max_age, clock=clock)
    task.attach(shelf)
    return task, clock


async def test_by_default_every_read_looks_at_the_sources() -> None:
    shelf = Shelf({"a": "cats"})
    task, _ = aged(shelf, 0.0)
    reader = task.reader(consumer="writer")
    await reader.read("")
    shelf.texts["b"] = "dogs"
    assert [block.text for block in (await reader.read("")).blocks] == ["cats", "dogs"]
    assert shelf.looks == 2


async def test_within_its_age_what_was_found_is_taken_as_so_and_then_looked_at_again() -> None:
    shelf = Shelf({"a": "cats"})
    task, clock = aged(shelf)
    reader = task.reader(consumer="writer")
    await reader.read("")
    shelf.texts["b"] = "dogs"
    clock.now += 9.9
    assert [block.text for block in (await reader.read("")).blocks] == ["cats"]
    assert shelf.looks == 1
    clock.now += 0.1
    assert [block.text for block in (await reader.read("")).blocks] == ["cats", "dogs"]
    assert shelf.looks == 2


async def test_a_refresh_looks_whatever_the_age() -> None:
    shelf = Shelf({"a": "cats"})
    task, _ = aged(shelf)
    await task.refresh()
    shelf.texts["b"] = "dogs"
    await task.refresh()
    package = await task.reader(consumer="writer").read("")
    assert [block.text for block in package.blocks] == ["cats", "dogs"]


async def test_what_is_shown_is_verified_whatever_the_age() -> None:
    shelf = Shelf({"a": "cats", "b": "dogs"})
    task, _ = aged(shelf)
    reader = task.reader(consumer="writer")
    before = await reader.read("")
    shelf.texts["b"] = "dogs, revised"
    package = await reader.read("")
    assert [block.text for block in package.blocks] == ["cats", "dogs, revised"]
    assert package.revision == task.revision != before.revision
    assert shelf.looks == 2


async def test_a_source_that_is_new_or_failed_is_asked_at_once() -> None:
    class Failing(Shelf):
        def pages(self):  # type: ignore[no-untyped-def]
            if self.looks == 0:
                self.looks += 1
                raise OSError
            return super().pages()

    task, _ = aged(Shelf({"a": "cats"}))
    reader = task.reader(consumer="writer")
    await reader.read("")
    task.attach(Failing({"b": "dogs"}, id="late"))
    assert len((await reader.read("")).blocks) == 1
    assert len((await reader.read("")).blocks) == 2


async def test_another_index_is_filled_before_it_is_searched() -> None:
    shelf = Shelf({"a": "cats", "b": "dogs"})
    task, _ = aged(shelf)
    reader = task.reader(consumer="writer")
    await reader.read("cats")
    task.configure_index(strategy="lexical")
    assert (await reader.read("dogs")).refs[0].ref == "b"
    await task.aclose()
    assert (await reader.read("dogs")).refs[0].ref == "b"


@pytest.mark.parametrize("wrong", [-1.0, float("nan"), None, "1"])
async def test_an_age_is_a_number_of_seconds(wrong: float) -> None:
    with pytest.raises(ConfigError, match="max_age"):
        TaskContext(max_age=wrong)
