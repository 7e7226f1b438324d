"""From bytes to text, without losing anything unsaid; and a line that says what a text is."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from agentmaker.digests import hashed
from agentmaker.memory.notes.markdown import one_line
from agentmaker.tasks.source import LONGEST_READ, Content

HEAD = 8_192
"""Bytes that tell whether a file is text, and characters that a summary is looked for in."""

LONGEST_SUMMARY = 160
"""Characters."""

_MOST_LOST = 0.25
_MARKED = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_HEADING = re.compile(r"^#{1,6}[ \t]+(\S[^\n]*)", re.MULTILINE)
_WORD = re.compile(r"^.*\w.*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Text:
    """What was decoded; *lost* counts the bytes that stand as U+FFFD in it."""

    text: str
    lost: int = 0


class Binary(Exception):
    """Raised when bytes are no text; the words say why."""


def encoding_of(head: bytes) -> str:
    """How the text that *head* begins is written: UTF-8 but for a byte order mark.

    Raises:
        Binary: it begins no text.
    """
    for mark, encoding in _MARKED.items():
        if head.startswith(mark):
            return encoding
    if b"\0" in head:
        raise Binary("it holds NUL bytes")
    return "utf-8"


def decoded(data: bytes, *, cut: bool = False) -> Text:
    """*data* as text; *cut* where more would follow, so that its last character may be torn.

    Raises:
        Binary: it is no text.
    """
    encoding = encoding_of(data[:HEAD])
    try:
        return Text(_decode(data, encoding, "strict", cut))
    except UnicodeDecodeError:
        text = _decode(data, encoding, "replace", cut)
    lost = text.count("\ufffd") - (data.count(b"\xef\xbf\xbd") if encoding[:5] == "utf-8" else 0)
    if lost > _MOST_LOST * len(text):
        raise Binary("too much of it is no UTF-8: convert it to UTF-8 if it is text")
    return Text(text, lost)


def _decode(data: bytes, encoding: str, errors: str, cut: bool) -> str:
    return codecs.getincrementaldecoder(encoding)(errors).decode(data, final=not cut)


def readable(text: str) -> str:
    """*text* without halves of characters, which no one can send or keep."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def revision_of(data: bytes) -> str:
    return hashed(data).hex()


def summary_of(text: str, *, markdown: bool) -> str:
    """The first heading of Markdown, else the first line that has a word."""
    head = text[:HEAD]
    if markdown and (heading := _HEADING.search(head)):
        return one_line(heading[1], LONGEST_SUMMARY)
    line = _WORD.search(head)
    return one_line(line[0], LONGEST_SUMMARY) if line else ""


def part_of(text: str, revision: str, start: int, limit: int) -> Content:
    """At most *limit* characters of *text*, nor more than one read may ask for."""
    start = min(max(0, start), len(text))
    part = text[start : start + min(max(0, limit), LONGEST_READ)]
    return Content(text=part, revision=revision, start=start, total=len(text))
