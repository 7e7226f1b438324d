"""What is seen of an HTML page, as a tree, however deep it is nested."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from agentmaker.memory.knowledge.loaders.read import Unloadable, library_of_extra

MOST_ELEMENTS = 1_000_000
"""In a page, seen or not."""

_NEVER_SEEN = """
    head title script style noscript template svg math iframe object canvas audio video map
"""
_UNSEEN = frozenset(_NEVER_SEEN.split())
_HIDDEN = re.compile(r"(?:\A|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)


@dataclass(slots=True, eq=False)
class Element:
    """An element by its *name*, and what is seen in it."""

    name: str
    alt: str = ""
    children: list[Element | str] = field(default_factory=list)

    def walk(self, whole: Collection[Element] = ()) -> Iterator[tuple[bool, Element | str]]:
        """All there is in order, True where it is entered and False where an element is left.

        What is taken *whole* is not looked into.
        """
        stack: list[tuple[bool, Element | str]] = [(True, self)]
        while stack:
            entered, node = stack.pop()
            yield entered, node
            if entered and isinstance(node, Element):
                stack.append((False, node))
                inner = () if node in whole else reversed(node.children)
                stack.extend((True, child) for child in inner)

    def find(self, *names: str) -> Iterator[Element]:
        """The elements of these names in it."""
        for entered, node in self.walk():
            if entered and isinstance(node, Element) and node.name in names:
                yield node

    def text(self, between: str = "") -> str:
        return between.join([node for _, node in self.walk() if isinstance(node, str)])

    def words(self) -> str:
        return " ".join(self.text(" ").split())


class Tree:
    """Takes the events of lxml, whose own trees end 2,048 elements deep."""

    def __init__(self) -> None:
        self.root = Element("")
        self.title: Element | None = None
        self._open = [self.root]
        self._elements = 0
        self._said: list[str] = []

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        self._elements += 1
        if self._elements > MOST_ELEMENTS:
            raise Unloadable(f"it has more than {MOST_ELEMENTS:,} elements: split it")
        self._keep_text()
        element = Element(name, attributes.get("alt", ""))
        if _is_seen(name, attributes):
            self._open[-1].children.append(element)
        elif name == "title" and self.title is None:
            self.title = element
        self._open.append(element)

    def end(self, name: str) -> None:
        self._keep_text()
        self._open.pop()

    def data(self, text: str) -> None:
        self._said.append(text)

    def close(self) -> None:
        self._keep_text()

    def _keep_text(self) -> None:
        """As one, though it came in pieces: a word may be parted by an entity."""
        if self._said:
            self._open[-1].children.append("".join(self._said))
            self._said.clear()


def _is_seen(name: str, attributes: Mapping[str, str]) -> bool:
    return not (
        name in _UNSEEN
        or "hidden" in attributes
        or attributes.get("aria-hidden") == "true"
        or _HIDDEN.search(attributes.get("style", ""))
    )


def parsed(page: str) -> Tree:
    """Raises Unloadable: there are too many elements."""
    with library_of_extra():
        from lxml import etree  # type: ignore[import-untyped]

    tree = Tree()
    parser = etree.HTMLParser(target=tree, encoding="utf-8", huge_tree=True)
    if page.strip():
        parser.feed(page.encode("utf-8", "replace"))
        parser.close()
    return tree
