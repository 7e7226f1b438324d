"""A note as a Markdown file: a heading, its gist as a quotation, the text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import count

from agentmaker.digests import sha256_of

LONGEST_TITLE = 120
"""Characters."""

LONGEST_GIST = 160
"""Characters."""

_LONGEST_STEM = 50
_CUT = "…"
_HEAD = re.compile(
    r"\s*#[ \t]+(?P<title>[^\n]*\S)[^\n]*(?:\n+|\Z)"
    r"(?:>[ \t]?(?P<gist>[^\n]*)(?:\n+?|\Z))?\n?(?P<text>.*)",
    re.DOTALL,
)
_MARKS = re.compile(r"^[\s#>*+-]+")
_SENTENCE = re.compile(r".+?(?:[.!?](?=\s|\Z)|[。！？])")
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)\Z", re.IGNORECASE)


def one_line(text: str, longest: int) -> str:
    """*text* without line breaks, cut to so many characters."""
    line = " ".join(text.split())
    return line if len(line) <= longest else line[: longest - 1] + _CUT


def gist_of(text: str) -> str:
    """The first sentence of *text*, in one line."""
    lines = (_MARKS.sub("", line).strip() for line in text.splitlines())
    line = next(filter(None, lines), "")
    sentence = _SENTENCE.match(line)
    return one_line(sentence[0] if sentence else line, LONGEST_GIST)


def to_markdown(title: str, gist: str, text: str) -> str:
    return f"# {title}\n> {gist}\n\n{text}\n"


def from_markdown(written: str, stem: str) -> tuple[str, str, str]:
    """Title, gist and text of a file, whoever wrote it; *stem* is the title where it has none."""
    written = written.removeprefix("\ufeff").replace("\r\n", "\n")
    head = _HEAD.match(written)
    title, gist, text = head.group("title", "gist", "text") if head else (stem, None, written)
    text = text.removesuffix("\n")
    gist = gist_of(text) if gist is None else one_line(gist, LONGEST_GIST)
    return one_line(title, LONGEST_TITLE), gist, text


def stems_for(title: str) -> Iterator[str]:
    """File names for *title*, without ending, in the order to try them. They name no folder."""
    kept = (
        each if each.isalnum() or each in " -_" else "-"
        for each in unicodedata.normalize("NFC", title)
    )
    stem = re.sub(r"[ -]*-[ -]*", "-", "".join(kept)).strip("- ")[:_LONGEST_STEM].strip("- ")
    stem = f"note-{stem}".rstrip("-") if not stem or _RESERVED.match(stem) else stem
    digest = sha256_of(title.encode("utf-8", "replace"))[:8]
    yield stem
    yield f"{stem}-{digest}"
    yield from (f"{stem}-{digest}-{number}" for number in count(2))
