"""Vectors of texts, and texts that wait for theirs; each function is part of a transaction.

A text waits from the moment its passage is kept until there is a vector of it, whatever fails.
Partitions share neither: what one holds tells nothing of another, not even by what it takes.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from agentmaker.memory.index.embedding import BATCH, check_width
from agentmaker.memory.index.items import number_of, packed, unpacked

GIVEN_UP = 8
"""A text that failed so often, each time among fewer others, is not tried again."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """Texts that wait for vectors, and one vector of those they have to be like."""

    digests: Sequence[bytes]
    texts: Sequence[str]
    like: Sequence[bytes]


@dataclass(frozen=True, slots=True)
class Vectors:
    """Those of *embedder* in a *partition*, and the texts that wait there."""

    embedder: str
    partition: str

    def wait(self, connection: sqlite3.Connection, texts: Mapping[bytes, str]) -> int:
        """Have *texts* wait that have no vector yet; how many have one."""
        own = self._own(connection)
        there = "SELECT 1 FROM vector WHERE embedder = ? AND partition = ? AND digest = ?"
        new = [one for one in texts if not connection.execute(there, (*own, one)).fetchone()]
        connection.executemany(
            "INSERT OR IGNORE INTO waiting (embedder, partition, digest, text) VALUES (?, ?, ?, ?)",
            [(*own, digest, packed(texts[digest])) for digest in new],
        )
        return len(texts) - len(new)

    def next(self, connection: sqlite3.Connection) -> Waiting:
        """Those that failed least; fewer at a time where they failed, so that one is found out."""
        rows = connection.execute(
            "SELECT digest, text, failures FROM waiting WHERE embedder = ? AND partition = ? "
            "AND failures < ? ORDER BY failures, rowid LIMIT ?",
            (*self._own(connection), GIVEN_UP, BATCH),
        ).fetchall()
        most = BATCH >> rows[0][2] if rows else 0
        some = rows[: max(1, most)]
        return Waiting(
            [digest for digest, _, _ in some],
            [unpacked(text) for _, text, _ in some],
            a_vector(connection, self.embedder),
        )

    def keep(
        self, connection: sqlite3.Connection, digests: Sequence[bytes], made: Sequence[bytes]
    ) -> None:
        """Keep the vector *made* of each text that still stands in a passage.

        Raises:
            EmbeddingError: vectors of another width were kept meanwhile.
        """
        check_width(*a_vector(connection, self.embedder), *made)
        own = self._own(connection)
        connection.executemany(
            "INSERT OR REPLACE INTO vector (embedder, partition, digest, numbers) "
            "SELECT ?1, ?2, ?3, ?4 "
            "WHERE EXISTS (SELECT 1 FROM passage WHERE digest = ?3 AND partition = ?2)",
            [(*own, digest, one) for digest, one in zip(digests, made, strict=True)],
        )
        self._over(connection, "DELETE FROM waiting", digests)
        connection.execute("UPDATE partition SET changes = changes + 1 WHERE id = ?", own[1:])

    def failed(self, connection: sqlite3.Connection, digests: Sequence[bytes]) -> None:
        """Try these again after all others."""
        self._over(connection, "UPDATE waiting SET failures = failures + 1", digests)

    def _over(self, connection: sqlite3.Connection, change: str, digests: Sequence[bytes]) -> None:
        own = self._own(connection)
        connection.executemany(
            f"{change} WHERE embedder = ? AND partition = ? AND digest = ?",
            [(*own, digest) for digest in digests],
        )

    def _own(self, connection: sqlite3.Connection) -> tuple[bytes, int | None]:
        return packed(self.embedder), number_of(connection, self.partition)


def one_waiting(
    connection: sqlite3.Connection, embedder: str, partitions: Collection[str]
) -> str | None:
    """The first of *partitions* where a text waits that may still be tried."""
    waits = "SELECT 1 FROM waiting WHERE embedder = ? AND partition = ? AND failures < ? LIMIT 1"
    about = ((name, number_of(connection, name)) for name in sorted(partitions))
    return next(
        (
            name
            for name, number in about
            if connection.execute(waits, (packed(embedder), number, GIVEN_UP)).fetchone()
        ),
        None,
    )


def a_vector(connection: sqlite3.Connection, embedder: str) -> Sequence[bytes]:
    """One of this embedder, none where there is none."""
    row = connection.execute(
        "SELECT numbers FROM vector WHERE embedder = ? LIMIT 1", (packed(embedder),)
    ).fetchone()
    return row or ()


def forget(connection: sqlite3.Connection, partition: int | None, digests: Iterable[bytes]) -> None:
    """Forget vectors and texts of a partition that stand in no passage of it any more."""
    for table in ("vector", "waiting"):
        connection.executemany(
            f"DELETE FROM {table} WHERE partition = ?1 AND digest = ?2 AND NOT EXISTS "
            "(SELECT 1 FROM passage WHERE passage.digest = ?2 AND passage.partition = ?1)",
            [(partition, digest) for digest in digests],
        )
