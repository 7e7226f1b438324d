"""Marks around text that is data, which the text itself cannot forge."""

from __future__ import annotations

import re

_MARK = re.compile(r"<(\\*)(/?)reference\b")
_ESCAPED = re.compile(r"<\\(\\*)(/?)reference\b")


def fence(text: str, *, kind: str, note: str) -> str:
    """*text* between markers, under a line saying what it is.

    A marker inside *text* gets one backslash, which ``unfence`` takes away again.
    """
    return f'<reference kind="{kind}">\n{note}\n{_MARK.sub(_escape, text)}\n</reference>'


def unfence(fenced: str) -> str:
    """The text that ``fence`` was given."""
    inner = fenced.split("\n", 2)[2].removesuffix("\n</reference>")
    return _ESCAPED.sub(r"<\1\2reference", inner)


def _escape(mark: re.Match[str]) -> str:
    return f"<\\{mark[1]}{mark[2]}reference"
