"""Which files lie below a root now, by their names and stamps alone."""

from __future__ import annotations

import os
import time
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field
from operator import attrgetter

from agentmaker.memory.notes.markdown import one_line
from agentmaker.tasks.source import Descriptor, Problem
from agentmaker.tasks.sources.opening import opened_folder, parts_of
from agentmaker.tasks.sources.texts import readable

Stamp = tuple[int, int, int, int]
"""Size, when it was modified, inode, when its inode was changed: times in nanoseconds."""

_SECOND = 1_000_000_000
_TICK = _SECOND // 20
"""No clock of a file system that tells parts of a second is coarser."""


@dataclass(frozen=True, slots=True)
class Root:
    """A folder, its path without links; *only* names the one file of it that counts."""

    path: str
    only: str = ""


@dataclass(frozen=True, slots=True)
class Seen:
    """A file as it was looked at; *descriptor* is None where it cannot be offered.

    One that is not *settled* may have changed since without another stamp.
    """

    stamp: Stamp
    settled: bool = False
    descriptor: Descriptor | None = None
    problems: tuple[Problem, ...] = ()


@dataclass(slots=True)
class Scan:
    """*fresh* are the refs of *found* that are to be looked at again."""

    began: int = field(default_factory=time.time_ns)
    found: dict[str, Seen] = field(default_factory=dict)
    fresh: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def settled(self, stamp: Stamp) -> bool:
        """Whether no change made from now on can leave *stamp* as it is."""
        # Windows keeps the time a file was made in the last place; elsewhere nobody can set it.
        changed = stamp[3] if os.name == "posix" else stamp[1]
        coarse = stamp[1] % _SECOND == 0 and stamp[3] % _SECOND == 0
        return changed + (2 * _SECOND if coarse else _TICK) <= self.began


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which paths count: those that *include* has and *exclude* has not."""

    include: Container[str]
    exclude: Container[str]

    def __contains__(self, ref: object) -> bool:
        return ref not in self.exclude and ref in self.include


def scan(root: Root, wanted: Wanted, seen: Mapping[str, Seen], most: int) -> Scan:
    """The files below *root*, at most so many, in the order of their names in each folder."""
    done = Scan()
    folders = [""]
    while folders:
        below = _scan_folder(root, folders.pop(), wanted, seen, done)
        folders.extend(reversed(below))
        if len(done.found) + len(done.problems) > most:
            _cut(done, most)
            break
    return done


def _scan_folder(
    root: Root, folder: str, wanted: Wanted, seen: Mapping[str, Seen], done: Scan
) -> list[str]:
    """Add the files of one folder to *done*; its folders, each as the start of a ref."""
    below: list[str] = []
    try:
        with opened_folder(root.path, parts_of(folder[:-1]) if folder else ()) as place:
            for entry in _entries(place, root.only):
                ref = folder + entry.name
                if entry.is_file(follow_symlinks=False):
                    if ref in seen or root.only or ref in wanted:
                        _add(done, ref, entry.stat(follow_symlinks=False), seen.get(ref))
                elif ref not in wanted.exclude:
                    below.extend(_other(root, ref, entry, done))
    except OSError as error:
        done.problems.append(unreadable(folder, error))
    return below


def _entries(place: int | str, only: str) -> Iterator[os.DirEntry[str]]:
    with os.scandir(place) as entries:
        named = sorted(entries, key=attrgetter("name"))
    return (entry for entry in named if not only or entry.name == only)


def _add(done: Scan, ref: str, stat: os.stat_result, seen: Seen | None) -> None:
    stamp = (stat.st_size, stat.st_mtime_ns, stat.st_ino, stat.st_ctime_ns)
    if seen is not None and seen.settled and seen.stamp == stamp:
        done.found[ref] = seen
    elif is_text(ref):
        done.found[ref] = Seen(stamp)
        done.fresh.append(ref)
    else:
        done.problems.append(Problem(readable(ref), "encoding", "its name is no UTF-8"))


def _other(root: Root, ref: str, entry: os.DirEntry[str], done: Scan) -> list[str]:
    """What is no file: a folder is returned; of the rest *done* is told."""
    if entry.is_dir(follow_symlinks=False):
        return [f"{ref}/"]
    if not entry.is_symlink():
        done.problems.append(Problem(readable(ref), "unreadable", "no regular file"))
    elif problem := _link(root, ref):
        done.problems.append(problem)
    return []


def _link(root: Root, ref: str) -> Problem | None:
    """Links are not followed: what one leads to below the root has a place of its own."""
    path = os.path.join(root.path, *ref.split("/"))
    target = os.path.realpath(path)
    if not os.path.exists(target):
        return Problem(readable(ref), "unreadable", "a link that leads nowhere")
    if os.path.commonpath([root.path, target]) == root.path:
        return None
    return Problem(readable(ref), "outside", "a link that leaves the root")


def _cut(done: Scan, most: int) -> None:
    for ref in [*done.found][most:]:
        del done.found[ref]
    done.fresh = [ref for ref in done.fresh if ref in done.found]
    del done.problems[most:]
    detail = f"more than {most} files: narrow include=, or raise max_files="
    done.problems.append(Problem("", "too_large", detail))


def unreadable(ref: str, error: OSError) -> Problem:
    return Problem(readable(ref.rstrip("/")), "unreadable", error.strerror or type(error).__name__)


def is_text(name: str) -> bool:
    return name.isascii() or name == readable(name)


def title_of(ref: str) -> str:
    return one_line(ref, 300)
