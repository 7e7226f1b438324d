"""HTML as Markdown: headings, lists, tables and code stay, what nobody sees goes."""

from __future__ import annotations

import re

from agentmaker.memory.knowledge.loaders.html_tree import Element, Tree, parsed
from agentmaker.memory.knowledge.loaders.plain import decoded
from agentmaker.memory.knowledge.loaders.read import Read, checked_length
from agentmaker.memory.knowledge.loaders.table import table

_WITHIN_A_LINE = """
    a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark q rp rt
    ruby s samp small span strike strong sub sup time tt u var wbr
"""
_INLINE = frozenset(_WITHIN_A_LINE.split())
_DECLARED = re.compile(
    rb"""<\?xml[^>]*?encoding\s*=\s*["']?([\w.:-]+)|<meta[^>]*?charset\s*=\s*["']?([\w.:-]+)""",
    re.IGNORECASE,
)
_BEGINNING = 4_096
"""Bytes in which a page declares its encoding."""

_READ_AS = {"iso-8859-1": "cp1252", "us-ascii": "cp1252", "gb2312": "gb18030", "gbk": "gb18030"}
_LIES = re.compile(r"utf-?(?:16|32)", re.IGNORECASE)
"""What no ``meta`` element can tell that is read byte by byte: it stands for UTF-8."""

_DEEPEST = 8
_LISTS = frozenset(("ul", "ol", "menu"))
_HEADING = re.compile(r"h([1-6])\Z")


def read_html(data: bytes) -> Read:
    """In the encoding of its mark, of its ``meta`` element, or UTF-8."""
    tree = parsed(decoded(data, _declared(data)))
    writer = _Writer(_data_tables(tree.root))
    text = writer.written(tree.root)
    checked_length(len(text))
    return Read(text=text, title=_title(tree))


def _declared(data: bytes) -> str:
    found = _DECLARED.search(data[:_BEGINNING])
    declared = (found[1] or found[2]).decode("ascii", "replace").lower() if found else "utf-8"
    return "utf-8" if _LIES.match(declared) else _READ_AS.get(declared, declared)


def _title(tree: Tree) -> str:
    named = tree.title or next(tree.root.find("h1"), None)
    return named.words() if named else ""


def _data_tables(root: Element) -> frozenset[Element]:
    """The tables that hold data; one around another, or around headings, is for looks."""
    tables: set[Element] = set()
    around: list[Element] = []
    for entered, node in root.walk():
        if isinstance(node, str) or (node.name != "table" and not _HEADING.match(node.name)):
            continue
        if entered:
            tables.difference_update(around[-1:])
        if node.name == "table" and entered:
            tables.add(node)
            around.append(node)
        elif node.name == "table":
            around.pop()
    return frozenset(tables)


class _Writer:
    """Takes what is entered and left, and keeps finished blocks."""

    def __init__(self, tables: frozenset[Element]) -> None:
        self._tables = tables
        self._blocks: list[str] = []
        self._inline: list[str] = []
        self._lists: list[str] = []
        self._mark = ""

    def written(self, root: Element) -> str:
        for entered, node in root.walk(whole=self._tables | {*root.find("pre")}):
            self._enter(node) if entered else self._leave(node)
        self._close()
        return "\n".join(self._blocks).strip("\n") + "\n" if self._blocks else ""

    def _enter(self, node: Element | str) -> None:
        if isinstance(node, str):
            self._inline.append(node)
        elif node.name == "br":
            self._inline.append("\0")
        elif node.name == "img":
            self._inline.append(node.alt)
        elif node.name not in _INLINE:
            self._close()
            self._open(node)

    def _leave(self, node: Element | str) -> None:
        if isinstance(node, str) or node.name in _INLINE or node.name == "br":
            return
        self._close()
        if node.name in _LISTS and self._lists:
            self._lists.pop()
            self._blocks += [] if self._lists else [""]

    def _open(self, node: Element) -> None:
        if heading := _HEADING.match(node.name):
            self._mark = "#" * int(heading[1]) + " "
        elif node.name in _LISTS:
            self._lists.append("1. " if node.name == "ol" else "- ")
        elif node.name == "li":
            marks = self._lists or ["- "]
            self._mark = "  " * min(len(marks) - 1, _DEEPEST) + marks[-1]
        elif node.name == "pre":
            self._blocks += ["```", node.text().strip("\n").replace("```", "'''"), "```", ""]
        elif node in self._tables:
            rows = ([cell.words() for cell in row.find("td", "th")] for row in node.find("tr"))
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
