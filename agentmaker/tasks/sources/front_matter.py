"""The name and description that a Markdown file begins with, between two lines of ``---``.

Reads texts of the outermost level: plain, quoted, folded and literal ones; the rest is left alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

_FRAME = re.compile(r"\ufeff?---[ \t]*\r?\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.S | re.M)
_FIELD = re.compile(r"([A-Za-z_][\w-]*)[ \t]*:(?:[ \t]+(.*)|)\Z")
_QUOTED = re.compile(r"""("(?:[^"\\]|\\.)*"|'(?:[^']|'')*')\s*(?:#.*)?\Z""", re.S)
_COMMENT = re.compile(r"(?:^|\s+)#.*\Z", re.S)
_BLOCK = re.compile(r"[|>][+-]?\d?[+-]?(?:\s+#.*)?\Z")


def split(text: str) -> tuple[dict[str, str], str]:
    """The fields at the top of *text*, and what follows them."""
    frame = _FRAME.match(text)
    if frame is None:
        return {}, text
    return dict(_fields(frame[1].splitlines())), text[frame.end() :]


def _fields(lines: list[str]) -> Iterator[tuple[str, str]]:
    for at, line in enumerate(lines):
        if field := _FIELD.match(line):
            yield field[1], _value((field[2] or "").strip(), [*_below(lines[at + 1 :])])


def _below(lines: list[str]) -> Iterator[str]:
    for line in lines:
        if line and not line[0].isspace():
            return
        yield line.strip()


def _value(first: str, below: list[str]) -> str:
    if _BLOCK.match(first):
        return ("\n" if first[0] == "|" else " ").join(below).strip()
    written = " ".join(filter(None, [first, *below]))
    if quoted := _QUOTED.match(written):
        return _unquoted(quoted[1])
    return _COMMENT.sub("", written)


def _unquoted(written: str) -> str:
    if written[0] == "'":
        return written[1:-1].replace("''", "'")
    try:
        return str(json.loads(written, strict=False))
    except ValueError:
        return written[1:-1]
