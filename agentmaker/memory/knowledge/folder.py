"""The files of a folder, and what became of them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from agentmaker.errors import LoadError


@dataclass(frozen=True, slots=True)
class Loaded:
    """What a load did.

    Attributes:
        documents: the names of all that was read, changed or not.
        problems: the files of folders that could not be read, and why.
    """

    documents: tuple[str, ...]
    problems: tuple[LoadError, ...] = ()


def files_under(path: Path) -> Iterator[Path]:
    """The files in a folder and those in it, by name; hidden ones and links are left alone."""
    for folder, folders, files in os.walk(path):
        folders[:] = sorted(each for each in folders if not each.startswith("."))
        for name in sorted(files):
            file = Path(folder, name)
            if not name.startswith(".") and not file.is_symlink():
                yield file
