"""What goes wrong with a database reaches the caller as one typed error that says what to do."""

from __future__ import annotations

import sqlite3
import sys
import traceback
from collections.abc import AsyncIterator
from pathlib import Path

import anyio
import pytest
from sqlalchemy import Connection, Engine, create_engine, event, text

from agentmaker.errors import ConfigError, StoreError
from agentmaker.memory.records import Document, Entry, RunRecord
from agentmaker.memory.sql import documents, sqlite
from agentmaker.memory.sql.store import SessionStore
from agentmaker.messages import Message
from agentmaker.scope import Scope
from tests.memory.sql.processes import output, start

pytestmark = pytest.mark.anyio

CHAT = Scope(session="chat")
RUN = RunRecord(id="r1", agent="a", scope=CHAT, owner="me")
SECRET = "the content is secret"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


@pytest.fixture
async def store(path: Path) -> AsyncIterator[SessionStore]:
    """A store on SQLite with one turn in it, closed again."""
    store = SessionStore(path)
    await store.append(CHAT, [Message("kept")])
    await store.aclose()
    yield store
    await store.aclose()


def overwrite(path: Path, place: int, what: bytes) -> None:
    with path.open("r+b" if path.exists() else "wb") as file:
        file.seek(place)
        file.write(what)


def bytes_of(path: Path) -> bytes:
    return path.read_bytes()


async def texts(store: SessionStore) -> list[str]:
    return [turn.text for turn in await store.turns(CHAT)]


async def test_a_full_disk_is_a_typed_error_and_the_store_works_once_there_is_room(
    store: SessionStore,
) -> None:
    pages = [40]

    @event.listens_for(Engine, "connect")
    def limit(connection: sqlite3.Connection, record: object) -> None:
        connection.execute(f"PRAGMA max_page_count = {pages[0]}")

    try:
        await store.begin(RUN)
        with pytest.raises(StoreError, match=r"disk is full.*make room") as raised:
            await store.commit(RUN, [Entry("a", {})], turns=[Message(SECRET * 20_000)])
        assert SECRET not in "".join(traceback.format_exception(raised.value))
        assert await store.entries("r1") == ()
        assert await texts(store) == ["kept"]
        await store.commit(RUN, [Entry("small", {})])
        await store.aclose()
        pages[0] = 10_000
        await store.commit(RUN, [Entry("large", {})], turns=[Message(SECRET * 20_000)])
        assert [entry.kind for entry in await store.entries("r1")] == ["small", "large"]
        assert len(await texts(store)) == 2
    finally:
        event.remove(Engine, "connect", limit)


