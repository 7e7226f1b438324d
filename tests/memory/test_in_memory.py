"""The store in memory is bounded: case 116."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agentmaker.errors import ConfigError, StoreError
from agentmaker.memory.in_memory import MemoryStore
from agentmaker.memory.records import Document, Entry, RunRecord
from agentmaker.messages import Message
from agentmaker.scope import Scope

pytestmark = pytest.mark.anyio

HELLO = Message("hello")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"  # nothing here waits


def session(number: int) -> Scope:
    return Scope(session=str(number))


def a_run(number: int) -> RunRecord:
    return RunRecord(id=f"r{number}", agent="helper", scope=session(number), owner="me")


def a_note(name: str, text: str = "text") -> Document:
    return Document(kind="note", name=name, text=text)


async def test_ten_thousand_sessions_of_twenty_messages_stay_within_the_maxima() -> None:
    store = MemoryStore(max_sessions=100)
    for number in range(10_000):
        await store.append(session(number), [HELLO] * 20)
    assert await store.sessions(Scope()) == tuple(str(n) for n in range(9_999, 9_899, -1))
    assert await store.turns(session(0)) == ()
    assert len(await store.turns(session(9_900))) == 20


async def test_reading_a_session_is_using_it() -> None:
    store = MemoryStore(max_sessions=2)
    await store.append(session(1), [HELLO])
    await store.append(session(2), [HELLO])
    await store.turns(session(1))
    await store.append(session(3), [HELLO])
    assert await store.sessions(Scope()) == ("3", "1")


async def test_long_sessions_make_room_by_their_turns() -> None:
    store = MemoryStore(max_turns=10)
    for number in range(3):
        await store.append(session(number), [HELLO] * 4)
    assert await store.sessions(Scope()) == ("2", "1")
    await store.append(session(1), [HELLO] * 3)
    assert await store.sessions(Scope()) == ("1",)


async def test_a_session_that_alone_is_too_long_is_refused_and_stays_as_it_was() -> None:
    store = MemoryStore(max_turns=3)
    await store.append(session(1), [HELLO] * 3)
    with pytest.raises(StoreError, match="max_turns=3"):
        await store.append(session(1), [HELLO])
    assert len(await store.turns(session(1))) == 3
    await store.forget(session(1))
    assert await store.append(session(1), [HELLO]) == 1


async def test_finished_runs_make_room_and_unfinished_ones_stay() -> None:
    store = MemoryStore(max_runs=3)
    waiting = replace(a_run(0), status="waiting")
    await store.begin(waiting)
    await store.begin(a_run(1))
    for number in range(2, 10):
        await store.begin(replace(a_run(number), status="done"))
    assert {run.id for run in await store.runs()} == {"r0", "r1", "r9"}
    await store.commit(replace(waiting, status="done"))
    await store.begin(replace(a_run(10), status="done"))
    await store.begin(replace(a_run(11), status="done"))
    assert {run.id for run in await store.runs()} == {"r1", "r10", "r11"}


async def test_the_session_of_an_unfinished_run_stays_until_its_last_run_has_ended() -> None:
    store = MemoryStore(max_sessions=1)
    first, second = a_run(0), replace(a_run(0), id="second")
    await store.begin(first)
    await store.begin(second)
    await store.commit(first, turns=[HELLO])
    await store.append(session(1), [HELLO])
    await store.commit(replace(first, status="failed"))
    await store.append(session(2), [HELLO])
    assert await store.sessions(Scope()) == ("2", "0")
    await store.commit(replace(second, status="done"))
    await store.append(session(3), [HELLO])
    assert await store.sessions(Scope()) == ("3",)


async def test_too_many_unfinished_runs_are_refused() -> None:
    store = MemoryStore(max_unfinished=2)
    await store.begin(a_run(0))
    await store.begin(a_run(1))
    with pytest.raises(StoreError, match="max_unfinished=2"):
        await store.begin(a_run(2))
    await store.commit(replace(a_run(0), status="stopped"))
    await store.begin(a_run(2))
    with pytest.raises(StoreError, match="max_unfinished=2"):
        await store.commit(a_run(0))
    assert {run.id for run in await store.runs(status="running")} == {"r1", "r2"}


async def test_entries_of_finished_runs_make_room_for_those_of_others() -> None:
    store = MemoryStore(max_entries=5)
    steps = [Entry("step", {})] * 3
    await store.begin(replace(a_run(0), status="done"), steps)
    await store.begin(a_run(1), steps)
    assert await store.entries("r0") == ()
    with pytest.raises(StoreError, match="max_entries=5"):
        await store.commit(a_run(1), steps, turns=[HELLO])
    assert await store.entries("r1") == tuple(steps)
    assert await store.turns(session(1)) == ()


async def test_documents_make_room_by_number_and_by_size() -> None:
    store = MemoryStore(max_documents=2, max_characters=100)
    for name in "abc":
        await store.put(Scope(), a_note(name))
    assert [one.name for one in await store.documents(Scope(), "note")] == ["c", "b"]
    await store.document(Scope(), "note", "b")
    await store.put(Scope(), a_note("d", "x" * 90))
    assert [one.name for one in await store.documents(Scope(), "note")] == ["d", "b"]
    with pytest.raises(StoreError, match="max_characters=100"):
        await store.put(Scope(), a_note("e", "x" * 100))
    assert [one.name for one in await store.documents(Scope(), "note")] == ["d", "b"]


async def test_a_run_of_a_thousand_steps_keeps_one_list_of_its_entries() -> None:
    store = MemoryStore()
    run = a_run(0)
    await store.begin(run)
    await store.commit(run, [Entry("step", {"number": 0})])
    kept = store._runs.get("r0").entries
    for number in range(1, 1_000):
        await store.commit(run, [Entry("step", {"number": number})])
    assert store._runs.get("r0").entries is kept
    assert [entry.data["number"] for entry in await store.entries("r0")] == [*range(1_000)]


@pytest.mark.parametrize("name", ["max_sessions", "max_turns", "max_runs", "max_characters"])
async def test_a_maximum_is_at_least_one(name: str) -> None:
    with pytest.raises(ConfigError, match=f"{name} must be at least 1"):
        MemoryStore(**{name: 0})


async def test_a_document_that_had_to_make_room_changes_the_stamp_of_its_scope() -> None:
    store = MemoryStore(max_documents=2)
    await store.put(Scope(user="ann"), Document(kind="note", name="a", text=""))
    before = await store.stamp(Scope(user="ann"), "note")
    await store.put(Scope(user="bob"), Document(kind="note", name="b", text=""))
    assert await store.stamp(Scope(user="ann"), "note") == before
    await store.put(Scope(user="bob"), Document(kind="note", name="c", text=""))
    assert await store.documents(Scope(user="ann"), "note") == ()
    assert await store.stamp(Scope(user="ann"), "note") != before


async def test_stamps_are_bounded_and_a_forgotten_one_is_still_a_new_one() -> None:
    store = MemoryStore(max_documents=2)
    seen = set()
    for name in ("ann", "bob", "cid", "dan"):
        await store.put(Scope(user=name), Document(kind="note", name="a", text=""))
        seen.add(await store.stamp(Scope(user=name), "note"))
    assert await store.stamp(Scope(user="ann"), "note") not in seen
    assert await store.stamp(Scope(user="ann"), "note") == await store.stamp(Scope(), "note")
