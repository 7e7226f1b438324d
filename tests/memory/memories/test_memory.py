"""What is remembered, changed and forgotten, in every store."""

from __future__ import annotations

import sys
from datetime import timedelta
from pathlib import Path

import anyio
import pytest

from agentmaker import ConfigError, Scope
from agentmaker.memory.in_memory import MemoryStore
from agentmaker.memory.memories import Memory, Weights
from agentmaker.memory.sql.store import SessionStore
from agentmaker.memory.store import Store
from tests.memory.memories.clock import Clock

ANN = Scope(user="ann")
BOB = Scope(user="bob")
ODD = "nul \x00 half \ud800 and 猫"

pytestmark = pytest.mark.anyio


async def contents(memory: Memory, scope: Scope | None = None) -> list[str]:
    return [each.content for each in await memory.all(scope=scope)]


async def test_what_is_added_can_be_read_with_all_that_was_said_of_it(store: Store) -> None:
    clock = Clock()
    memory = Memory(store=store, scope=ANN, clock=clock)
    id = await memory.add("likes tea", importance=0.9, metadata={"from": ["chat", 3]})
    found = await memory.get(id)
    assert found is not None
    assert (found.id, found.content, found.importance) == (id, "likes tea", 0.9)
    assert found.metadata == {"from": ["chat", 3]}
    assert found.created == found.updated == clock.now
    assert await memory.get("none") is None


async def test_any_text_can_be_remembered_and_found(store: Store) -> None:
    memory = Memory(store=store, scope=Scope(user=ODD))
    id = await memory.add(ODD, metadata={ODD: ODD})
    found = await memory.get(id)
    assert found is not None
    assert (found.content, dict(found.metadata)) == (ODD, {ODD: ODD})
    assert [each.content for each in await memory.search("half")] == [ODD]


async def test_the_same_content_again_is_one_memory_that_is_new(store: Store) -> None:
    clock = Clock()
    memory = Memory(store=store, clock=clock)
    first = await memory.add("likes tea", importance=0.9, metadata={"a": 1, "b": 1})
    clock.let_pass(days=3)
    assert await memory.add("likes tea", metadata={"b": 2}) == first
    (found,) = await memory.all()
    assert found.importance == 0.9
    assert found.metadata == {"a": 1, "b": 2}
    assert found.updated - found.created == timedelta(days=3)


async def test_a_memory_that_changed_keeps_its_id_and_is_not_lost_to_its_old_words(
    store: Store,
) -> None:
    clock = Clock()
    memory = Memory(store=store, clock=clock)
    first = await memory.add("likes tea", metadata={"a": 1})
    clock.let_pass(hours=1)
    assert await memory.update(first, content="likes coffee", importance=0.2)
    clock.let_pass(hours=1)
    second = await memory.add("likes tea")
    assert second != first
    assert await contents(memory) == ["likes tea", "likes coffee"]
    changed = await memory.get(first)
    assert changed is not None
    assert (changed.importance, changed.metadata) == (0.2, {"a": 1})
    assert changed.updated - changed.created == timedelta(hours=1)


async def test_what_is_forgotten_is_gone(store: Store) -> None:
    memory = Memory(store=store)
    id = await memory.add("likes tea")
    await memory.add("likes cats")
    assert await memory.forget(id)
    assert not await memory.forget(id)
    assert not await memory.update(id, importance=1)
    assert await contents(memory) == ["likes cats"]


async def test_old_or_slight_memories_are_forgotten_together(store: Store) -> None:
    clock = Clock()
    memory = Memory(store=store, clock=clock)
    await memory.add("old and slight", importance=0.1)
    await memory.add("old", importance=0.8)
    clock.let_pass(days=30)
    await memory.add("slight", importance=0.1)
    both = {"older_than": timedelta(days=7), "less_important_than": 0.5}
    assert await memory.forget_where(**both, scope=ANN) == 0
    assert await memory.forget_where(**both) == 1
    assert await contents(memory) == ["slight", "old"]
    assert await memory.forget_where(less_important_than=0.5) == 1
    assert await memory.forget_where(older_than=timedelta(days=7)) == 1
    assert await contents(memory) == []
    with pytest.raises(ConfigError, match="older_than="):
        await memory.forget_where()


async def test_memories_belong_to_the_scope_of_the_call_as_case_97_asks(store: Store) -> None:
    memory = Memory(store=store, scope=ANN)
    mine = await memory.add("the password is swordfish")
    theirs = await memory.add("the password is swordfish", scope=BOB)
    await memory.add("a password that bob likes", scope=BOB)
    assert await contents(memory) == ["the password is swordfish"]
    assert await memory.forget(mine)
    assert await memory.get(mine) is None
    assert await memory.get(theirs, scope=BOB) is not None
    assert await memory.search("password") == []
    assert len(await memory.search("password", scope=BOB)) == 2


