"""The files of a folder, and what became of them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from agentmaker.errors import LoadError
from agentmaker.memory.knowledge.kept import document_of
from agentmaker.memory.knowledge.loaders import read_file
from agentmaker.memory.records import Document

_AT_ONCE, _CHARACTERS = 64, 1 << 20
"""Files that are read together: so many, or those that make up so much text."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """What a load did.

    Attributes:
        documents: the names of all that was read, changed or not.
        problems: the files of folders that could not be read, and why.
    """

    documents: tuple[str, ...]
    problems: tuple[LoadError, ...] = ()


@dataclass(frozen=True, slots=True)
class FileRead:
    """A file as a document, or why it is none."""

    file: Path
    document: Document | None = None
    problem: LoadError | None = None


def read_some(files: Iterator[Path]) -> list[FileRead]:
    """The next of *files*, up to one that is a problem; few enough to be held in memory."""
    read: list[FileRead] = []
    characters = 0
    for file in islice(files, _AT_ONCE):
        read.append(_read(file))
        characters += len(read[-1].document.text) if read[-1].document else 0
        if read[-1].problem or characters > _CHARACTERS:
            break
    return read


def _read(file: Path) -> FileRead:
    try:
        read = read_file(file)
    except LoadError as problem:
        return FileRead(file, problem=problem)
    document = document_of(
        file.as_posix(),
        read.text,
        title=read.title,
        metadata=read.metadata,
        uri=file.absolute().as_uri(),
        pages=read.pages,
    )
    return FileRead(file, document)


def files_of(paths: Iterable[Path]) -> list[Path]:
    """*paths*, and for folders the files in them."""
    return [file for path in paths for file in (files_under(path) if path.is_dir() else (path,))]


def files_under(path: Path) -> Iterator[Path]:
    """The files in a folder and those in it, by name; hidden ones and links are left alone.

    Behind them come the folders that cannot be listed.
    """
    unread: list[OSError] = []
    for folder, folders, files in os.walk(path, onerror=unread.append):
        folders[:] = sorted(each for each in folders if not each.startswith("."))
        for name in sorted(files):
            file = Path(folder, name)
            if not name.startswith(".") and not file.is_symlink():
                yield file
    yield from (Path(each.filename) for each in unread)
