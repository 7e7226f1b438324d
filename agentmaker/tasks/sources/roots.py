"""From a path that a user gives to the root that nothing leads out of."""

from __future__ import annotations

import os
from dataclasses import dataclass

from agentmaker.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Root:
    """A folder, its path without links; *only* names the one file of it that counts."""

    path: str
    only: str = ""


def root_at(given: str | os.PathLike[str]) -> Root:
    """The folder or the one file at *given*, by its path without links.

    Raises:
        ConfigError: there is neither.
    """
    path = real_path(given)
    if os.path.isfile(path):
        folder, only = os.path.split(path)
        return Root(folder, only)
    return folder_at(given)


def folder_at(given: str | os.PathLike[str]) -> Root:
    """The folder at *given*.

    Raises:
        ConfigError: there is none.
    """
    path = real_path(given)
    if not os.path.isdir(path):
        what = "is no folder" if os.path.exists(path) else "does not exist"
        raise ConfigError(f"{path} {what}: give the path of a folder that is there")
    return Root(path)


def real_path(given: str | os.PathLike[str]) -> str:
    """*given* in full, ``~`` and links resolved.

    Raises:
        ConfigError: it is no path.
    """
    try:
        path = os.fspath(given)
        empty = not path or "\0" in path
    except TypeError:
        raise ConfigError(f"root must be a path, not {type(given).__name__}") from None
    if empty:
        raise ConfigError('root must be a path: give "." for the current folder')
    return os.path.realpath(os.path.expanduser(path))
