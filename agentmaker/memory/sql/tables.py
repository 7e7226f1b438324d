"""The tables, the same in SQLite and in PostgreSQL."""

from __future__ import annotations

import re

from sqlalchemy import BigInteger, Column, Dialect, Index, Integer, MetaData, Table, Text
from sqlalchemy.types import TypeDecorator

from agentmaker.digests import sha256_of
from agentmaker.memory.sql.codec import scope_to_json
from agentmaker.scope import Scope

VERSION = 2
"""Of these tables; one is added with every change that an older version could not read.

2 added the table of stamps.
"""

_LONGEST = 200
"""Characters of a key: three of them fit into an entry of an index of PostgreSQL."""

_UNKEPT = re.compile(r"[\x00\x1a\ud800-\udfff]")
_ESCAPED = re.compile(r"\x1a([0-9a-f]{4})")


def escaped(text: str) -> str:
    """*text* without the characters that one of the databases refuses, so that it comes back."""
    return _UNKEPT.sub(lambda found: f"\x1a{ord(found[0]):04x}", text)


def unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text) if "\x1a" in text else text


class Exact(TypeDecorator[str]):
    """Any string of Python, even one that is no valid Unicode."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        return None if value is None else escaped(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:
        return None if value is None else unescaped(value)


def key_of(text: str) -> str:
    """*text* where it is short, else its beginning and its hash: no two texts have the same."""
    if len(text) <= _LONGEST:
        return text
    return text[:_LONGEST] + sha256_of(text)


def scope_key(scope: Scope) -> str:
    return key_of(scope_to_json(scope))


metadata = MetaData()

schema = Table(
    "agentmaker_schema",
    metadata,
    Column("version", Integer, primary_key=True, autoincrement=False),
)

sessions = Table(
    "agentmaker_sessions",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("key", Exact, nullable=False, unique=True),
    Column("owner", Exact, nullable=False),
    Column("session", Exact, nullable=False),
    Column("turns", Integer, nullable=False),
    Column("version", Integer, nullable=False),
    Column("state", Exact),
    Column("used", BigInteger, nullable=False),
    Index("agentmaker_sessions_of_owner", "owner", "used"),
)

turns = Table(
    "agentmaker_turns",
    metadata,
    Column("session_id", Integer, primary_key=True, autoincrement=False),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("message", Exact, nullable=False),
)

runs = Table(
    "agentmaker_runs",
    metadata,
    Column("id", Exact, primary_key=True),
    Column("agent", Exact, nullable=False),
    Column("kind", Exact, nullable=False),
    Column("status", Exact, nullable=False),
    Column("owner", Exact, nullable=False),
    Column("data", Exact, nullable=False),
    Column("scope", Exact, nullable=False),
    Column("scope_key", Exact, nullable=False),
    Column("scope_owner", Exact, nullable=False),
    Column("entries", Integer, nullable=False),
    Column("created", BigInteger, nullable=False),
    Column("updated", BigInteger, nullable=False),
    Index("agentmaker_runs_latest", "updated"),
    Index("agentmaker_runs_of_owner", "scope_owner", "updated"),
    Index("agentmaker_runs_of_status", "status", "updated"),
)

entries = Table(
    "agentmaker_entries",
    metadata,
    Column("run_id", Exact, primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("kind", Exact, nullable=False),
    Column("data", Exact, nullable=False),
)

documents = Table(
    "agentmaker_documents",
    metadata,
    Column("scope", Exact, primary_key=True),
    Column("kind", Exact, primary_key=True),
    Column("key", Exact, primary_key=True),
    Column("name", Exact, nullable=False),
    Column("gist", Exact, nullable=False),
    Column("text", Exact, nullable=False),
    Column("updated", BigInteger, nullable=False),
)

stamps = Table(
    "agentmaker_stamps",
    metadata,
    Column("scope", Exact, primary_key=True),
    Column("kind", Exact, primary_key=True),
    Column("stamp", Exact, nullable=False),
)