async def test_where_there_are_too_many_the_least_worth_make_room(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    clock = Clock()
    memory = Memory(store=store, most=3, clock=clock)
    await memory.add("secret and important", importance=1.0)
    for name in ("first", "second", "third"):
        clock.let_pass(days=1)
        await memory.add(name)
    assert await contents(memory) == ["third", "second", "secret and important"]
    clock.let_pass(hours=1)
    await memory.add("new and unimportant", importance=0.0)
    assert await contents(memory) == ["new and unimportant", "third", "secret and important"]
    assert "most=3" in caplog.text
    assert "secret" not in caplog.text


async def test_a_number_too_many_is_noticed_within_a_tenth() -> None:
    memory = Memory(store=MemoryStore(), most=20)
    for number in range(100):
        await memory.add(f"memory {number}")
        assert len(await memory.all()) <= 22


async def test_additions_of_many_tasks_are_all_kept(store: Store) -> None:
    memory = Memory(store=store)

    async def add(number: int) -> None:
        await memory.add(f"memory {number % 25}", metadata={str(number): True})

    async with anyio.create_task_group() as group:
        for number in range(50):
            group.start_soon(add, number)
    found = await memory.all()
    assert {each.content for each in found} == {f"memory {number}" for number in range(25)}
    assert sorted(int(key) for each in found for key in each.metadata) == [*range(50)]


ADDING = """
import sys, anyio
from agentmaker import SessionStore
from agentmaker.memory.memories import Memory

async def add():
    store = SessionStore(sys.argv[1])
    memory = Memory(store=store)
    for number in range(20):
        await memory.add(f"{sys.argv[2]} {number}")
        await memory.add(f"common {number}")
    await store.aclose()

anyio.run(add)
"""


async def test_two_processes_add_and_a_third_finds_all(tmp_path: Path) -> None:
    url = str(tmp_path / "store.db")
    async with anyio.create_task_group() as group:
        for name in ("red", "blue"):
            group.start_soon(anyio.run_process, [sys.executable, "-c", ADDING, url, name])
    store = SessionStore(url)
    memory = Memory(store=store)
    assert len(await memory.all()) == 60
    assert len(await memory.search("blue", top_k=100)) == 20
    await store.aclose()


BAD = [
    ({"store": {}}, TypeError, "SessionStore"),
    ({"most": 0}, ConfigError, "most"),
    ({"scope": "ann"}, TypeError, "Scope"),
    ({"weights": {"recency": 1}}, TypeError, "Weights"),
    ({"index": {}}, TypeError, "Index"),
]


@pytest.mark.parametrize(("options", "error", "words"), BAD)
def test_settings_that_cannot_work_are_refused(
    options: dict[str, object], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        Memory(**options)


@pytest.mark.parametrize("name", ["relevance", "recency", "importance"])
@pytest.mark.parametrize("value", [-1, float("nan"), float("inf"), True, "much"])
def test_a_weight_is_a_number_that_is_not_negative(name: str, value: object) -> None:
    with pytest.raises(ConfigError, match=name):
        Weights(**{name: value})


def test_one_weight_must_count() -> None:
    with pytest.raises(ConfigError, match="more than 0"):
        Weights(relevance=0, recency=0, importance=0)


async def test_what_cannot_be_remembered_is_refused_and_nothing_is_kept() -> None:
    memory = Memory()
    known = await memory.add("known")
    for content in ("", " \n"):
        with pytest.raises(ConfigError, match="blank"):
            await memory.add(content)
        with pytest.raises(ConfigError, match="blank"):
            await memory.update(known, content=content)
    with pytest.raises(TypeError, match="string, not int"):
        await memory.add(7)
    for importance in (-0.1, 1.1, float("nan"), True, "high"):
        with pytest.raises(ConfigError, match="importance"):
            await memory.add("fine", importance=importance)
        with pytest.raises(ConfigError, match="importance"):
            await memory.update(known, importance=importance)
        with pytest.raises(ConfigError, match="importance"):
            await memory.search("fine", min_importance=importance)
    with pytest.raises(TypeError, match="dictionary"):
        await memory.add("fine", metadata=["a"])
    with pytest.raises(ConfigError, match="JSON"):
        await memory.add("fine", metadata={"a": object()})
    with pytest.raises(TypeError, match="Scope"):
        await memory.add("fine", scope="ann")
    with pytest.raises(TypeError, match="query"):
        await memory.search(None)
    with pytest.raises(ConfigError, match="top_k"):
        await memory.search("fine", top_k=0)
    assert await contents(memory) == ["known"]
