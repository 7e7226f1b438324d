"""Opens what lies below a root without following a link, whoever moves items meanwhile."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from stat import S_ISREG

from agentmaker.tasks.source import Unreadable

_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _NO_LINK
# A pipe without a writer is opened at once, and then refused.
_FILE = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_BINARY", 0)
    | _NO_LINK
)
_BY_WINDOWS = re.compile(
    r'[<>:"\\|?*\x00-\x1f]|[. ]\Z|\A(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|\Z)', re.IGNORECASE
)

Opener = Callable[[str, Sequence[str], int], int]


def parts_of(ref: str, *, windows: bool = os.name == "nt") -> tuple[str, ...]:
    """The names that *ref* goes through, from the root on.

    Raises:
        Unreadable: it is no path below a root.
    """
    parts = tuple(ref.split("/"))
    if not {"", ".", ".."}.isdisjoint(parts) or "\0" in ref:
        raise Unreadable("outside: a ref is a path below the root, without .. or a leading /")
    if windows and any(map(_BY_WINDOWS.search, parts)):
        raise Unreadable("outside: Windows reads this name as another one")
    return parts


def by_steps(root: str, parts: Sequence[str], flags: int) -> int:
    """Open folder after folder, each from the one before: nothing can be put between."""
    here = os.open(root, _FOLDER)
    for name in parts[:-1]:
        try:
            there = os.open(name, _FOLDER, dir_fd=here)
        finally:
            os.close(here)
        here = there
    try:
        return os.open(parts[-1], flags, dir_fd=here) if parts else os.dup(here)
    finally:
        os.close(here)


def by_path(root: str, parts: Sequence[str], flags: int) -> int:
    """Open at once, then see that what is open is what lies there, behind no link."""
    path = os.path.join(root, *parts)
    opened = os.open(path, flags)
    try:
        straight = os.path.realpath(path) == path
        if straight and os.path.samestat(os.fstat(opened), os.lstat(path)):
            return opened
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    except BaseException:
        os.close(opened)
        raise


STEPWISE = os.open in os.supports_dir_fd and os.scandir in os.supports_fd


@contextmanager
def opened_file(root: str, parts: Sequence[str], opener: Opener | None = None) -> Iterator[int]:
    """A descriptor of the regular file there.

    Raises:
        OSError: there is none, it may not be read, or a link is on the way.
    """
    opener = opener or (by_steps if STEPWISE else by_path)
    file = opener(root, parts, _FILE)
    try:
        if not S_ISREG(os.fstat(file).st_mode):
            raise OSError(errno.EINVAL, "no regular file")
        yield file
    finally:
        os.close(file)


@contextmanager
def opened_folder(root: str, parts: Sequence[str]) -> Iterator[int | str]:
    """What to scan for the names in a folder.

    Raises:
        OSError: as of `opened_file`.
    """
    if not STEPWISE:
        path = os.path.join(root, *parts)
        if os.path.realpath(path) != path:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        yield path
        return
    folder = by_steps(root, parts, _FOLDER)
    try:
        yield folder
    finally:
        os.close(folder)
