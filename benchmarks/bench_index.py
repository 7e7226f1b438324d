"""20,000 texts of 1 KB in an index and in a task: built, searched, changed and opened again.

A file and memory are measured in a process of their own each. Times are by the clock.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median

import anyio

from agentmaker.memory.index import Index
from benchmarks import bound, command, generations
from benchmarks.bound import CHANGED, MOST_MB, MOST_MS, MOST_SECONDS
from benchmarks.clock import clocked
from benchmarks.figures import Bar, Cells, Report, Table
from benchmarks.processes import peak_memory, spread
from benchmarks.rows import newer, newest
from benchmarks.shelf import Shelf, queries

COUNT = 20_000
ALLOWED = 5_000
LIMIT = 16
AT_ONCE = 1_000
"""Texts in one `put`: who indexes 20,000 files does not hold them all."""

PARTITION = "shelf"


@dataclass(frozen=True, slots=True)
class Asked:
    """Milliseconds of every query of a kind, of all texts and of some."""

    kind: str
    every: Sequence[float]
    some: Sequence[float]

    @property
    def medians(self) -> tuple[float, float]:
        return median(self.every), median(self.some)

    @property
    def row(self) -> Cells:
        return (self.kind, *(f"{ms:.1f}" for ms in (*self.medians, max(*self.every, *self.some))))


@dataclass(frozen=True, slots=True)
class Measured:
    """One index: seconds, milliseconds, megabytes, and rows written."""

    place: str
    built: float
    updated: float
    written: int
    reopened: float
    put_again: int
    peak: float
    size: float
    asked: Sequence[Asked]

    @property
    def row(self) -> Cells:
        is_file = self.place == "a file"
        return (
            self.place,
            f"{self.built:.1f}",
            f"{self.updated * 1_000:.0f}",
            f"{self.written}" if is_file else "",
            f"{self.reopened * 1_000:.0f}" if is_file else "",
            f"{self.put_again}" if is_file else "",
            f"{self.peak:.0f}",
            f"{self.size:.0f}" if is_file else "",
        )

    def bars(self) -> Iterator[Bar]:
        slowest = max(ms for asked in self.asked for ms in asked.medians)
        yield Bar(
            f"{self.place}: built in {MOST_SECONDS} s", f"{self.built:.1f} s",
            self.built < MOST_SECONDS,
        )  # fmt: skip
        yield Bar(
            f"{self.place}: every kind of query within {MOST_MS} ms at the median",
            f"{slowest:.1f} ms",
            slowest < MOST_MS,
        )
        yield Bar(
            f"{self.place}: less than {MOST_MB} MB", f"{self.peak:.0f} MB", self.peak < MOST_MB
        )
        if self.place == "a file":
            yield from self._file_bars()

    def _file_bars(self) -> Iterator[Bar]:
        yield Bar(
            f"{CHANGED} changed texts write {CHANGED}",
            f"{self.written} written",
            self.written == CHANGED,
        )
        yield Bar(
            "a stored index is known within a second, and nothing is put again",
            f"{self.reopened * 1_000:.0f} ms, {self.put_again} put",
            self.reopened < 1 and not self.put_again,
        )


def one(place: str, count: int = COUNT) -> Measured:
    """Found by name in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "index.db" if place == "a file" else None
        return anyio.run(measured_at, place, path, count)


async def measured_at(place: str, path: Path | None, count: int) -> Measured:
    index, shelf = Index(path), Shelf(count)
    built = await _built(index, shelf)
    asked = [await _asked(index, shelf, kind, some) for kind, some in queries().items()]
    before = newest(path)
    updated = await _updated(index, shelf)
    written = newer(path, before)
    again = index
    if path is not None:
        await index.aclose()
        again = Index(path)
    reopened, put_again = await _reopened(again, shelf)
    size = _size(path)
    await again.aclose()
    return Measured(place, built, updated, written, reopened, put_again, peak_memory(), size, asked)


async def _built(index: Index, shelf: Shelf) -> float:
    """Making the texts is not counted."""
    taken = 0.0
    for first in range(0, shelf.count, AT_ONCE):
        some = [*shelf.items(range(first, min(shelf.count, first + AT_ONCE)))]
        seconds, _ = await clocked(index.put(PARTITION, some))
        taken += seconds
    return taken


async def _asked(index: Index, shelf: Shelf, kind: str, asked: Sequence[str]) -> Asked:
    allowed = [shelf.key(n) for n in range(0, shelf.count, max(1, shelf.count // ALLOWED))]
    every = [await _search(index, query, None) for query in asked]
    return Asked(kind, every, [await _search(index, query, allowed) for query in asked])


async def _search(index: Index, query: str, keys: Sequence[str] | None) -> float:
    seconds, _ = await clocked(index.search(query, {PARTITION: keys}, limit=LIMIT))
    return seconds * 1_000


async def _updated(index: Index, shelf: Shelf) -> float:
    changed = [*Shelf(shelf.count, edition=2).items(range(CHANGED))]
    seconds, _ = await clocked(index.put(PARTITION, changed))
    return seconds


async def _reopened(index: Index, shelf: Shelf) -> tuple[float, int]:
    """How long it takes to know what is there, and how much would have to be put again."""
    taken, known = await clocked(index.known(PARTITION))
    now = {shelf.key(n): "2" if n < CHANGED else "1" for n in range(shelf.count)}
    return taken, sum(known[key].revision != revision for key, revision in now.items())


def _size(path: Path | None) -> float:
    return path.stat().st_size / 1e6 if path else 0.0


PLACE_COLUMNS = (
    "20,000 texts in",
    "built, s",
    f"{CHANGED} changed, ms",
    "of these written",
    "opened and known, ms",
    "put again",
    "peak memory, MB",
    "file, MB",
)
QUERY_COLUMNS = ("", "of all, ms", f"of {ALLOWED:,} allowed, ms", "longest, ms")


async def measured(count: int = COUNT) -> Report:
    # One after the other: they would share the machine's cores.
    found = await spread(partial(one, count=count), ["a file", "memory"], workers=1)
    tables = [Table("places", PLACE_COLUMNS, [each.row for each in found])]
    tables.append(Table("queries", QUERY_COLUMNS, [each.row for each in found[0].asked]))
    tasks = await spread(partial(bound.bound, count=count), bound.KINDS, workers=1)
    tables.append(Table("tasks", bound.COLUMNS, [each.row for each in tasks]))
    judged = await generations.judged()
    tables.append(Table("at_once", generations.COLUMNS, [each.row for each in judged]))
    bars = [bar for each in (*found, *tasks) for bar in each.bars()]
    return Report(tables, [*bars, *(each.bar() for each in judged)])


def measure(folder: Path | None) -> Report:
    return anyio.run(measured)


if __name__ == "__main__":
    command.run("index", measure)
