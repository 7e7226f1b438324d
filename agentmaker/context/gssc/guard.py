"""Keeps a text from opening a section of its own."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable

_UNSEEN = re.compile(
    r"[\s\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    r"\ufe00-\ufe0f\ufeff\U000e0000-\U000e007f]+"
)
_LEADING = re.compile(r"\A(?:[^\w\[]|\d+[.)])+")

Guard = Callable[[str], str]


def guard_against(marks: Iterable[str]) -> Guard:
    """What puts a backslash before every line of a text that begins like one of *marks*.

    A reader that is a model takes a mark in any case, width and spacing for one, and behind
    bullets, numbers and asterisks too.
    """
    openings = tuple(filter(None, map(_seen, marks)))

    def guarded(text: str) -> str:
        lines = text.splitlines(keepends=True)
        return "".join(f"\\{line}" if _opens(line, openings) else line for line in lines)

    return guarded


def _opens(line: str, openings: tuple[str, ...]) -> bool:
    seen = _seen(line)
    return seen.startswith(openings) or _LEADING.sub("", seen).startswith(openings)


def _seen(line: str) -> str:
    return _UNSEEN.sub("", unicodedata.normalize("NFKC", line).casefold())
