"""Which files lie below a root now, by their names and stamps alone."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from operator import attrgetter

from agentmaker.memory.notes.markdown import one_line
from agentmaker.tasks.source import Problem
from agentmaker.tasks.sources.file_states import FileState, PathFilter, Scan, Stamp
from agentmaker.tasks.sources.roots import Root
from agentmaker.tasks.sources.safe_open import opened_folder, parts_of
from agentmaker.tasks.sources.texts import readable

_LONGEST_TITLE = 300


def walk(root: Root, wanted: PathFilter, seen: Mapping[str, FileState], most: int) -> Scan:
    """The files below *root*, at most so many, in the order of their names in each folder."""
    walker = Walker(root, wanted, seen, most, Scan(time.time_ns()))
    folders = [""]
    while folders and not walker.full:
        folders.extend(reversed(walker.folder(folders.pop())))
    if walker.full:
        walker.done.cut(most)
    return walker.done


@dataclass(frozen=True, slots=True)
class Walker:
    """Adds what it comes upon to *done*; what *seen* has as it is now is not *fresh*."""

    root: Root
    wanted: PathFilter
    seen: Mapping[str, FileState]
    most: int
    done: Scan

    @property
    def full(self) -> bool:
        return len(self.done.files) + len(self.done.problems) > self.most

    def folder(self, start: str) -> list[str]:
        """Scan the folder whose files' refs begin with *start*; the same of those in it."""
        below: list[str] = []
        found = self.done.files
        try:
            with opened_folder(self.root.path, parts_of(start[:-1]) if start else ()) as place:
                for entry in _entries(place, self.root.only):
                    if len(found) > self.most:
                        break
                    ref = start + entry.name
                    seen = self.seen.get(ref)
                    if seen is not None and seen.settled and _is_as(seen.stamp, entry):
                        found[ref] = seen
                    else:
                        self.entry(ref, entry, below)
        except OSError as error:
            self.done.problems.append(unreadable(start, error))
        return below

    def entry(self, ref: str, entry: os.DirEntry[str], below: list[str]) -> None:
        try:
            if entry.is_file(follow_symlinks=False):
                if self.root.only or ref in self.wanted:
                    self.file(ref, entry.stat(follow_symlinks=False))
            elif self.root.only or ref not in self.wanted.exclude:
                self.other(ref, entry, below)
        except FileNotFoundError:  # gone since the folder was read
            return
        except OSError as error:
            self.done.problems.append(unreadable(ref, error))

    def file(self, ref: str, stat: os.stat_result) -> None:
        if ref != readable(ref):
            self.tell(ref, "encoding", "its name is no UTF-8")
            return
        self.done.files[ref] = FileState(_stamp(stat))
        self.done.fresh.append(ref)

    def other(self, ref: str, entry: os.DirEntry[str], below: list[str]) -> None:
        if entry.is_symlink():
            self.link(ref)
        elif entry.is_dir(follow_symlinks=False) and not self.root.only:
            below.append(f"{ref}/")
        else:
            self.tell(ref, "unreadable", "no regular file")

    def link(self, ref: str) -> None:
        """Links are not followed: what one leads to below the root has a place of its own."""
        target = os.path.realpath(os.path.join(self.root.path, *ref.split("/")))
        if not os.path.exists(target):
            self.tell(ref, "unreadable", "a link that leads nowhere")
        elif not _is_below(self.root.path, target):
            self.tell(ref, "outside", "a link that leaves the root")

    def tell(self, ref: str, reason: str, detail: str) -> None:
        self.done.problems.append(Problem(readable(ref), reason, detail))


def _entries(place: int | str, only: str) -> list[os.DirEntry[str]]:
    with os.scandir(place) as entries:
        named = [entry for entry in entries if not only or entry.name == only]
    return sorted(named, key=attrgetter("name"))


def _is_as(stamp: Stamp, entry: os.DirEntry[str]) -> bool:
    """This is all that is done for most files."""
    try:
        # What took its place, a link or a folder, has another inode.
        return _stamp(entry.stat(follow_symlinks=False)) == stamp
    except OSError:
        return False


def _stamp(stat: os.stat_result) -> Stamp:
    return stat.st_size, stat.st_mtime_ns, stat.st_ino, stat.st_ctime_ns


def _is_below(root: str, path: str) -> bool:
    try:
        return os.path.commonpath([root, path]) == root
    except ValueError:  # on another drive
        return False


def unreadable(ref: str, error: OSError) -> Problem:
    return Problem(readable(ref.rstrip("/")), "unreadable", error.strerror or type(error).__name__)


def title_of(ref: str) -> str:
    return one_line(ref, _LONGEST_TITLE)
