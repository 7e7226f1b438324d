"""The files of a folder, and what became of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from agentmaker.errors import LoadError


@dataclass(frozen=True, slots=True)
class Loaded:
    """What a load did.

    Attributes:
        documents: the names of all that was read, changed or not.
        problems: what in folders could not be read, and why.
    """

    documents: tuple[str, ...]
    problems: tuple[LoadError, ...] = ()


def files_under(path: Path, failed: Callable[[LoadError], None]) -> Iterator[Path]:
    """The files in a folder and those in it, by name; hidden ones and links are left alone.

    Folders that cannot be read have *failed*.
    """

    def unread(error: OSError) -> None:
        failed(LoadError(str(error.filename), f"{error.strerror or error}: check its permissions"))

    for folder, folders, files in os.walk(path, onerror=unread):
        folders[:] = sorted(each for each in folders if not each.startswith("."))
        for name in sorted(files):
            file = Path(folder, name)
            if not name.startswith(".") and not file.is_symlink():
                yield file
