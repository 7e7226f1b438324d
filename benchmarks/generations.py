"""Many readers of one task while what it is bound to changes: is each package of one moment?

Judged from outside, by which generation wrote each text. Files are replaced one after the other:
at any moment the first so many are one generation newer than the rest. Records are replaced all
at once: at any moment all are of the same.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import anyio

from agentmaker.tasks.context import TaskContext
from agentmaker.tasks.package import ContextPackage
from agentmaker.tasks.sources.folder import FolderSource
from agentmaker.tasks.sources.records import RecordsSource
from benchmarks.figures import Bar, Cells

READERS = 100
READS = 5
THINGS = 12
PAUSE = 0.03
"""Seconds between two changes."""

COLUMNS = (
    f"{READERS} readers at once of",
    "packages",
    "changes meanwhile",
    "texts in a package",
    "revisions seen",
    "of no one moment",
)


@dataclass(slots=True)
class Judged:
    """What was read of one *kind*; two packages of a revision show the same texts."""

    kind: str
    changes: int = 0
    packages: int = 0
    texts: int = 0
    inconsistent: int = 0
    known: dict[tuple[str, str], str] = field(default_factory=dict)

    def take(self, package: ContextPackage, is_of_one_moment: Callable[[list[int]], bool]) -> None:
        texts = {block.reference_id: block.text for block in package.blocks}
        shown = {ref.ref: texts[ref.reference_id] for ref in package.refs}
        same = [
            self.known.setdefault((package.revision, ref), text) == text
            for ref, text in shown.items()
        ]
        self.packages += 1
        self.texts += len(shown)
        # In the order in which they are replaced.
        generations = [int(shown[ref].split()[1]) for ref in sorted(shown)]
        self.inconsistent += not (all(same) and is_of_one_moment(generations))

    @property
    def row(self) -> Cells:
        revisions = len({revision for revision, _ in self.known})
        return (
            self.kind,
            f"{self.packages:,}",
            f"{self.changes:,}",
            f"{self.texts / self.packages:.1f}",
            f"{revisions:,}",
            f"{self.inconsistent}",
        )

    def bar(self) -> Bar:
        return Bar(
            f"{self.packages:,} packages of changing {self.kind}: each of one moment",
            f"{self.inconsistent} are not",
            not self.inconsistent and self.texts > self.packages and self.changes > 0,
        )


def at_one_moment(generations: Sequence[int]) -> bool:
    """Of things replaced one after the other, in that order."""
    falling = sorted(generations, reverse=True) == [*generations]
    return falling and max(generations, default=0) - min(generations, default=0) <= 1


def all_the_same(generations: Sequence[int]) -> bool:
    return len({*generations}) <= 1


def text_of(generation: int, thing: int) -> str:
    return f"generation {generation} of thing {thing}\n"


async def judged() -> list[Judged]:
    with tempfile.TemporaryDirectory() as folder:
        return [await files(Path(folder)), await records()]


async def files(root: Path, readers: int = READERS) -> Judged:
    def write(change: int) -> None:
        generation, thing = divmod(change, THINGS)
        beside = root / ".new"
        beside.write_text(text_of(generation, thing), encoding="utf-8")
        os.replace(beside, root / f"{thing:02}.txt")

    for change in range(THINGS):
        write(change)
    task = TaskContext()
    task.attach(FolderSource(root))
    found = Judged("files")
    await _read(task, found, at_one_moment, lambda change: write(THINGS + change), readers)
    return found


async def records(readers: int = READERS) -> Judged:
    now = [0]

    def given() -> list[dict[str, str]]:
        generation = now[0]
        return [
            {"id": f"{thing:02}", "text": text_of(generation, thing)} for thing in range(THINGS)
        ]

    def write(change: int) -> None:
        now[0] = change + 1

    task = TaskContext()
    task.attach(RecordsSource(given, key="id", text="text"))
    found = Judged("records")
    await _read(task, found, all_the_same, write, readers)
    return found


async def _read(
    task: TaskContext,
    found: Judged,
    is_of_one_moment: Callable[[list[int]], bool],
    change: Callable[[int], None],
    readers: int,
) -> None:
    async def reads() -> None:
        reader = task.reader(consumer="writer")
        for _ in range(READS):
            found.take(await reader.read(""), is_of_one_moment)

    async with task, anyio.create_task_group() as both:
        both.start_soon(_changing, found, change)
        await _at_once(reads, readers)
        both.cancel_scope.cancel()


async def _at_once(work: Callable[[], Awaitable[None]], times: int) -> None:
    async with anyio.create_task_group() as group:
        for _ in range(times):
            group.start_soon(work)


async def _changing(found: Judged, change: Callable[[int], None]) -> None:
    while True:
        change(found.changes)
        found.changes += 1
        await anyio.sleep(PAUSE)
