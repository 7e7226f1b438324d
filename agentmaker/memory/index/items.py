"""What is kept of every item, and how it gets there; each function is part of a transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from agentmaker.context.words import tokens
from agentmaker.digests import hashed
from agentmaker.memory.index.bm25 import weighed
from agentmaker.memory.index.schema import PASSAGES
from agentmaker.memory.index.values import Indexed, Kept, Passage

NO_TEXT = Passage("", 0, 0)
"""Stands for the passages of what is found by its label alone."""

NOTHING = b""
"""The digest of what is blank."""

_AT_ONCE = 500
"""Values in one statement; SQLite allows for more."""


def packed(text: str) -> bytes:
    """As names are kept: a file's may hold what is no character."""
    return text.encode("utf-8", "surrogatepass")


def unpacked(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass")


def digest(text: str) -> bytes:
    return hashed(text) if text.strip() else NOTHING


def known(connection: sqlite3.Connection, partition: str, embedder: str | None) -> dict[str, Kept]:
    """What is kept, by key; of what *embedder* never heard of, no revision."""
    number = number_of(connection, partition)
    rows = connection.execute(
        "SELECT id, key, revision, data FROM item WHERE partition = ? ORDER BY key", (number,)
    ).fetchall()
    unheard = _unheard(connection, number, embedder) if embedder else frozenset()
    return {
        unpacked(key): Kept("" if item in unheard else unpacked(revision), unpacked(data))
        for item, key, revision, data in rows
    }


def _unheard(
    connection: sqlite3.Connection, partition: int | None, embedder: str
) -> frozenset[int]:
    """Items with a passage that has no vector of *embedder*, and waits for none."""
    rows = connection.execute(
        f"SELECT DISTINCT id / {PASSAGES} FROM passage WHERE partition = ?1 AND digest <> ?2 "
        "AND NOT EXISTS (SELECT 1 FROM vector WHERE embedder = ?3 "
        "AND vector.partition = ?1 AND vector.digest = passage.digest) "
        "AND NOT EXISTS (SELECT 1 FROM pending WHERE embedder = ?3 "
        "AND pending.partition = ?1 AND pending.digest = passage.digest)",
        (partition, NOTHING, packed(embedder)),
    )
    return frozenset(item for (item,) in rows)


def number_of(connection: sqlite3.Connection, partition: str) -> int | None:
    row = connection.execute("SELECT id FROM partition WHERE name = ?", (packed(partition),))
    found = row.fetchone()
    return found[0] if found else None


def stamp(connection: sqlite3.Connection, partition: str) -> int | None:
    """Another number whenever something in a partition changed; None where there is none."""
    found = connection.execute(
        "SELECT changes FROM partition WHERE name = ?", (packed(partition),)
    ).fetchone()
    return found[0] if found else None


def put(
    connection: sqlite3.Connection,
    partition: str,
    items: Sequence[Indexed],
    gone: Collection[str],
) -> set[bytes]:
    """Keep *items* and forget those *gone*; the digests of what was forgotten."""
    # Not from 0, so that a partition made anew is not taken for the one before.
    connection.execute(
        "INSERT INTO partition (name, changes) VALUES (?, random() / 4) ON CONFLICT DO NOTHING",
        (packed(partition),),
    )
    number = number_of(connection, partition)
    assert number is not None
    latest = {each.key: each for each in items}
    forgotten = _remove(connection, numbers_of(connection, number, {*gone, *latest}))
    for each in latest.values():
        _add(connection, number, each)
    return forgotten


def drop(connection: sqlite3.Connection, partition: str) -> set[bytes]:
    """Forget everything of a partition; its digests."""
    number = number_of(connection, partition)
    rows = connection.execute("SELECT id FROM item WHERE partition = ?", (number,))
    forgotten = _remove(connection, (item for (item,) in rows))
    connection.execute("DELETE FROM partition WHERE id = ?", (number,))
    return forgotten


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


def _remove(connection: sqlite3.Connection, items: Iterable[int]) -> set[bytes]:
    forgotten: set[bytes] = set()
    for item in [*items]:
        digests = connection.execute(
            "SELECT digest FROM passage WHERE id >= ? AND id < ?", _rows(item)
        )
        forgotten.update(digest for (digest,) in digests)
        connection.execute("DELETE FROM words WHERE rowid >= ? AND rowid < ?", _rows(item))
        connection.execute("DELETE FROM passage WHERE id >= ? AND id < ?", _rows(item))
        connection.execute("DELETE FROM item WHERE id = ?", (item,))
    return forgotten


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
    passages = zip(item.passages or (NO_TEXT,), _meant(item), strict=True)
    for at, (passage, meant) in enumerate(passages, first):
        text = tokens(passage.text)
        length = weighed(len(label), len(text))
        connection.execute(
            "INSERT INTO passage VALUES (?, ?, ?, ?, ?, ?)",
            (at, partition, passage.start, passage.end, length, digest(meant)),
        )
        connection.execute(
            "INSERT INTO words (rowid, label, text) VALUES (?, ?, ?)",
            (at, _marked(partition, label), _marked(partition, text)),
        )


def texts(items: Iterable[Indexed]) -> Mapping[bytes, str]:
    """What is embedded of *items*, by its digest; nothing can be made of what is blank."""
    every = dict.fromkeys(text for item in items for text in _meant(item) if text.strip())
    return {digest(text): text for text in every}


def _meant(item: Indexed) -> Sequence[str]:
    """The text of each passage, or the label of what has none."""
    return [passage.text for passage in item.passages] or [item.label]


def _marked(partition: int, words: Sequence[str]) -> str:
    """*words* as those of a partition: what stands in others is not even looked at."""
    return " ".join([f"{partition}_{word}" for word in words])
