"""The index of memories: it is what the store has by now, whoever wrote there."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import anyio
import pytest

from agentmaker import RetrievalResult, Scope
from agentmaker.memory.in_memory import MemoryStore
from agentmaker.memory.index.index import Index
from agentmaker.memory.index.values import Indexed
from agentmaker.memory.memories import Memory, following
from agentmaker.memory.records import Document
from agentmaker.memory.sql.store import SessionStore
from agentmaker.memory.store import Store

pytestmark = pytest.mark.anyio


def contents(found: Sequence[RetrievalResult]) -> list[str]:
    return [each.content for each in found]


def empty(folder: Path) -> None:
    for each in folder.iterdir():
        each.unlink()


class Counting(Index):
    """Counts what is put."""

    def __init__(self, path: Path | None = None) -> None:
        super().__init__(path)
        self.put_keys: list[str] = []

    async def put(self, partition: str, items: Sequence[Indexed], **options: object) -> None:
        self.put_keys.extend(each.key for each in items)
        await super().put(partition, items, **options)


async def test_what_others_write_is_found(store: Store) -> None:
    memory, other = Memory(store=store), Memory(store=store)
    id = await other.add("likes tea")
    assert contents(await memory.search("tea")) == ["likes tea"]
    await other.update(id, content="likes coffee")
    assert await memory.search("tea") == []
    assert contents(await memory.search("coffee")) == ["likes coffee"]
    await other.forget(id)
    assert await memory.search("coffee") == []


async def test_only_what_changed_is_indexed() -> None:
    index = Counting()
    memory = Memory(index=index)
    first = await memory.add("likes tea")
    await memory.search("tea")
    second = await memory.add("likes green tea")
    await memory.update(first, importance=1)
    await memory.search("tea")
    await memory.search("tea")
    assert index.put_keys == [first, second]
    await index.aclose()


async def test_an_index_in_a_file_is_not_made_anew(tmp_path: Path) -> None:
    store = SessionStore(tmp_path / "store.db")
    for times in (1, 0):
        index = Counting(tmp_path / "index.db")
        memory = Memory(store=store, index=index)
        await memory.add("likes tea")
        assert contents(await memory.search("tea")) == ["likes tea"]
        assert len(index.put_keys) == times
        await index.aclose()
    await store.aclose()


class Meddled(MemoryStore):
    """Something happens before the next texts are read."""

    def __init__(self) -> None:
        super().__init__()
        self.meddle = self.nothing

    async def nothing(self) -> None:
        pass

    async def read(self, scope: Scope, kind: str, names: Sequence[str]) -> tuple[Document, ...]:
        meddle, self.meddle = self.meddle, self.nothing
        await meddle()
        return await super().read(scope, kind, names)


async def test_who_indexed_an_older_state_mends_it_at_once() -> None:
    store, index = Meddled(), Counting()
    memory, other = Memory(store=store, index=index), Memory(store=store, index=index)
    id = await other.add("likes tea")

    async def change() -> None:
        await other.update(id, content="likes coffee")
        assert contents(await other.search("coffee")) == ["likes coffee"]

    store.meddle = change
    assert contents(await memory.search("coffee")) == ["likes coffee"]
    await index.aclose()


async def test_what_is_forgotten_during_a_search_is_left_out() -> None:
    store = Meddled()
    memory = Memory(store=store)
    id = await memory.add("likes tea")
    await memory.add("likes tea with milk")
    await memory.search("tea")

    async def forget() -> None:
        await memory.forget(id)

    store.meddle = forget
    assert contents(await memory.search("tea")) == ["likes tea with milk"]


async def test_the_scopes_not_asked_for_longest_are_forgotten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(following, "_HELD", 2)
    memory = Memory()
    scopes = [Scope(user=name) for name in ("ann", "bob", "cid")]
    for scope in scopes:
        await memory.add("likes tea", scope=scope)
        assert len(await memory.search("tea", scope=scope)) == 1
    index = memory._searcher.following.index
    kept = [len(await index.known(following.partition_of(scope))) for scope in scopes]
    assert kept == [0, 1, 1]
    assert len(await memory.search("tea", scope=scopes[0])) == 1


async def test_searches_and_changes_at_once_see_whole_memories(store: Store) -> None:
    memory = Memory(store=store)
    id = await memory.add("tea number 0")

    async def change() -> None:
        for number in range(1, 10):
            await memory.update(id, content=f"tea number {number}")

    async def search() -> None:
        for _ in range(5):
            (found,) = await memory.search("tea")
            assert found.content.startswith("tea number")

    async with anyio.create_task_group() as group:
        group.start_soon(change)
        for _ in range(10):
            group.start_soon(search)
    assert contents(await memory.search("9")) == ["tea number 9"]


async def test_an_index_that_somebody_emptied_is_made_again(tmp_path: Path) -> None:
    index = Index(tmp_path / "index.db")
    memory = Memory(index=index)
    await memory.add("likes tea")
    assert contents(await memory.search("tea")) == ["likes tea"]
    await index.aclose()
    empty(tmp_path)
    assert contents(await memory.search("tea")) == ["likes tea"]


async def test_a_memory_that_was_closed_finds_what_it_found() -> None:
    memory = Memory(scope=Scope(user="ann", session="chat"))
    await memory.add("likes tea")
    await memory.search("tea")
    await memory.aclose()
    assert contents(await memory.search("tea")) == ["likes tea"]
    assert await memory.search("coffee") == []


async def test_an_index_without_an_embedder_is_worth_no_warning(
    caplog: pytest.LogCaptureFixture,
) -> None:
    memory = Memory(index=Index())
    await memory.add("likes tea")
    assert contents(await memory.search("tea")) == ["likes tea"]
    assert caplog.text == ""
