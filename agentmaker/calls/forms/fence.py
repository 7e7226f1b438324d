"""Marks around text that is data, which the text itself cannot forge."""

from __future__ import annotations

import re

# A reader that is a model takes a mark in any case and spacing for one, seen or not.
_GAP = r"[\s\u00ad\u200b-\u200f\u2060-\u2064\ufeff]*"
_NAME = rf"({_GAP}(?:/{_GAP})?reference\b)"
_MARK = re.compile(rf"<(\\*){_NAME}", re.IGNORECASE)
_ESCAPED = re.compile(rf"<\\(\\*){_NAME}", re.IGNORECASE)
_END = "\n</reference>"
_FENCED = re.compile(r'<reference kind="\w+">\n.*?\n</reference>\n*', re.DOTALL)


def fence(text: str, *, kind: str, note: str) -> str:
    """*text* between marks, under one line saying what it is.

    A mark inside *text* or *note* gets one backslash, which ``unfence`` takes from the text again.
    """
    line = escaped(" ".join(note.splitlines()))
    return f'<reference kind="{kind}">\n{line}\n{escaped(text)}{_END}'


def escaped(text: str) -> str:
    """*text* with one more backslash in each of its marks."""
    return _MARK.sub(_escaped, text)


def unfence(fenced: str) -> str:
    """The text that ``fence`` was given."""
    inner = fenced.split("\n", 2)[2].removesuffix(_END)
    return _ESCAPED.sub(r"<\1\2", inner)


def without_fences(text: str) -> str:
    """*text* as its author wrote it: what was fenced and put into it is gone."""
    return _FENCED.sub("", text).strip() if _FENCED.search(text) else text


def _escaped(mark: re.Match[str]) -> str:
    return f"<\\{mark[1]}{mark[2]}"
