"""Search by meaning: the passages whose vectors are nearest to one."""

from __future__ import annotations

import importlib.util
import sqlite3
from array import array
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from heapq import nlargest
from operator import mul

from agentmaker.memory.index.fusion import OTHERS, above
from agentmaker.memory.index.items import marks, packed, pieces
from agentmaker.memory.index.places import Part, Ranked, best_of_each
from agentmaker.memory.index.remembered import Remembered
from agentmaker.memory.index.schema import PASSAGES

GRID = 1e6
"""Cosines are rounded to this part of 1, so that numpy and Python find the same order."""


class Nearest:
    """One search of *searched* for what is near to *vector*."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        embedder: str,
        vector: bytes,
        searched: Sequence[Part],
        remembered: Remembered,
    ) -> None:
        self._connection = connection
        self._remembered = remembered
        self._embedder = embedder
        self._cosines = _cosines(vector)
        self._found = [*self._all(searched)]
        nearest = nlargest(OTHERS, (cosine for cosine, _, _ in self._found))
        self._others = nearest[-1] if nearest else 0.0

    def best(self, limit: int) -> list[Ranked]:
        """The nearest passage of each item, the nearest item first."""
        return best_of_each(self._connection, self._found, limit)

    def shares(self, rows: Sequence[int]) -> dict[int, float]:
        """How near those of *rows* are that have a vector, from 0 to 1."""
        vectors = vectors_of(self._connection, self._embedder, rows)
        cosines = self._cosines(b"".join(vectors.values()))
        near = (above(cosine, self._others) for cosine in cosines)
        return dict(zip(vectors, near, strict=True))

    def _all(self, searched: Sequence[Part]) -> Iterator[tuple[float, Part, int]]:
        for part in searched:
            for piece in self._remembered.pieces(self._connection, self._embedder, part):
                cosines = zip(self._cosines(piece.numbers), piece.rows, strict=True)
                yield from (
                    (cosine, part, row) for cosine, row in cosines if part.allows(row // PASSAGES)
                )


def _cosines(vector: bytes) -> Callable[[bytes], list[float]]:
    """Of *vector* to others that stand one behind the other."""
    return partial(_by_numpy if _has_numpy() else _by_hand, vector)


@cache
def _has_numpy() -> bool:
    return importlib.util.find_spec("numpy") is not None


def _by_numpy(vector: bytes, others: bytes) -> list[float]:
    import numpy as np

    one = np.frombuffer(vector, dtype=np.float32).astype(np.float64)
    rows = np.frombuffer(others, dtype=np.float32).reshape(-1, len(one))
    rounded: list[float] = (np.rint((rows.astype(np.float64) @ one) * GRID) / GRID).tolist()
    return rounded


def _by_hand(vector: bytes, others: bytes) -> list[float]:
    one, numbers = array("f", vector), array("f", others)
    rows = (numbers[at : at + len(one)] for at in range(0, len(numbers), len(one)))
    return [round(sum(map(mul, one, row)) * GRID) / GRID for row in rows]


def vectors_of(
    connection: sqlite3.Connection, embedder: str, rows: Sequence[int]
) -> dict[int, bytes]:
    """The vector of each of these passages that has one."""
    found: dict[int, bytes] = {}
    for some in pieces(rows):
        found.update(
            connection.execute(
                "SELECT passage.id, numbers FROM passage CROSS JOIN vector ON vector.embedder = ? "
                "AND vector.partition = passage.partition AND vector.digest = passage.digest "
                f"WHERE passage.id IN ({marks(some)})",
                (packed(embedder), *some),
            ).fetchall()
        )
    return found
