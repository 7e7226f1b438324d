"""Vectors of texts, and texts that wait for theirs; each function is part of a transaction.

A text waits from the moment its passage is kept until there is a vector of it, whatever fails.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from agentmaker.memory.index.embedding import BATCH, check_width
from agentmaker.memory.index.items import packed, unpacked

GIVEN_UP = 8
"""A text that failed so often, each time among fewer others, is not tried again."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """Texts that wait for vectors, and one vector of those they have to be like."""

    digests: Sequence[bytes]
    texts: Sequence[str]
    like: Sequence[bytes]


def wait(connection: sqlite3.Connection, embedder: str, texts: Mapping[bytes, str]) -> int:
    """Have *texts* wait that have no vector yet; how many have one."""
    before = _vectors(connection, embedder, texts)
    connection.executemany(
        "INSERT OR IGNORE INTO waiting (embedder, digest, text) VALUES (?, ?, ?)",
        [
            (packed(embedder), digest, packed(text))
            for digest, text in texts.items()
            if digest not in before
        ],
    )
    return len(before)


def next_waiting(connection: sqlite3.Connection, embedder: str) -> Waiting:
    """Those that failed least; fewer at a time where they failed, so that one is found out."""
    rows = connection.execute(
        "SELECT digest, text, failures FROM waiting WHERE embedder = ? AND failures < ? "
        "ORDER BY failures, rowid LIMIT ?",
        (packed(embedder), GIVEN_UP, BATCH),
    ).fetchall()
    most = BATCH >> rows[0][2] if rows else 0
    some = rows[: max(1, most)]
    return Waiting(
        [digest for digest, _, _ in some],
        [unpacked(text) for _, text, _ in some],
        a_vector(connection, embedder),
    )


def a_vector(connection: sqlite3.Connection, embedder: str) -> Sequence[bytes]:
    """One of this embedder, none where there is none."""
    row = connection.execute(
        "SELECT numbers FROM vector WHERE embedder = ? LIMIT 1", (packed(embedder),)
    ).fetchone()
    return row or ()


def keep(
    connection: sqlite3.Connection, embedder: str, digests: Sequence[bytes], made: Sequence[bytes]
) -> None:
    """Keep the vector *made* of each text that still stands in a passage.

    Raises:
        EmbeddingError: vectors of another width were kept meanwhile.
    """
    check_width(*a_vector(connection, embedder), *made)
    connection.executemany(
        "INSERT OR REPLACE INTO vector (embedder, digest, numbers) SELECT ?1, ?2, ?3 "
        "WHERE EXISTS (SELECT 1 FROM passage WHERE digest = ?2)",
        [(packed(embedder), digest, one) for digest, one in zip(digests, made, strict=True)],
    )
    _over(connection, "DELETE FROM waiting", embedder, digests)
    connection.execute("UPDATE partition SET changes = changes + 1")


def failed(connection: sqlite3.Connection, embedder: str, digests: Sequence[bytes]) -> None:
    """Try these again after all others."""
    _over(connection, "UPDATE waiting SET failures = failures + 1", embedder, digests)


def forget(connection: sqlite3.Connection, digests: Iterable[bytes]) -> None:
    """Forget vectors and texts that stand in no passage any more."""
    for table in ("vector", "waiting"):
        connection.executemany(
            f"DELETE FROM {table} WHERE digest = ?1 "
            "AND NOT EXISTS (SELECT 1 FROM passage WHERE passage.digest = ?1)",
            [(digest,) for digest in digests],
        )


def _vectors(connection: sqlite3.Connection, embedder: str, digests: Iterable[bytes]) -> set[bytes]:
    there = "SELECT 1 FROM vector WHERE embedder = ? AND digest = ?"
    name = packed(embedder)
    return {one for one in digests if connection.execute(there, (name, one)).fetchone()}


def _over(
    connection: sqlite3.Connection, change: str, embedder: str, digests: Sequence[bytes]
) -> None:
    connection.executemany(
        f"{change} WHERE embedder = ? AND digest = ?",
        [(packed(embedder), digest) for digest in digests],
    )
