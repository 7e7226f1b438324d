"""What a docstring says: the purpose, and a line on each parameter (Google or Sphinx style)."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from functools import partial

_SECTION = re.compile(r"(?:args|arguments|parameters):", re.IGNORECASE)
_SPHINX = re.compile(r":param\s+(?:[^:]*\s)?\*{0,2}(\w+)\s*:\s*(.*)")
_GOOGLE = re.compile(r"\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:\s*(.*)")


def doc_of(function: Callable[..., object]) -> str | None:
    """The docstring of a function, or of what a callable object does when it is called."""
    if isinstance(function, partial):
        function = function.func
    if inspect.isroutine(function) or inspect.isclass(function):
        return inspect.getdoc(function)
    return inspect.getdoc(type(function).__call__) or inspect.getdoc(function)


def purpose_of(docstring: str | None) -> str:
    """The first paragraph, on one line."""
    paragraph = inspect.cleandoc(docstring or "").split("\n\n", 1)[0]
    lines = paragraph.splitlines()
    ends = (at for at, line in enumerate(lines) if _SECTION.fullmatch(line) or line[:1] == ":")
    return _joined(lines[: next(ends, len(lines))])


def parameters_of(docstring: str | None) -> dict[str, str]:
    """What is said of each parameter, on one line."""
    lines = inspect.cleandoc(docstring or "").splitlines()
    return {**_google(lines), **_sphinx(lines)}


def _google(lines: list[str]) -> dict[str, str]:
    starts = (at for at, line in enumerate(lines) if _SECTION.fullmatch(line))
    start = next(starts, len(lines)) + 1
    ends = (at for at in range(start, len(lines)) if lines[at] and not lines[at][0].isspace())
    section = inspect.cleandoc("\n".join(["", *lines[start : next(ends, len(lines))]]))
    return _entries(section.splitlines(), _GOOGLE)


def _sphinx(lines: list[str]) -> dict[str, str]:
    return _entries(lines, _SPHINX)


def _entries(lines: list[str], entry: re.Pattern[str]) -> dict[str, str]:
    """Entries begin at the margin; indented lines go on with the one above."""
    found: dict[str, list[str]] = {}
    current: list[str] = []
    for line in lines:
        begun = entry.fullmatch(line)
        if begun:
            current = found.setdefault(begun[1], [])
            current.append(begun[2])
        elif line[:1].isspace():
            current.append(line)
        else:
            current = []
    return {name: text for name, words in found.items() if (text := _joined(words))}


def _joined(lines: list[str]) -> str:
    return " ".join(stripped for line in lines if (stripped := line.strip()))
