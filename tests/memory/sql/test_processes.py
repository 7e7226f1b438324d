"""Several processes on one store, and processes that are killed."""

from __future__ import annotations

import gc
import random
from collections import Counter
from pathlib import Path

import anyio
import pytest

from agentmaker.memory.sql.store import SessionStore
from agentmaker.messages import Message
from agentmaker.scope import Scope
from tests.memory.sql.processes import COMMITTING, killed_after, output, start

CHAT = Scope(user="ann", session="chat")

FORKING = """
import os, sys, anyio
from agentmaker import Message, Scope, SessionStore

chat, store = Scope(session="chat"), SessionStore(sys.argv[1])

def add(text):
    anyio.run(store.append, chat, [Message(text)])

add("parent")
child = os.fork()
if not child:
    add("child")
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
add("parent again")
print(*(turn.text for turn in anyio.run(store.turns, chat)), sep=",")
anyio.run(store.aclose)
"""


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/store.db"
    return request.getfixturevalue("postgres")


async def kept(url: str) -> Counter[str]:
    """How many commits of each run are there, all of them whole and in order."""
    store = SessionStore(url)
    try:
        numbers: dict[str, list[str]] = {}
        turns = [turn.text.split() for turn in await store.turns(CHAT)]
        for first in range(0, len(turns), 3):
            (run, number, _), *_ = commit = turns[first : first + 3]
            assert commit == [[run, number, part] for part in "abc"], "a commit stands together"
            numbers.setdefault(run, []).append(number)
        for run, found in numbers.items():
            assert found == [str(number) for number in range(len(found))]
            steps = [entry.data["n"] for entry in await store.entries(run)]
            assert steps == [number for number in range(len(found)) for _ in "12"]
        return Counter({run: len(found) for run, found in numbers.items()})
    finally:
        await store.aclose()


def test_processes_that_open_a_new_store_at_once_lose_nothing_as_case_115_asks(url: str) -> None:
    processes = [start(COMMITTING, url, name, 2, 20) for name in "abc"]
    for process in processes:
        output(process)
    assert anyio.run(kept, url) == {f"{name}{task}": 20 for name in "abc" for task in range(2)}


def test_a_kill_leaves_all_that_was_acknowledged_and_nothing_half(url: str) -> None:
    acknowledged: Counter[str] = Counter()
    for kill in range(3 if url.startswith("sqlite") else 1):
        process = start(COMMITTING, url, f"kill{kill}-", 3, 1_000_000)
        lines = killed_after(process, random.randint(1, 60))
        acknowledged += Counter(line.split()[0] for line in lines)
        found = anyio.run(kept, url)
        assert found >= acknowledged
        assert sum((found - acknowledged).values()) <= 3 * (kill + 1), "one in flight for each task"


def test_a_store_may_be_used_on_both_sides_of_a_fork(url: str) -> None:
    assert output(start(FORKING, url)).strip() == "parent,child,parent again"


def test_a_store_that_nobody_holds_any_more_has_closed_its_file(tmp_path: Path) -> None:
    anyio.run(SessionStore(tmp_path / "store.db").append, CHAT, [Message("kept")])
    gc.collect()
    assert [file.name for file in tmp_path.iterdir()] == ["store.db"]


@pytest.mark.anyio
async def test_eight_tasks_open_a_new_store_at_once_as_case_115_asks(url: str) -> None:
    stores = [SessionStore(url) for _ in range(8)]

    async def write(number: int) -> None:
        for step in range(20):
            await stores[number].append(CHAT, [Message(f"{number} {step}")])

    async with anyio.create_task_group() as group:
        for number in range(8):
            group.start_soon(write, number)
    turns = [turn.text.split() for turn in await stores[0].turns(CHAT)]
    for number in range(8):
        assert [n for who, n in turns if who == str(number)] == [str(n) for n in range(20)]
    for store in stores:
        await store.aclose()
