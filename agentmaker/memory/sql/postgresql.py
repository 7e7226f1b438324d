"""A PostgreSQL server: several writers at once, each holding the rows it counts from."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import TypeVar

from sqlalchemy import Connection, Engine, create_engine, text
from sqlalchemy.exc import DBAPIError

from agentmaker.memory.sql import schema
from agentmaker.memory.sql.database import Database

T = TypeVar("T")

_PATIENCE = "10"
"""Seconds to wait for a server, where the URL does not say."""

_TRIES = 8
_PAUSE = 0.05
_AGAIN = frozenset({"40001", "40P01"})
"""States by which the server says that a transaction must be done again: it kept nothing."""

_OURS = 0x61676D6B
"""The server's lock for making the tables."""


class PostgreSQL(Database):
    write_lanes = 8

    def engine(self) -> Engine:
        lanes = self.read_lanes + self.write_lanes
        return create_engine(
            self.url.update_query_dict({"connect_timeout": _PATIENCE, **self.url.query}),
            hide_parameters=True,
            isolation_level="READ COMMITTED",
            max_overflow=lanes,
            pool_pre_ping=True,
            pool_size=lanes,
        )

    def prepare(self, engine: Engine) -> None:
        with engine.connect() as connection:
            current = schema.is_current(connection, self.place)
        if not current:
            self.write(engine, self._create)

    def read(self, engine: Engine, work: Callable[[Connection], T]) -> T:
        alone = engine.execution_options(isolation_level="AUTOCOMMIT")
        with alone.connect() as connection:
            return work(connection)

    def write(self, engine: Engine, work: Callable[[Connection], T]) -> T:
        for tried in range(1, _TRIES):
            try:
                return _in_transaction(engine, work)
            except DBAPIError as error:
                if getattr(error.orig, "sqlstate", None) not in _AGAIN:
                    raise
                time.sleep(random.uniform(0, _PAUSE * tried))
        return _in_transaction(engine, work)

    def _create(self, connection: Connection) -> None:
        connection.execute(text("SELECT pg_advisory_xact_lock(:ours)"), {"ours": _OURS})
        schema.create(connection, self.place)


def _in_transaction(engine: Engine, work: Callable[[Connection], T]) -> T:
    with engine.begin() as connection:
        return work(connection)
