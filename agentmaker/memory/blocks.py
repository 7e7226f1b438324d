"""Where a text may be cut, read from its own structure: Markdown's, or that of plain prose."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

PARAGRAPH, INDENTED, LINE, SENTENCE, WORD, CHARACTER, NEVER = 50, 45, 30, 20, 10, 5, 0
"""How good a place to cut is: the larger the better; a heading of level 1 is `HEADING` - 1."""

HEADING = 100

LONGEST_TITLE = 200
"""Characters that are kept of a heading's words."""

_LINES = re.compile(r"[^\n]*\n|[^\n]+")
FRONT = re.compile(
    r"---[ \t]*\r?\n(?:(?:[\w.'\"-]+[ \t]*:|[ \t#]|- ).*\n|\r?\n)*---[ \t]*(?:\r?\n|\Z)"
)
_ATX = re.compile(r" {0,3}(#{1,6})[ \t]+(\S.*)")
_CLOSED = re.compile(r"[ \t]#+\s*\Z")
_SETEXT = re.compile(r" {0,3}(?:(={2,})|-{2,})\s*\Z")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_CJK_STOPS = "。！？…；"
_STOPS = re.compile(rf"""[.!?]+["')\]”’]*\s*|[{_CJK_STOPS}]+["'”’」』）》]*\s*""")
_WORDS = re.compile(r"\S+\s*|\s+")


class Block(NamedTuple):
    """A stretch that would rather stay whole.

    Attributes:
        cut: how good a place its beginning is to cut.
        level: of the heading it is, 0 for none; *title* is that heading.
    """

    start: int
    end: int
    cut: int
    level: int = 0
    title: str = ""


def blocks(text: str) -> Iterator[Block]:
    """Headings, paragraphs, tables and fenced code of *text*, in order, without blank lines."""
    reader = _Reader(text)
    for block in reader.read():
        yield block if not reader.below_heading(block) else block._replace(cut=NEVER)


class _Reader:
    def __init__(self, text: str) -> None:
        front = FRONT.match(text)
        self.text = text
        self.front = front.end() if front else 0
        self.fence = ""
        self.heading = False

    def below_heading(self, block: Block) -> bool:
        """Whether *block* is the first below a heading, which is nothing without it."""
        before, self.heading = self.heading, block.level > 0
        return before and not self.heading

    def read(self) -> Iterator[Block]:
        if self.front:
            yield Block(0, self.front, PARAGRAPH)
        begun: list[tuple[int, int]] = []
        for match in _LINES.finditer(self.text, self.front):
            span, line = match.span(), match[0]
            if self.fence:
                begun.append(span)
                if line.strip().startswith(self.fence) and not line.strip(" \t\r\n`~"):
                    yield from self._closed(begun)
            elif opening := _FENCE.match(line):
                yield from self._closed(begun)
                self.fence = opening[1]
                begun.append(span)
            elif line.isspace():
                yield from self._closed(begun)
            elif heading := _ATX.match(line):
                yield from self._closed(begun)
                yield _heading(span, len(heading[1]), _CLOSED.sub("", heading[2]))
            elif len(begun) == 1 and (under := _SETEXT.match(line)):
                start, end = begun.pop()
                level = 1 if under[1] else 2
                yield _heading((start, span[1]), level, self.text[start:end])
            else:
                begun.append(span)
        yield from self._closed(begun)

    def _closed(self, begun: list[tuple[int, int]]) -> Iterator[Block]:
        if begun:
            start, end = begun[0][0], begun[-1][1]
            yield Block(start, end, INDENTED if self.text[start] in " \t" else PARAGRAPH)
        begun.clear()
        self.fence = ""


def _heading(span: tuple[int, int], level: int, title: str) -> Block:
    return Block(*span, HEADING - level, level, title.strip()[:LONGEST_TITLE])


def lines(text: str, block: Block) -> Iterator[Block]:
    return _parts(text, block, (each.end() for each in _LINES.finditer(text, *block[:2])), LINE)


def sentences(text: str, block: Block) -> Iterator[Block]:
    stops = _STOPS.finditer(text, *block[:2])
    ends = (each.end() for each in stops if each[0][0] in _CJK_STOPS or each[0][-1].isspace())
    return _parts(text, block, ends, SENTENCE)


def words(text: str, block: Block) -> Iterator[Block]:
    return _parts(text, block, (each.end() for each in _WORDS.finditer(text, *block[:2])), WORD)


def _parts(text: str, block: Block, ends: Iterator[int], cut: int) -> Iterator[Block]:
    """*block* parted at *ends*; its beginning is as good a cut as it was."""
    start, first = block.start, block.cut
    for end in ends:
        yield Block(start, end, first, *block[3:])
        start, first, block = end, cut, block._replace(level=0, title="")
    if start < block.end:
        yield Block(start, block.end, first, *block[3:])
