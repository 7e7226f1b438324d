"""A SQLite file: readers beside one writer, and commits that wait are written together."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Sequence
from threading import Lock
from typing import Any, TypeVar

from sqlalchemy import URL, Connection, Engine, create_engine, event, inspect
from sqlalchemy.exc import OperationalError

from agentmaker.errors import ConfigError
from agentmaker.memory.sql import schema
from agentmaker.memory.sql.database import Database
from agentmaker.memory.sql.door import translated
from agentmaker.memory.sql.lanes import Job

T = TypeVar("T")

PATIENCE = 30.0
"""Seconds to wait for other processes that write."""

OLDEST = (3, 35, 0)
"""The first SQLite that says what a statement changed."""

_PAUSE = 0.02


class SQLite(Database):
    def __init__(self, url: URL, place: str) -> None:
        super().__init__(url, place)
        if sqlite3.sqlite_version_info < OLDEST:
            raise ConfigError(
                f"Python's SQLite is {sqlite3.sqlite_version}, a store needs 3.35 or later: "
                "use another build of Python, or PostgreSQL"
            )
        self._writing = Lock()

    def engine(self) -> Engine:
        engine = create_engine(self.url, connect_args={"timeout": PATIENCE}, hide_parameters=True)
        event.listen(engine, "connect", _set_up)
        return engine

    def prepare(self, engine: Engine) -> None:
        with engine.connect() as connection:
            _use_wal(connection)
            if not schema.is_current(connection, self.place):
                self.write(engine, self._create)

    def read(self, engine: Engine, work: Callable[[Connection], T]) -> T:
        with engine.connect() as connection:
            return work(connection)

    def write(self, engine: Engine, work: Callable[[Connection], T]) -> T:
        with self._writing, engine.begin() as connection:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            return work(connection)

    def write_all(self, engine: Engine, jobs: Sequence[Job[Any]]) -> None:
        """Write *jobs* in one transaction; where one of them fails, each in its own."""
        try:
            values = self.write(engine, lambda connection: [job.work(connection) for job in jobs])
        except Exception as error:
            if _is_locked(error):
                # Alone, each of them would only wait as long again.
                with translated(self.place):
                    raise
            self.settle_each(engine, jobs, self.write)
        else:
            for job, value in zip(jobs, values, strict=True):
                job.succeed(value)

    def _create(self, connection: Connection) -> None:
        ours = schema.found_version(connection, self.place)
        if not ours and inspect(connection).get_table_names():
            raise ConfigError(
                f"the store {self.place} is a database of something else: "
                "give the store a file of its own"
            )
        schema.create(connection, self.place)


def _set_up(connection: sqlite3.Connection, record: object) -> None:
    # Transactions begin where we say so, and a statement outside of one stands for itself.
    connection.isolation_level = None
    connection.execute("PRAGMA synchronous = FULL")


def _is_locked(error: Exception) -> bool:
    return isinstance(error, OperationalError) and "locked" in str(error.orig)


def _use_wal(connection: Connection) -> None:
    """Let readers and a writer work at once; SQLite does not wait for others by itself here."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            connection.exec_driver_sql("PRAGMA journal_mode = WAL")
        except OperationalError as error:
            if not _is_locked(error) or time.monotonic() > deadline:
                raise
            time.sleep(_PAUSE)
        else:
            return
