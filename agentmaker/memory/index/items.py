"""What is kept of every item, and how it gets there; each function is part of a transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from agentmaker.context.words import tokens
from agentmaker.errors import ConfigError
from agentmaker.memory.index.schema import PASSAGES
from agentmaker.memory.index.values import Indexed, Kept, Passage

_AT_ONCE = 500
"""Values in one statement; SQLite allows for more."""


@dataclass(frozen=True, slots=True)
class Row:
    """A passage as it is kept, without the numbers of its item and partition."""

    passage: Passage
    label: Sequence[str]
    tokens: Sequence[str]
    digest: bytes


@dataclass(frozen=True, slots=True)
class Prepared:
    """An item whose words have been read, which takes longer than keeping it."""

    item: Indexed
    rows: tuple[Row, ...]


def packed(text: str) -> bytes:
    """As names are kept: a file's may hold what is no character."""
    return text.encode("utf-8", "surrogatepass")


def unpacked(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass")


def digest(text: str) -> bytes:
    return blake2b(packed(text), digest_size=16).digest()


def prepared(item: Indexed) -> Prepared:
    """Raises ConfigError: it has too many passages."""
    passages = item.passages or (Passage(item.label, 0, 0),)
    if len(passages) >= PASSAGES:
        raise ConfigError(f"{len(passages)} passages in one item: index it in several")
    label = tokens(item.label)
    has_text = bool(item.passages)
    rows = (
        Row(each, label, tokens(each.text) if has_text else (), digest(each.text))
        for each in passages
    )
    return Prepared(item, tuple(rows))


def known(connection: sqlite3.Connection, partition: str) -> dict[str, Kept]:
    rows = connection.execute(
        "SELECT key, revision, data FROM item WHERE partition = ? ORDER BY key",
        (number_of(connection, partition),),
    )
    return {unpacked(key): Kept(unpacked(revision), unpacked(data)) for key, revision, data in rows}


def number_of(connection: sqlite3.Connection, partition: str) -> int | None:
    row = connection.execute("SELECT id FROM partition WHERE name = ?", (packed(partition),))
    found = row.fetchone()
    return found[0] if found else None


def put(
    connection: sqlite3.Connection,
    partition: str,
    items: Sequence[Prepared],
    gone: Collection[str],
) -> None:
    connection.execute(
        "INSERT INTO partition (name) VALUES (?) ON CONFLICT DO NOTHING", (packed(partition),)
    )
    number = number_of(connection, partition)
    assert number is not None
    latest = {each.item.key: each for each in items}
    _remove(connection, number, {*gone, *latest})
    for each in latest.values():
        _add(connection, number, each)


def drop(connection: sqlite3.Connection, partition: str) -> None:
    number = number_of(connection, partition)
    if number is None:
        return
    rows = connection.execute("SELECT id FROM item WHERE partition = ?", (number,))
    for (item,) in rows.fetchall():
        _remove_item(connection, item)
    connection.execute("DELETE FROM partition WHERE id = ?", (number,))


def numbers_of(
    connection: sqlite3.Connection, partition: int, keys: Collection[str]
) -> Iterator[int]:
    """The items of *keys* there are."""
    for some in pieces([*map(packed, keys)]):
        rows = connection.execute(
            f"SELECT id FROM item WHERE partition = ? AND key IN ({marks(some)})",
            (partition, *some),
        )
        yield from [item for (item,) in rows]


def pieces(values: Sequence[bytes] | Sequence[int]) -> Iterator[Sequence[bytes | int]]:
    """*values*, so many at a time as a statement holds."""
    return (values[at : at + _AT_ONCE] for at in range(0, len(values), _AT_ONCE))


def marks(values: Sequence[object]) -> str:
    return ",".join("?" * len(values))


def _remove(connection: sqlite3.Connection, partition: int, keys: Collection[str]) -> None:
    for item in [*numbers_of(connection, partition, keys)]:
        _remove_item(connection, item)


def _remove_item(connection: sqlite3.Connection, item: int) -> None:
    rows = item * PASSAGES, (item + 1) * PASSAGES
    connection.execute("DELETE FROM words WHERE rowid >= ? AND rowid < ?", rows)
    connection.execute("DELETE FROM passage WHERE id >= ? AND id < ?", rows)
    connection.execute("DELETE FROM item WHERE id = ?", (item,))


def _add(connection: sqlite3.Connection, partition: int, prepared: Prepared) -> None:
    item = prepared.item
    added = connection.execute(
        "INSERT INTO item (partition, key, revision, data) VALUES (?, ?, ?, ?)",
        (partition, packed(item.key), packed(item.revision), packed(item.data)),
    )
    first = (added.lastrowid or 0) * PASSAGES
    for at, row in enumerate(prepared.rows, first):
        values = (at, partition, row.passage.start, row.passage.end, len(row.tokens), row.digest)
        connection.execute("INSERT INTO passage VALUES (?, ?, ?, ?, ?, ?)", values)
        connection.execute(
            "INSERT INTO words (rowid, label, text) VALUES (?, ?, ?)",
            (at, marked(partition, row.label), marked(partition, row.tokens)),
        )


def marked(partition: int, words: Sequence[str]) -> str:
    """*words* as those of a partition: what stands in others is not even looked at."""
    return " ".join([f"{partition}_{word}" for word in words])
