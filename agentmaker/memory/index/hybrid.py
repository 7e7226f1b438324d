"""A search from a query to its hits; each function is part of a transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import replace

from agentmaker.memory.index.candidates import Allowed, Part, Ranked, best_of_each, parts
from agentmaker.memory.index.embedding import check_width
from agentmaker.memory.index.fusion import combined
from agentmaker.memory.index.lexical import Lexical
from agentmaker.memory.index.pending import a_vector
from agentmaker.memory.index.values import Hit
from agentmaker.memory.index.vector_cache import VectorCache
from agentmaker.memory.index.vectors import Nearest, vectors_of

_LEAST, _TIMES = 50, 2
"""Items of each ranking that are compared: so many, or so many times those wanted."""


def hits(
    connection: sqlite3.Connection,
    query: str,
    allowed: Allowed,
    limit: int,
    embedder: str | None,
    vector: bytes | None,
    cache: VectorCache,
) -> tuple[Hit, ...]:
    """What words find, and meaning as well where there is a *vector* of the query.

    Raises:
        EmbeddingError: the vectors kept are of another width.
    """
    searched = [*parts(connection, allowed)]
    words = Lexical(connection, query, searched)
    if vector is None or embedder is None:
        return _hits(connection, words.best(limit), embedder)
    check_width(vector, *a_vector(connection, embedder))
    near = Nearest(connection, embedder, vector, searched, cache)
    return _hits(connection, _together(connection, words, near, limit), embedder)


def are_several(connection: sqlite3.Connection, allowed: Allowed) -> bool:
    """Whether there is anything to choose between."""
    counts = (_some(connection, part, allowed) for part in parts(connection, allowed))
    return sum(counts) > 1


def _some(connection: sqlite3.Connection, part: Part, allowed: Allowed) -> int:
    """How many items may be found there; 2 stands for more."""
    if part.items is not None:
        return min(2, len(part.items))
    rows = connection.execute("SELECT 1 FROM item WHERE partition = ? LIMIT 2", (part.number,))
    return len(rows.fetchall())


def _together(
    connection: sqlite3.Connection, words: Lexical, near: Nearest, limit: int
) -> list[Ranked]:
    """What stands high in either ranking, by both."""
    most = max(_LEAST, _TIMES * limit)
    rows = {each.row: each.part for each in (*words.best(most), *near.best(most))}
    said, meant = words.shares(rows), near.shares([*rows])
    scores = ((combined(said[row], meant.get(row)), part, row) for row, part in rows.items())
    return best_of_each(connection, scores, limit)


def _hits(
    connection: sqlite3.Connection, found: Sequence[Ranked], embedder: str | None
) -> tuple[Hit, ...]:
    rows = [each.row for each in found] if embedder else []
    vectors = vectors_of(connection, embedder or "", rows)
    return tuple(replace(each.hit, embedding=vectors.get(each.row)) for each in found)
