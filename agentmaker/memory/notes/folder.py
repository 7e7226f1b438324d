"""Notes as the Markdown files of one folder, read and written off the event loop."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar
from uuid import uuid4

from anyio import to_thread

from agentmaker.errors import StoreError
from agentmaker.memory.notes.markdown import from_markdown, stems_for, to_markdown
from agentmaker.memory.records import Document

T = TypeVar("T")

LONGEST_FILE = 200_000
"""Bytes of a file that are read."""

MOST_FILES = 500
"""The latest changed files of a folder that are read."""

_Stamp = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _File:
    """A file as it was read; *whole* where nothing of it was lost on the way."""

    path: Path
    stamp: _Stamp
    note: Document
    whole: bool


class Folder:
    """The files ending in ``.md`` right in a folder, which is made by the first note.

    Links are left alone: a title leads nowhere but into the folder. A note is written to a file
    of another name, which then takes its place: there is the old text or the new one. A file
    that cannot be read to the letter is not written over.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(os.path.abspath(os.path.expanduser(path)))
        self._read_before: dict[Path, _File] = {}

    @property
    def key(self) -> Hashable:
        return str(self.path)

    async def listed(self) -> tuple[Document, ...]:
        """The notes without their texts, the latest changed first."""
        return tuple(replace(each.note, text="") for each in await self._aside(self._files))

    async def whole(self) -> tuple[Document, ...]:
        return tuple(each.note for each in await self._aside(self._files))

    async def read(self, title: str) -> Document | None:
        file = await self._aside(lambda: self._file_of(title))
        return file.note if file else None

    async def write(self, note: Document) -> None:
        await self._aside(lambda: self._write(note))

    async def remove(self, title: str) -> None:
        await self._aside(lambda: self._remove(title))

    async def _aside(self, work: Callable[[], T]) -> T:
        """What *work* returns, done in a thread.

        Raises:
            StoreError: the folder cannot be read or written.
        """
        try:
            return await to_thread.run_sync(work)
        except OSError as error:
            raise StoreError(
                f"the notes in {self.path} cannot be kept ({error.strerror or error}): "
                "make room or give another folder; what was written before is intact"
            ) from error

    def _file_of(self, title: str) -> _File | None:
        return next((each for each in self._files() if each.note.name == title), None)

    def _files(self) -> list[_File]:
        newest = sorted(self._found(), reverse=True)[:MOST_FILES]
        read = (self._read(path, stamp) for stamp, path in newest)
        found = [each for each in read if each is not None]
        self._read_before = {each.path: each for each in found}
        return _told_apart(found)

    def _found(self) -> Iterator[tuple[_Stamp, Path]]:
        if not self.path.exists():
            return
        with os.scandir(self.path) as entries:
            for entry in filter(_is_note, entries):
                stat = entry.stat(follow_symlinks=False)
                yield (stat.st_mtime_ns, stat.st_size), Path(entry.path)

    def _read(self, path: Path, stamp: _Stamp) -> _File | None:
        known = self._read_before.get(path)
        if known is not None and known.stamp == stamp:
            return known
        try:
            with path.open("rb") as file:
                read = file.read(LONGEST_FILE + 1)
        except FileNotFoundError:  # gone since it was found
            return None
        written = read[:LONGEST_FILE].decode("utf-8", "replace")
        whole = len(read) <= LONGEST_FILE and written.encode() == read
        title, gist, text = from_markdown(written, path.stem)
        updated = datetime.fromtimestamp(stamp[0] / 1e9, UTC)
        note = Document(kind="note", name=title, text=text, gist=gist, updated=updated)
        return _File(path, stamp, note, whole)

    def _write(self, note: Document) -> None:
        self.path.mkdir(parents=True, exist_ok=True)
        known = self._file_of(note.name)
        if known is not None and not known.whole:
            raise StoreError(
                f"{known.path.name} is no UTF-8, or longer than {LONGEST_FILE:,} bytes, and what "
                "cannot be read of it would be lost: give the note another title, or mend the file"
            )
        target = known.path if known else self._free_path(note.name)
        _replace(target, to_markdown(note.name, note.gist, note.text).encode())

    def _remove(self, title: str) -> None:
        known = self._file_of(title)
        if known is not None:
            known.path.unlink(missing_ok=True)

    def _free_path(self, title: str) -> Path:
        paths = (self.path / f"{stem}.md" for stem in stems_for(title))
        return next(path for path in paths if not os.path.lexists(path))


def _is_note(entry: os.DirEntry[str]) -> bool:
    name = entry.name.lower()
    return name.endswith(".md") and name[0] != "." and entry.is_file(follow_symlinks=False)


def _told_apart(files: list[_File]) -> list[_File]:
    """*files* with a title of its own for each: an older one adds its file's name."""
    titles: set[str] = set()
    told: list[_File] = []
    for file in files:
        if file.note.name in titles:
            named = replace(file.note, name=f"{file.note.name} ({file.path.stem})")
            file = replace(file, note=named)
        titles.add(file.note.name)
        told.append(file)
    return told


def _replace(target: Path, written: bytes) -> None:
    """Give *target* its new content at once, or leave it as it is."""
    beside = target.with_name(f".{uuid4().hex}.tmp")
    try:
        with beside.open("wb") as file:
            file.write(written)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, target)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