LIMITED = """
import resource, signal, sys, anyio
from agentmaker import Message, Scope, SessionStore, StoreError

chat, store = Scope(session="chat"), SessionStore(sys.argv[1])
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

def limit(size):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

async def main():
    await store.append(chat, [Message("kept")])
    limit(150_000)
    try:
        await store.append(chat, [Message("x" * 500_000)])
    except StoreError as error:
        print(error)
    limit(resource.RLIM_INFINITY)
    print(await store.append(chat, [Message("y" * 500_000)]))
    await store.aclose()

anyio.run(main)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such limit")
def test_a_file_that_the_system_lets_grow_no_more_is_a_typed_error(path: Path) -> None:
    error, turns = output(start(LIMITED, path)).splitlines()
    assert "has room, then try again" in error
    assert turns == "2"


async def test_a_file_that_cannot_be_written_to_can_still_be_read(
    store: SessionStore, path: Path
) -> None:
    readonly = SessionStore(f"sqlite:///file:{path}?mode=ro&uri=true")
    assert await texts(readonly) == ["kept"]
    with pytest.raises(StoreError, match="give write permission, or another place"):
        await readonly.append(CHAT, [Message(SECRET)])
    await readonly.aclose()


async def test_what_is_no_database_is_not_touched(path: Path) -> None:
    letter = "a letter to Ann\n" * 500
    overwrite(path, 0, letter.encode())
    store = SessionStore(path)
    with pytest.raises(StoreError, match="it is no SQLite file"):
        await store.append(CHAT, [Message("hello")])
    await store.aclose()
    assert bytes_of(path) == letter.encode()


async def test_a_damaged_file_is_a_typed_error(store: SessionStore, path: Path) -> None:
    overwrite(path, 100, b"\xff" * (len(bytes_of(path)) - 100))
    with pytest.raises(StoreError, match="the file is damaged"):
        await store.turns(CHAT)


async def test_a_database_of_something_else_is_not_touched(path: Path) -> None:
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE orders (id INTEGER)")
    other.close()
    store = SessionStore(path)
    with pytest.raises(ConfigError, match="give the store a file of its own"):
        await store.append(CHAT, [Message("hello")])
    await store.aclose()
    with sqlite3.connect(path) as other:
        assert other.execute("SELECT name FROM sqlite_master").fetchall() == [("orders",)]
    other.close()


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
async def test_tables_of_a_later_version_are_left_alone(
    kind: str, path: Path, request: pytest.FixtureRequest
) -> None:
    url = f"sqlite:///{path}" if kind == "sqlite" else request.getfixturevalue("postgres")
    store = SessionStore(url)
    await store.append(CHAT, [Message("kept")])
    await store._write("", lambda c: c.execute(text("UPDATE agentmaker_schema SET version = 99")))
    await store.aclose()
    with pytest.raises(ConfigError, match=r"later agentmaker \(tables of version 99"):
        await store.turns(CHAT)
    await store.aclose()


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
async def test_tables_of_the_first_version_are_given_what_they_lack(
    kind: str, path: Path, request: pytest.FixtureRequest
) -> None:
    url = f"sqlite:///{path}" if kind == "sqlite" else request.getfixturevalue("postgres")
    store = SessionStore(url)
    await store.put(CHAT, Document(kind="note", name="kept", text="by the first version"))
    for change in ("DROP TABLE agentmaker_stamps", "UPDATE agentmaker_schema SET version = 1"):
        await store._write("", lambda c, change=change: c.execute(text(change)))
    await store.aclose()
    assert await store.stamp(CHAT, "note") == ""
    await store.put(CHAT, Document(kind="note", name="new", text=""))
    assert await store.stamp(CHAT, "note")
    assert len(await store.documents(CHAT, "note")) == 2
    await store.aclose()


async def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    store = SessionStore(tmp_path / "none" / "store.db")
    with pytest.raises(StoreError, match=r"none/store\.db failed .*see that its folder exists"):
        await store.turns(CHAT)


async def test_who_waits_too_long_for_other_processes_is_told_so(
    store: SessionStore, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "PATIENCE", 0.05)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match="another process has been writing"):
        await store.append(CHAT, [Message("late")])
    assert await texts(store) == ["kept"], "readers do not wait for a writer"
    other.execute("COMMIT")
    other.close()
    assert await store.append(CHAT, [Message("now")]) == 2


async def test_all_who_wait_for_other_processes_are_told_together(
    store: SessionStore, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "PATIENCE", 0.05)
    tried = []

    @event.listens_for(Engine, "before_cursor_execute")
    def note(connection: object, cursor: object, statement: str, *rest: object) -> None:
        tried.append(statement == "BEGIN IMMEDIATE")

    async def append() -> None:
        with pytest.raises(StoreError, match="another process has been writing"):
            await store.append(CHAT, [Message("late")])

    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        async with anyio.create_task_group() as group:
            for _ in range(20):
                group.start_soon(append)
    finally:
        other.close()
        event.remove(Engine, "before_cursor_execute", note)
    assert sum(tried) == 2, "the first one, and those who waited for it"


async def test_a_server_that_is_not_there_is_named_without_the_password() -> None:
    store = SessionStore("postgresql://ann:hunter2@127.0.0.1:1/chats?password=hunter2")
    with pytest.raises(StoreError, match="can be reached, then try again") as raised:
        await store.turns(CHAT)
    assert "127.0.0.1/chats" in str(raised.value)
    assert "hunter2" not in "".join(traceback.format_exception(raised.value))
    assert "hunter2" not in repr(store)


async def test_a_connection_that_was_lost_is_made_again(postgres: str) -> None:
    store = SessionStore(postgres)
    await store.append(CHAT, [Message("kept")])

    def lose(connection: Connection) -> None:
        connection.execute(text("SELECT pg_terminate_backend(pg_backend_pid())"))

    with pytest.raises(StoreError, match="can be reached, then try again"):
        await store._write("", lose)
    lose_all(postgres)
    assert await store.append(CHAT, [Message("again")]) == 2
    await store.aclose()


def lose_all(url: str) -> None:
    engine = create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
    others = "FROM pg_stat_activity WHERE datname = current_database()"
    with engine.connect() as connection:
        end = f"SELECT pg_terminate_backend(pid, 5000) {others} AND pid <> pg_backend_pid()"
        connection.execute(text(end))
    engine.dispose()


async def test_what_the_server_wants_done_again_is_done_again(postgres: str) -> None:
    store = SessionStore(postgres)
    tried = []

    def conflict(connection: Connection) -> int:
        connection.execute(text("CREATE TABLE IF NOT EXISTS tries (n int)"))
        connection.execute(text("INSERT INTO tries VALUES (1)"))
        tried.append(1)
        if len(tried) < 3:
            connection.execute(text("DO $$ BEGIN RAISE serialization_failure; END $$"))
        return int(connection.execute(text("SELECT count(*) FROM tries")).scalar_one())

    assert await store._write("", conflict) == 1
    assert len(tried) == 3
    await store.aclose()


async def test_of_commits_written_together_each_fails_by_itself(store: SessionStore) -> None:
    failed = []

    async def put(number: int) -> None:
        name = "same" if number % 3 else str(number)

        def work(connection: Connection) -> None:
            note = Document(kind="note", name=name, text=str(number))
            documents.put(connection, CHAT, note)
            if number % 3:
                raise ValueError(number)

        try:
            await store._write(CHAT, work)
        except ValueError:
            failed.append(number)

    async with anyio.create_task_group() as group:
        for number in range(9):
            group.start_soon(put, number)
    assert sorted(failed) == [1, 2, 4, 5, 7, 8]
    assert {one.name for one in await store.documents(CHAT, "note")} == {"0", "3", "6"}
