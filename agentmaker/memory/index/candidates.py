"""Where a search looks, and what its rows stand for."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest

from agentmaker.memory.index.items import marks, numbers_of, packed, pieces, unpacked
from agentmaker.memory.index.schema import PASSAGES
from agentmaker.memory.index.values import Hit

Allowed = Mapping[str, Collection[str] | None]


@dataclass(frozen=True, slots=True)
class Part:
    """A partition that is searched.

    Attributes:
        items: those allowed, None for all.
        totals: its passages and their lengths.
        changes: another number whenever something in it changed.
    """

    name: str
    number: int
    items: frozenset[int] | None
    totals: tuple[int, int]
    changes: int

    def allows(self, item: int) -> bool:
        return self.items is None or item in self.items


@dataclass(frozen=True, slots=True)
class Ranked:
    """A passage in its place among those found."""

    score: float
    part: Part
    row: int
    hit: Hit

    @property
    def order(self) -> tuple[float, str, str, int, int]:
        """The best first; what is as good stands by its name, not as it happened to be put."""
        return -self.score, self.hit.partition, self.hit.key, self.hit.start, self.row % PASSAGES


def parts(connection: sqlite3.Connection, allowed: Allowed) -> Iterator[Part]:
    """Those of the partitions that are there."""
    for name in sorted(allowed):
        found = connection.execute(
            "SELECT id, passages, length, changes FROM partition WHERE name = ?", (packed(name),)
        ).fetchone()
        if found:
            number, passages, length, changes = found
            keys = allowed[name]
            items = None if keys is None else frozenset(numbers_of(connection, number, keys))
            yield Part(name, number, items, (passages, length), changes)


def best_of_each(
    connection: sqlite3.Connection, found: Iterable[tuple[float, Part, int]], limit: int
) -> list[Ranked]:
    """The best passage of each item, of at most *limit* items."""
    best: dict[int, tuple[float, Part, int]] = {}
    for each in found:
        item = each[2] // PASSAGES
        if item not in best or _before(each, best[item]):
            best[item] = each
    least = min(nlargest(limit, (score for score, _, _ in best.values())), default=0.0)
    # All that are as good as the last one: their names decide which of them is.
    some = [each for each in best.values() if each[0] >= least]
    return sorted(_ranked(connection, some), key=lambda each: each.order)[:limit]


def _before(one: tuple[float, Part, int], other: tuple[float, Part, int]) -> bool:
    return (-one[0], one[2]) < (-other[0], other[2])


def _ranked(
    connection: sqlite3.Connection, found: Sequence[tuple[float, Part, int]]
) -> Iterator[Ranked]:
    by_row = {row: (score, part) for score, part, row in found}
    for some in pieces([*by_row]):
        rows = connection.execute(
            "SELECT passage.id, key, revision, begins, ends FROM passage "
            f"JOIN item ON item.id = passage.id / {PASSAGES} WHERE passage.id IN ({marks(some)})",
            some,
        )
        for row, key, revision, start, end in rows:
            score, part = by_row[row]
            yield Ranked(
                score,
                part,
                row,
                Hit(
                    partition=part.name,
                    key=unpacked(key),
                    revision=unpacked(revision),
                    score=score,
                    start=start,
                    end=end,
                ),
            )
