"""HTML as Markdown: headings, lists, tables and code stay, what nobody sees goes."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from agentmaker.memory.knowledge.loaders.plain import decoded
from agentmaker.memory.knowledge.loaders.read import Read, checked_length, library_of_extra
from agentmaker.memory.knowledge.loaders.table import table

if TYPE_CHECKING:
    from bs4 import BeautifulSoup
    from bs4.element import NavigableString, Tag

    Event = tuple[bool, Tag | NavigableString]

_NEVER_SEEN = """
    head title script style noscript template svg math iframe object canvas audio video map
"""
_WITHIN_A_LINE = """
    a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark q rp rt
    ruby s samp small span strike strong sub sup time tt u var wbr
"""
_UNSEEN, _INLINE = frozenset(_NEVER_SEEN.split()), frozenset(_WITHIN_A_LINE.split())
_READ_AS = {"iso-8859-1": "cp1252", "us-ascii": "cp1252", "gb2312": "gb18030", "gbk": "gb18030"}
_LIES = re.compile(r"utf-?(?:16|32)", re.IGNORECASE)
"""What no ``meta`` element can tell that is read byte by byte: it stands for UTF-8."""

_DEEPEST = 8
_LISTS = frozenset(("ul", "ol", "menu"))
_HEADING = re.compile(r"h([1-6])\Z")
_HIDDEN = re.compile(r"(?:\A|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)


def read_html(data: bytes) -> Read:
    """In the encoding of its mark, of its ``meta`` element, or UTF-8."""
    with library_of_extra():
        from bs4 import BeautifulSoup
        from bs4.dammit import EncodingDetector
    declared = EncodingDetector.find_declared_encoding(data, is_html=True) or "utf-8"
    encoding = "utf-8" if _LIES.match(declared) else _READ_AS.get(declared, declared)
    soup = BeautifulSoup(decoded(data, encoding), "html.parser")
    tables = _data_tables(soup)
    writer = _Writer(tables)
    for entered, node in _walk(soup, tables):
        writer.enter(node) if entered else writer.leave(node)
    text = writer.text()
    checked_length(len(text))
    return Read(text=text, title=_title(soup))


def _title(soup: BeautifulSoup) -> str:
    named = soup.title or soup.h1
    return _words(named) if named else ""


def _words(node: Tag) -> str:
    return " ".join(node.get_text(" ").split())


def _walk(soup: Tag, whole: Collection[int] = ()) -> Iterator[Event]:
    """All that is seen, entered and left, however deep; what is taken *whole* is not entered."""
    stack: list[Event] = [(True, soup)]
    while stack:
        entered, node = stack.pop()
        if entered and _is_unseen(node):
            continue
        yield entered, node
        if entered and not isinstance(node, str):
            stack.append((False, node))
            if node.name != "pre" and id(node) not in whole:
                stack.extend((True, child) for child in reversed(node.contents))  # type: ignore[misc]


def _data_tables(soup: Tag) -> frozenset[int]:
    """The tables that hold data; one around another, or around headings, is for looks."""
    tables: set[int] = set()
    around: list[int] = []
    for entered, node in _walk(soup):
        if isinstance(node, str) or (node.name != "table" and not _HEADING.match(node.name)):
            continue
        if entered:
            tables.difference_update(around[-1:])
        if node.name == "table" and entered:
            tables.add(id(node))
            around.append(id(node))
        elif node.name == "table":
            around.pop()
    return frozenset(tables)


def _is_unseen(node: Tag | NavigableString) -> bool:
    if isinstance(node, str):
        return type(node).__name__ != "NavigableString"  # comments, doctypes and the like
    style = str(node.get("style") or "")
    return (
        node.name in _UNSEEN
        or node.has_attr("hidden")
        or node.get("aria-hidden") == "true"
        or _HIDDEN.search(style) is not None
    )


class _Writer:
    """Takes what is entered and left, and keeps finished blocks."""

    def __init__(self, tables: Collection[int]) -> None:
        self._tables = tables
        self._blocks: list[str] = []
        self._inline: list[str] = []
        self._lists: list[str] = []
        self._mark = ""

    def text(self) -> str:
        self._close()
        return "\n".join(self._blocks).strip("\n") + "\n" if self._blocks else ""

    def enter(self, node: Tag | NavigableString) -> None:
        if isinstance(node, str):
            self._inline.append(node)
        elif node.name == "br":
            self._inline.append("\0")
        elif node.name == "img":
            self._inline.append(str(node.get("alt") or ""))
        elif node.name not in _INLINE:
            self._close()
            self._open(node)

    def leave(self, node: Tag | NavigableString) -> None:
        if isinstance(node, str) or node.name in _INLINE or node.name == "br":
            return
        self._close()
        if node.name in _LISTS and self._lists:
            self._lists.pop()
            self._blocks += [] if self._lists else [""]

    def _open(self, node: Tag) -> None:
        if heading := _HEADING.match(node.name):
            self._mark = "#" * int(heading[1]) + " "
        elif node.name in _LISTS:
            self._lists.append("1. " if node.name == "ol" else "- ")
        elif node.name == "li":
            marks = self._lists or ["- "]
            self._mark = "  " * min(len(marks) - 1, _DEEPEST) + marks[-1]
        elif node.name == "pre":
            self._blocks += ["```", node.get_text().strip("\n").replace("```", "'''"), "```", ""]
        elif id(node) in self._tables:
            rows = (
                [_words(cell) for cell in row.find_all(["td", "th"])] for row in node.find_all("tr")
            )
            self._blocks += [table(rows), ""]

    def _close(self) -> None:
        """Keep the words so far as a block: a heading, an item of a list or a paragraph."""
        lines = (" ".join(line.split()) for line in "".join(self._inline).split("\0"))
        words = "\n".join(filter(None, lines))
        self._inline.clear()
        if not words:
            return
        item = bool(self._lists)
        mark = self._mark or "  " * min(len(self._lists), _DEEPEST)
        self._blocks.append(mark + words.replace("\n", " " if self._mark else "\n"))
        self._blocks += [] if item else [""]
        self._mark = ""
