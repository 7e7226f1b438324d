"""What is known of the files below a root by their names and stamps."""

from __future__ import annotations

import os
from collections.abc import Container
from dataclasses import dataclass, field

from agentmaker.tasks.source import Descriptor, Problem

Stamp = tuple[int, int, int, int]
"""Size, when it was modified, inode, when its inode was changed: times in nanoseconds."""

_SECOND = 1_000_000_000
_TICK = _SECOND // 20
"""No clock of a file system that tells parts of a second is coarser."""


@dataclass(frozen=True, slots=True)
class PathFilter:
    """Which paths count: those that *include* has and *exclude* has not."""

    include: Container[str]
    exclude: Container[str]

    def __contains__(self, ref: object) -> bool:
        return ref not in self.exclude and ref in self.include


@dataclass(frozen=True, slots=True)
class FileState:
    """A file as it was looked at; *descriptor* is None where it cannot be offered.

    One that is not *settled* may have changed since without another stamp.
    """

    stamp: Stamp
    settled: bool = False
    descriptor: Descriptor | None = None
    problems: tuple[Problem, ...] = ()


@dataclass(slots=True)
class Scan:
    """*fresh* are the refs of *files* that are to be looked at again; *began* in nanoseconds."""

    began: int
    files: dict[str, FileState] = field(default_factory=dict)
    fresh: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def settled(self, stamp: Stamp) -> bool:
        """Whether no change made from now on can leave *stamp* as it is."""
        # Windows keeps the time a file was made in the last place; elsewhere nobody can set it.
        changed = stamp[3] if os.name == "posix" else stamp[1]
        coarse = stamp[1] % _SECOND == 0 and stamp[3] % _SECOND == 0
        return changed + (2 * _SECOND if coarse else _TICK) <= self.began

    def finds_as(self, before: Scan) -> bool:
        """Whether all is as it was *before*."""
        return self.files == before.files and self.problems == before.problems

    def cut(self, most: int) -> None:
        """Keep the first *most* files and problems, and tell that there are more."""
        self.files = dict([*self.files.items()][:most])
        self.fresh = [ref for ref in self.fresh if ref in self.files]
        detail = f"more than {most} files: narrow include=, or raise max_files="
        self.problems = [*self.problems[:most], Problem("", "too_large", detail)]
