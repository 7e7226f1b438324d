"""The SQLite file of an index, or one in memory: one that writes, others that read meanwhile."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import TypeVar

from agentmaker.errors import StoreError
from agentmaker.memory.index import schema

T = TypeVar("T")
Work = Callable[[sqlite3.Connection], T]

PATIENCE = 30.0
"""Seconds to wait for other processes that write."""

CACHE = 8_192
"""Kilobytes of the file that each connection remembers."""

_PAUSE = 0.02

_HINTS = {
    "no such module": "use a build of Python whose SQLite has FTS5",
    "disk is full": "make room, then try again",
    "disk i/o error": "see that the disk works and has room, then try again",
    "readonly": "give write permission, or another place",
    "unable to open": "see that its folder exists and can be written to",
    "locked": "another process has been writing all the time: try again",
    "busy": "another process has been writing all the time: try again",
}
_DAMAGED = "it is damaged or none of ours: delete it, it is only an index and is made again"


class Database:
    """Opened by the first work; opened again by the first after it was closed.

    What is called from several threads waits for its turn where it must.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._writing = Lock()
        self._opening = Lock()
        self._idle: list[sqlite3.Connection] = []
        self._ready = False
        self._closed = 0

    def read(self, work: Work[T]) -> T:
        """Do *work* on what was there when it began."""
        # What is in memory has one connection, and it is whose turn it is.
        if self.path is None:
            return self.write(work)
        with self._translated(), self._lent() as connection:
            return _transaction(connection, "BEGIN", work)

    def write(self, work: Work[T]) -> T:
        """Do *work* wholly or not at all."""
        with self._translated(), self._writing, self._lent() as connection:
            return _transaction(connection, "BEGIN IMMEDIATE", work)

    def close(self) -> None:
        """Give back what is not in use now, and the rest when it is not; memory is forgotten."""
        with self._opening:
            self._closed += 1
            self._ready = False
            while self._idle:
                self._idle.pop().close()

    @contextmanager
    def _lent(self) -> Iterator[sqlite3.Connection]:
        connection, closed = self._connection(), self._closed
        try:
            yield connection
        finally:
            with self._opening:
                if closed == self._closed:
                    self._idle.append(connection)
                else:
                    connection.close()

    def _connection(self) -> sqlite3.Connection:
        with self._opening:
            if self._idle:
                return self._idle.pop()
            connection = self._connected()
            try:
                if not self._ready:
                    self._prepare(connection)
                    self._ready = True
                # An index that lost its last changes with the power is whole, and made up for.
                connection.execute("PRAGMA synchronous = NORMAL")
                connection.execute(f"PRAGMA cache_size = {-CACHE}")
            except BaseException:
                connection.close()
                raise
            return connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        schema.prepare(connection, str(self.path))
        if self.path is not None:
            _use_wal(connection)

    def _connected(self) -> sqlite3.Connection:
        # Transactions begin where we say so; a connection is only ever in one thread at a time.
        return sqlite3.connect(
            self.path or ":memory:",
            timeout=PATIENCE,
            isolation_level=None,
            check_same_thread=False,
        )

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Raise errors of SQLite as a `StoreError` that says what to do."""
        try:
            yield
        except sqlite3.Error as error:
            if self.path is not None:
                self.close()  # so that another file put in its place is seen
            said = str(error).lower()
            hint = next((hint for word, hint in _HINTS.items() if word in said), _DAMAGED)
            raise StoreError(f"the index {self.path} failed ({error}): {hint}") from error


def _transaction(connection: sqlite3.Connection, begin: str, work: Work[T]) -> T:
    connection.execute(begin)
    try:
        value = work(connection)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return value


def _use_wal(connection: sqlite3.Connection) -> None:
    """Let readers and a writer work at once; SQLite does not wait for others by itself here."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(_PAUSE)
        else:
            return
