"""Search by meaning: the passages whose vectors are nearest to one.

They are read at every search: nothing of them stays in memory.
"""

from __future__ import annotations

import importlib.util
import sqlite3
from array import array
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from operator import mul

from agentmaker.memory.index.fusion import above
from agentmaker.memory.index.items import marks, packed, pieces
from agentmaker.memory.index.places import Part, Ranked, best_of_each
from agentmaker.memory.index.schema import PASSAGES

GRID = 1e6
"""Cosines are rounded to this part of 1, so that numpy and Python find the same order."""

_PIECE = 512


class Nearest:
    """One search of *searched* for what is near to *vector*."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        embedder: str,
        vector: bytes,
        searched: Sequence[Part],
    ) -> None:
        self._connection = connection
        self._embedder = embedder
        self._cosines = _cosines(vector)
        self._found = [*self._all(searched)]
        self._least = min((cosine for cosine, _, _ in self._found), default=0.0)

    def best(self, limit: int) -> list[Ranked]:
        """The nearest passage of each item, the nearest item first."""
        return best_of_each(self._connection, self._found, limit)

    def shares(self, rows: Sequence[int]) -> dict[int, float]:
        """How near those of *rows* are that have a vector, from 0 to 1."""
        vectors = vectors_of(self._connection, self._embedder, rows)
        cosines = self._cosines([*vectors.values()]) if vectors else []
        near = (above(cosine, self._least) for cosine in cosines)
        return dict(zip(vectors, near, strict=True))

    def _all(self, searched: Sequence[Part]) -> Iterator[tuple[float, Part, int]]:
        for part in searched:
            for rows, vectors in _vectors(self._connection, self._embedder, part):
                yield from (
                    (cosine, part, row)
                    for cosine, row in zip(self._cosines(vectors), rows, strict=True)
                )


def _vectors(
    connection: sqlite3.Connection, embedder: str, part: Part
) -> Iterator[tuple[list[int], list[bytes]]]:
    """Piece by piece: together they may be larger than memory."""
    found = connection.execute(
        "SELECT passage.id, numbers FROM passage CROSS JOIN vector "
        "ON vector.embedder = ? AND vector.digest = passage.digest WHERE passage.partition = ? "
        "ORDER BY passage.id",
        (packed(embedder), part.number),
    )
    while some := found.fetchmany(_PIECE):
        allowed = [(row, numbers) for row, numbers in some if part.allows(row // PASSAGES)]
        if allowed:
            yield [row for row, _ in allowed], [numbers for _, numbers in allowed]


def _cosines(vector: bytes) -> Callable[[Sequence[bytes]], list[float]]:
    return partial(_by_numpy if _has_numpy() else _by_hand, vector)


@cache
def _has_numpy() -> bool:
    return importlib.util.find_spec("numpy") is not None


def _by_numpy(vector: bytes, others: Sequence[bytes]) -> list[float]:
    import numpy as np

    rows = np.frombuffer(b"".join(others), dtype=np.float32).reshape(len(others), -1)
    dots = rows.astype(np.float64) @ np.frombuffer(vector, dtype=np.float32).astype(np.float64)
    rounded: list[float] = (np.rint(dots * GRID) / GRID).tolist()
    return rounded


def _by_hand(vector: bytes, others: Sequence[bytes]) -> list[float]:
    numbers = array("f", vector)
    dots = (sum(map(mul, numbers, array("f", other))) for other in others)
    return [round(dot * GRID) / GRID for dot in dots]


def vectors_of(
    connection: sqlite3.Connection, embedder: str, rows: Sequence[int]
) -> dict[int, bytes]:
    """The vector of each of these passages that has one."""
    found: dict[int, bytes] = {}
    for some in pieces(rows):
        found.update(
            connection.execute(
                "SELECT passage.id, numbers FROM passage CROSS JOIN vector ON vector.embedder = ? "
                f"AND vector.digest = passage.digest WHERE passage.id IN ({marks(some)})",
                (packed(embedder), *some),
            ).fetchall()
        )
    return found
