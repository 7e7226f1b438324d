"""20,000 files or records of 1 KB bound to a task: read by many queries, changed, opened again.

What is read is counted from outside: files as the interpreter opens them, records as their texts
are made.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any, Protocol

import anyio

from agentmaker.tasks.context import TaskContext
from agentmaker.tasks.source import TaskSource
from agentmaker.tasks.sources.folder import FolderSource
from agentmaker.tasks.sources.records import RecordsSource
from benchmarks.clock import clocked
from benchmarks.figures import Bar, Cells
from benchmarks.processes import peak_memory
from benchmarks.rows import newer, newest
from benchmarks.shelf import Shelf, queries

CHANGED = 10
LOOKING = 6
"""Queries of each kind that are read with a look for changes first."""

MOST_SECONDS = 60
MOST_MS = 50
MOST_MB = 300

COLUMNS = (
    "a task over 20,000",
    "built, s",
    "a read, ms",
    "a look and a read, ms",
    f"{CHANGED} changed, ms",
    "of these read",
    "written",
    "opened again, ms",
    "read, written for that",
    "peak memory, MB",
)


@dataclass(frozen=True, slots=True)
class Bound:
    """A task over sources of one *kind*: seconds, milliseconds, megabytes, and things touched."""

    kind: str
    built: float
    read: float
    looked: float
    updated: float
    update_read: int
    update_written: int
    reopened: float
    reopen_read: int
    reopen_written: int
    peak: float

    @property
    def row(self) -> Cells:
        return (
            self.kind,
            f"{self.built:.1f}",
            f"{self.read:.1f}",
            f"{self.looked:.0f}",
            f"{self.updated:.0f}",
            f"{self.update_read}",
            f"{self.update_written}",
            f"{self.reopened:.0f}",
            f"{self.reopen_read:,}, {self.reopen_written}",
            f"{self.peak:.0f}",
        )

    def bars(self) -> Iterator[Bar]:
        yield Bar(
            f"a task over {self.kind}: built in {MOST_SECONDS} s",
            f"{self.built:.1f} s",
            self.built < MOST_SECONDS,
        )
        yield Bar(
            f"a task over {self.kind}: a read within {MOST_MS} ms at the median",
            f"{self.read:.1f} ms",
            self.read < MOST_MS,
        )
        touched = self.update_read, self.update_written
        yield Bar(
            f"a task over {self.kind}: {CHANGED} changed read and write {CHANGED}",
            "{} read, {} written".format(*touched),
            touched == (CHANGED, CHANGED),
        )
        yield Bar(
            f"a task over {self.kind}: a stored index is opened and nothing is built",
            f"{self.reopen_read:,} read, {self.reopen_written} written",
            # Records are given anew in each process: whether they changed only their texts tell.
            not self.reopen_written and (self.kind == "records" or not self.reopen_read),
        )
        yield Bar(
            f"a task over {self.kind}: less than {MOST_MB} MB",
            f"{self.peak:.0f} MB",
            self.peak < MOST_MB,
        )


class Things(Protocol):
    """What a task is bound to; *touched* are those that were read since it was emptied."""

    touched: set[str]

    def source(self) -> TaskSource: ...

    def change(self, number: int) -> None: ...


class Files:
    """A file for each text of *shelf*, below *root*."""

    def __init__(self, shelf: Shelf, root: Path) -> None:
        self.shelf, self.root = shelf, root
        self.touched: set[str] = set()
        for number in range(97):
            (root / "shelf" / str(number)).mkdir(parents=True)
        self._write(shelf, range(shelf.count))
        sys.addaudithook(self._hear)

    def source(self) -> TaskSource:
        return FolderSource(self.root)

    def change(self, number: int) -> None:
        self._write(Shelf(self.shelf.count, edition=2), range(number))

    def _write(self, shelf: Shelf, numbers: range) -> None:
        for item in shelf.items(numbers):
            (self.root / item.key).write_text(item.passages[0].text, encoding="utf-8")
        time.sleep(0.1)  # a file written this very moment is looked at twice

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and str(arguments[0]).endswith(".md"):
            self.touched.add(os.path.basename(arguments[0]))


class Records:
    """A record for each text of *shelf*."""

    def __init__(self, shelf: Shelf, _root: Path) -> None:
        self.shelf = shelf
        self.touched: set[str] = set()
        self.records = [*self._records(shelf, range(shelf.count))]

    def source(self) -> TaskSource:
        return RecordsSource(self.records, key="id", text=self._text, name="shelf")

    def change(self, number: int) -> None:
        edited = Shelf(self.shelf.count, edition=2)
        self.records[:number] = self._records(edited, range(number))

    def _text(self, record: Any) -> str:
        self.touched.add(record["id"])
        return str(record["text"])

    def _records(self, shelf: Shelf, numbers: range) -> Iterator[dict[str, str]]:
        return ({"id": each.key, "text": each.passages[0].text} for each in shelf.items(numbers))


KINDS: dict[str, type[Files] | type[Records]] = {"files": Files, "records": Records}


@dataclass(slots=True)
class Clocked:
    """Times tasks over *things*, their index in the file *path*."""

    things: Things
    path: Path
    source: TaskSource = field(init=False)

    def __post_init__(self) -> None:
        self.source = self.things.source()

    def task(self, max_age: float = 0.0) -> TaskContext:
        task = TaskContext(index=self.path, max_age=max_age)
        task.attach(self.source)
        return task

    async def refreshed(self, task: TaskContext) -> tuple[float, int]:
        """Milliseconds, and how many things were read."""
        self.things.touched.clear()
        seconds, _ = await clocked(task.refresh())
        return seconds * 1_000, len(self.things.touched)

    async def read(self, asked: Sequence[str], max_age: float) -> float:
        """The median of milliseconds."""
        async with self.task(max_age) as task:
            reader = task.reader(consumer="writer")
            await reader.read(asked[0])
            taken = [(await clocked(reader.read(query)))[0] for query in asked]
            return median(taken) * 1_000


def bound(kind: str, count: int) -> Bound:
    """Found by name in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "things"
        clocked = Clocked(KINDS[kind](Shelf(count), root), Path(folder) / "index.db")
        return anyio.run(_bound, kind, clocked)


async def _bound(kind: str, clocked: Clocked) -> Bound:
    async with clocked.task() as task:
        built, _ = await clocked.refreshed(task)
    kinds = queries().values()
    read = await clocked.read([query for some in kinds for query in some], 3_600.0)
    looked = await clocked.read([query for some in kinds for query in some[:LOOKING]], 0.0)
    clocked.source = clocked.things.source()  # one that remembers nothing, as in another process
    async with clocked.task() as task:
        before = newest(clocked.path)
        reopened, reopen_read = await clocked.refreshed(task)
        rebuilt = newer(clocked.path, before)
        before = newest(clocked.path)
        clocked.things.change(CHANGED)
        updated, update_read = await clocked.refreshed(task)
        written = newer(clocked.path, before)
    return Bound(
        kind=kind,
        built=built / 1_000,
        read=read,
        looked=looked,
        updated=updated,
        update_read=update_read,
        update_written=written,
        reopened=reopened,
        reopen_read=reopen_read,
        reopen_written=rebuilt,
        peak=peak_memory(),
    )
