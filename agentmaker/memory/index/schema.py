"""The tables of an index, made where there are none and emptied where they are of another kind."""

from __future__ import annotations

import sqlite3

from agentmaker.context.words import VERSION as WORDS
from agentmaker.errors import StoreError

VERSION = 2
"""Of the tables; a later one is not understood, an earlier one is made again."""

OURS = 0x616D6978
"""What the header of the file says it is."""

PASSAGES = 1 << 20
"""At most so many passages has an item: its number times this, and theirs, make a row's number."""

_TABLES = """
CREATE TABLE partition (
    id INTEGER PRIMARY KEY,
    name BLOB NOT NULL UNIQUE,
    passages INTEGER NOT NULL DEFAULT 0,
    length INTEGER NOT NULL DEFAULT 0,
    changes INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE item (
    id INTEGER PRIMARY KEY,
    partition INTEGER NOT NULL,
    key BLOB NOT NULL,
    revision BLOB NOT NULL,
    data BLOB NOT NULL,
    UNIQUE (partition, key)
);
CREATE TABLE passage (
    id INTEGER PRIMARY KEY,
    partition INTEGER NOT NULL,
    begins INTEGER NOT NULL,
    ends INTEGER NOT NULL,
    length INTEGER NOT NULL,
    digest BLOB NOT NULL
);
CREATE INDEX passage_partition ON passage (partition);
CREATE INDEX passage_digest ON passage (digest);
CREATE TABLE vector (
    id INTEGER PRIMARY KEY,
    embedder BLOB NOT NULL,
    partition INTEGER NOT NULL,
    digest BLOB NOT NULL,
    numbers BLOB NOT NULL,
    UNIQUE (embedder, partition, digest)
);
CREATE INDEX vector_digest ON vector (partition, digest);
CREATE TABLE waiting (
    partition INTEGER NOT NULL,
    digest BLOB NOT NULL,
    embedder BLOB NOT NULL,
    text BLOB NOT NULL,
    failures INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (partition, digest, embedder)
);
CREATE VIRTUAL TABLE words USING fts5(label, text, tokenize = "ascii tokenchars '_'");
CREATE TRIGGER passage_added AFTER INSERT ON passage BEGIN
    UPDATE partition
    SET passages = passages + 1, length = length + new.length, changes = changes + 1
    WHERE id = new.partition;
END;
CREATE TRIGGER passage_removed AFTER DELETE ON passage BEGIN
    UPDATE partition
    SET passages = passages - 1, length = length - old.length, changes = changes + 1
    WHERE id = old.partition;
END;
"""


def prepare(connection: sqlite3.Connection, place: str) -> None:
    """See that the tables are there; other processes may be doing the same.

    Raises:
        StoreError: the file is none of ours, or a later version made it.
    """
    if _is_current(connection, place):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        if not _is_current(connection, place):
            _empty(connection)
            _make(connection)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _is_current(connection: sqlite3.Connection, place: str) -> bool:
    kind, version = _number(connection, "application_id"), _number(connection, "user_version")
    if kind != OURS:
        if _tables(connection):
            raise StoreError(
                f"the file {place} is a database of something else: "
                "give the index a file of its own"
            )
        return False
    if version > _current() and version // 1000 > VERSION:
        raise StoreError(
            f"the index {place} was made by a later version: "
            "update agentmaker, or delete the file, which is made again"
        )
    return version == _current()


def _current() -> int:
    return VERSION * 1000 + WORDS


def _make(connection: sqlite3.Connection) -> None:
    for statement in _statements(_TABLES):
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {OURS}")
    connection.execute(f"PRAGMA user_version = {_current()}")


def _empty(connection: sqlite3.Connection) -> None:
    connection.execute("DROP TABLE IF EXISTS words")
    for table in _tables(connection):
        connection.execute(f'DROP TABLE "{table}"')


def _tables(connection: sqlite3.Connection) -> list[str]:
    found = connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    )
    return [name for (name,) in found]


def _number(connection: sqlite3.Connection, pragma: str) -> int:
    number: int = connection.execute(f"PRAGMA {pragma}").fetchone()[0]
    return number


def _statements(script: str) -> list[str]:
    """`executescript` would commit what was begun."""
    found, begun = [], ""
    for line in script.strip().splitlines():
        begun += f"{line}\n"
        if sqlite3.complete_statement(begun):
            found.append(begun)
            begun = ""
    return found
