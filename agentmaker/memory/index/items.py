"""What is kept of every item, and how it gets there; each function is part of a transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator, Sequence
from hashlib import blake2b

from agentmaker.context.words import tokens
from agentmaker.memory.index.ranking import weighed
from agentmaker.memory.index.schema import PASSAGES
from agentmaker.memory.index.values import Indexed, Kept, Passage

NO_TEXT = Passage("", 0, 0)
"""Stands for the passages of what is found by its label alone."""

_AT_ONCE = 500
"""Values in one statement; SQLite allows for more."""


def packed(text: str) -> bytes:
    """As names are kept: a file's may hold what is no character."""
    return text.encode("utf-8", "surrogatepass")


def unpacked(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass")


def digest(text: str) -> bytes:
    return blake2b(packed(text), digest_size=16).digest()


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
    items: Sequence[Indexed],
    gone: Collection[str],
) -> None:
    connection.execute(
        "INSERT INTO partition (name) VALUES (?) ON CONFLICT DO NOTHING", (packed(partition),)
    )
    number = number_of(connection, partition)
    assert number is not None
    latest = {each.key: each for each in items}
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


def rows_of(connection: sqlite3.Connection, items: Collection[int]) -> Iterator[int]:
    """The passages of *items*."""
    for item in items:
        rows = connection.execute("SELECT id FROM passage WHERE id >= ? AND id < ?", _rows(item))
        yield from [row for (row,) in rows]


def pieces(values: Sequence[bytes] | Sequence[int]) -> Iterator[Sequence[bytes | int]]:
    """*values*, so many at a time as a statement holds."""
    return (values[at : at + _AT_ONCE] for at in range(0, len(values), _AT_ONCE))


def marks(values: Sequence[object]) -> str:
    return ",".join("?" * len(values))


def _remove(connection: sqlite3.Connection, partition: int, keys: Collection[str]) -> None:
    for item in [*numbers_of(connection, partition, keys)]:
        _remove_item(connection, item)


def _remove_item(connection: sqlite3.Connection, item: int) -> None:
    connection.execute("DELETE FROM words WHERE rowid >= ? AND rowid < ?", _rows(item))
    connection.execute("DELETE FROM passage WHERE id >= ? AND id < ?", _rows(item))
    connection.execute("DELETE FROM item WHERE id = ?", (item,))


def _rows(item: int) -> tuple[int, int]:
    """The first of an item's rows, and the first of the next one's."""
    return item * PASSAGES, (item + 1) * PASSAGES


def _add(connection: sqlite3.Connection, partition: int, item: Indexed) -> None:
    added = connection.execute(
        "INSERT INTO item (partition, key, revision, data) VALUES (?, ?, ?, ?)",
        (partition, packed(item.key), packed(item.revision), packed(item.data)),
    )
    label = tokens(item.label)
    first = (added.lastrowid or 0) * PASSAGES
    for at, passage in enumerate(item.passages or (NO_TEXT,), first):
        text = tokens(passage.text)
        length = weighed(len(label), len(text))
        connection.execute(
            "INSERT INTO passage VALUES (?, ?, ?, ?, ?, ?)",
            (at, partition, passage.start, passage.end, length, digest(meant(item, passage))),
        )
        connection.execute(
            "INSERT INTO words (rowid, label, text) VALUES (?, ?, ?)",
            (at, _marked(partition, label), _marked(partition, text)),
        )


def meant(item: Indexed, passage: Passage) -> str:
    """What is embedded of a passage: its text, or the label of what has none."""
    return passage.text if item.passages else item.label


def _marked(partition: int, words: Sequence[str]) -> str:
    """*words* as those of a partition: what stands in others is not even looked at."""
    return " ".join([f"{partition}_{word}" for word in words])
