"""The file of an index: used by several processes, damaged, foreign, of another version."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import anyio
import pytest

from agentmaker.errors import StoreError
from agentmaker.memory.index import Index, schema
from tests.memory.index.made import item, keys

PUTTING = """
import sys, anyio
from agentmaker.memory.index import Index, Indexed

async def main(path, name):
    index = Index(path)
    for n in range(20):
        await index.put("p", [Indexed(key=f"{name}{n}", revision="1", label="apple")])
        await index.search("apple", {"p": None}, limit=5)
    await index.aclose()

anyio.run(main, *sys.argv[1:])
"""


async def put(path: Path, *names: str) -> None:
    index = Index(path)
    await index.put("p", [item(name, "apple") for name in names])
    await index.aclose()


async def found(path: Path) -> list[str]:
    index = Index(path)
    try:
        return keys(await index.search("apple", {"p": None}, limit=99))
    finally:
        await index.aclose()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "index.db"


def test_what_was_put_is_there_when_the_file_is_opened_again(path: Path) -> None:
    anyio.run(put, path, "a", "b")
    assert anyio.run(found, path, backend="trio") == ["a", "b"]


def test_one_index_serves_event_loops_one_after_the_other(path: Path) -> None:
    for index in (Index(), Index(path)):
        for n in range(3):
            anyio.run(index.put, "p", [item(f"{n}", "apple")])
        assert len(anyio.run(index.known, "p", backend="trio")) == 3
        anyio.run(index.aclose)


def test_nothing_is_opened_before_the_first_use(path: Path) -> None:
    Index(path)
    assert not path.exists()


def test_closing_forgets_what_is_in_memory() -> None:
    index = Index()
    anyio.run(index.put, "p", [item("a", "apple")])
    anyio.run(index.aclose)
    assert anyio.run(index.known, "p") == {}
    anyio.run(index.aclose)


def test_several_processes_write_one_file(path: Path) -> None:
    command = [sys.executable, "-W", "error", "-c", PUTTING, str(path)]
    started = [subprocess.Popen([*command, name]) for name in "xy"]
    assert [each.wait() for each in started] == [0, 0]
    assert len(anyio.run(found, path)) == 40


def test_a_fork_has_an_index_of_its_own(path: Path) -> None:
    forking = """
import os, sys, anyio
from agentmaker.memory.index import Index, Indexed
index = Index(sys.argv[1])
put = lambda name: anyio.run(index.put, "p", [Indexed(key=name, revision="1", label="apple")])
put("parent")
child = os.fork()
if not child:
    put("child")
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
put("parent again")
"""
    if not hasattr(__import__("os"), "fork"):
        pytest.skip("no fork here")
    subprocess.run([sys.executable, "-c", forking, str(path)], check=True)
    assert sorted(anyio.run(found, path)) == ["child", "parent", "parent again"]


@pytest.mark.parametrize("version", [0, schema.VERSION * 1000, schema.VERSION * 1000 + 999])
def test_tables_or_words_of_another_version_are_made_again(path: Path, version: int) -> None:
    anyio.run(put, path, "a")
    execute(path, f"PRAGMA user_version = {version}")
    assert anyio.run(found, path) == []
    anyio.run(put, path, "b")
    assert anyio.run(found, path) == ["b"]


def test_a_file_of_a_later_version_is_left_alone(path: Path) -> None:
    anyio.run(put, path, "a")
    execute(path, f"PRAGMA user_version = {(schema.VERSION + 1) * 1000}")
    before = path.read_bytes()
    with pytest.raises(StoreError, match="later version: update agentmaker, or delete the file"):
        anyio.run(found, path)
    assert path.read_bytes() == before


def test_a_database_of_something_else_is_left_alone(path: Path) -> None:
    execute(path, "CREATE TABLE precious (x)")
    before = path.read_bytes()
    with pytest.raises(StoreError, match="something else: give the index a file of its own"):
        anyio.run(put, path, "a")
    assert path.read_bytes() == before


@pytest.mark.parametrize("start", [0, 100, 5_000])
def test_a_damaged_file_is_to_be_deleted(path: Path, start: int) -> None:
    anyio.run(put, path, *map(str, range(200)))
    data = path.read_bytes()
    path.write_bytes(data[:start] + b"\xff" * (len(data) - start))
    index = Index(path)
    with pytest.raises(StoreError, match="delete it"):
        anyio.run(index.put, "p", [item("a", "apple")])
    path.unlink()
    anyio.run(index.put, "p", [item("a", "apple")])
    assert len(anyio.run(index.known, "p")) == 1
    anyio.run(index.aclose)


def test_a_place_that_cannot_be_written_to_is_named(tmp_path: Path) -> None:
    for path in (tmp_path / "nowhere" / "index", tmp_path):
        with pytest.raises(StoreError, match="folder exists and can be written to"):
            anyio.run(put, path, "a")


def test_a_full_disk_leaves_what_was_there(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page limit stands for the disk: SQLite says the same of both."""
    anyio.run(put, path, "a")
    index = Index(path)
    connect = sqlite3.connect

    def connected(*args, **kwargs) -> sqlite3.Connection:
        connection = connect(*args, **kwargs)
        connection.execute("PRAGMA max_page_count = 40")
        return connection

    monkeypatch.setattr(sqlite3, "connect", connected)
    with pytest.raises(StoreError, match="make room"):
        anyio.run(index.put, "p", [item(f"{n}", "apple " * 999) for n in range(200)])
    anyio.run(index.aclose)
    assert anyio.run(found, path) == ["a"]


def execute(path: Path, statement: str) -> None:
    connection = sqlite3.connect(path)
    connection.execute(statement)
    connection.commit()
    connection.close()
