"""Search by words: SQLite's FTS5 finds candidates, and BM25 over what is searched orders them."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from agentmaker.context.words import is_cjk, sought
from agentmaker.memory.index.items import marks, number_of, numbers_of, pieces, unpacked
from agentmaker.memory.index.schema import PASSAGES
from agentmaker.memory.index.values import Hit

LABEL = 3.0
"""What a word of the label counts, where one of the passage counts 1."""

Allowed = Mapping[str, Collection[str] | None]


@dataclass(frozen=True, slots=True)
class Place:
    """A passage and its item, by name; sorted as they are where nothing else decides."""

    partition: str
    key: str
    start: int
    end: int
    row: int
    revision: str


@dataclass(frozen=True, slots=True)
class Part:
    """A partition that is searched, and the items allowed in it, None for all."""

    name: str
    number: int
    items: frozenset[int] | None

    def allows(self, row: int) -> bool:
        return self.items is None or row // PASSAGES in self.items


def search(connection: sqlite3.Connection, query: str, allowed: Allowed, limit: int) -> list[Hit]:
    words = sought(query)
    if not words or limit < 1:
        return []
    scored = [
        (score, place)
        for part in parts(connection, allowed)
        for score, place in _found(connection, part, words, limit)
    ]
    scored.sort(key=lambda each: (-each[0], each[1].partition, each[1].key, each[1].start))
    return [_hit(score, place) for score, place in scored[:limit]]


def parts(connection: sqlite3.Connection, allowed: Allowed) -> Iterator[Part]:
    for name in sorted(allowed):
        number, keys = number_of(connection, name), allowed[name]
        if number is not None:
            items = None if keys is None else frozenset(numbers_of(connection, number, keys))
            yield Part(name, number, items)


def _found(
    connection: sqlite3.Connection, part: Part, words: Sequence[str], limit: int
) -> Iterator[tuple[float, Place]]:
    rows = connection.execute(
        "SELECT rowid, bm25(words, ?, 1.0) AS rank FROM words WHERE words MATCH ? ORDER BY rank",
        (LABEL, expression(part.number, words)),
    )
    best: dict[int, tuple[float, int]] = {}
    last = 0.0
    for row, rank in rows:
        item = row // PASSAGES
        if len(best) >= limit and rank > last:
            break
        if item not in best and part.allows(row):
            best[item] = (rank, row)
            last = rank
    places = located(connection, part.name, [row for _, row in best.values()])
    for rank, row in best.values():
        yield -rank, places[row]


def located(
    connection: sqlite3.Connection, partition: str, rows: Sequence[int]
) -> dict[int, Place]:
    places = {}
    for some in pieces(rows):
        found = connection.execute(
            "SELECT passage.id, key, revision, begins, ends FROM passage "
            f"JOIN item ON item.id = passage.id / {PASSAGES} WHERE passage.id IN ({marks(some)})",
            some,
        )
        for row, key, revision, start, end in found:
            name = unpacked(key)
            places[row] = Place(partition, name, start, end, row, unpacked(revision))
    return places


def expression(partition: int, words: Sequence[str]) -> str:
    """A query of FTS5: *words* are quoted, and of letters and digits only."""
    return " OR ".join(phrase(partition, word) for word in words)


def phrase(partition: int, word: str) -> str:
    return f'"{partition}_{word}"' + "*" * (len(word) == 1 and is_cjk(word))


def _hit(score: float, place: Place) -> Hit:
    return Hit(
        partition=place.partition,
        key=place.key,
        revision=place.revision,
        score=score,
        start=place.start,
        end=place.end,
    )
