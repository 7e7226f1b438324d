"""What a source of a task can do: say what it has, and read one item of it exactly.

A source is asked by several readers at once. It never decides what is relevant, and what it
says of itself is checked: a size or a revision that is not true becomes a diagnostic.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

PAGE = 256
"""The most descriptors of one page."""

LONGEST_READ = 262_144
"""Characters that one read may ask for."""


class Unreadable(Exception):
    """Raised by a source whose item cannot be read as text; the words say why, without content."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Descriptor:
    """One item a source has, described without its content.

    Attributes:
        ref: names it within its source, such as a path relative to a root.
        revision: changes whenever its content does, and then only.
        role: what it is: ``"file"``, ``"record"``, ``"skill"``, ``"turn"``, ``"evidence"``.
        title: shown to a selector and above its text.
        summary: a line or two for a selector.
        size: its length in characters where the source knows it, else None.
        parent: the ref of what holds it; "" for none.
        required: read before anything else, whatever is asked.
        priority: larger ones come first where the index does not tell.
        metadata: JSON, for filters and the application; never shown to a model.
    """

    ref: str
    revision: str
    role: str
    title: str = ""
    summary: str = ""
    size: int | None = None
    parent: str = ""
    required: bool = False
    priority: int = 0
    metadata: Mapping[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """Text read from a source.

    Attributes:
        revision: of the item this text was read from, made as its descriptor's is.
        start: the character of the whole that *text* begins with.
        total: characters of the whole.
    """

    text: str
    revision: str
    start: int
    total: int


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of one item, in characters."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Problem:
    """Something of a source that cannot be offered, and why; told in the package's diagnostics.

    *reason* is one of ``"unreadable"``, ``"binary"``, ``"too_large"``, ``"encoding"``,
    ``"outside"``, ``"missing_field"``, ``"invalid"``; *detail* is a few words, never content.
    """

    ref: str
    reason: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """Some of what a source has; at most `PAGE` descriptors."""

    descriptors: Sequence[Descriptor]
    problems: Sequence[Problem] = ()


@runtime_checkable
class TaskSource(Protocol):
    """Anything that a task can be bound to.

    Attributes:
        id: the same for the same data in every process, as the key of what is indexed.
        kind: ``"folder"``, ``"records"``, ``"skills"``, ``"session"``, ``"evidence"`` or your own.
    """

    @property
    def id(self) -> str: ...

    @property
    def kind(self) -> str: ...

    def pages(self) -> AsyncIterator[Page]:
        """Everything it has now, in a fixed order, by pages."""
        ...

    async def read(self, ref: str, *, start: int = 0, limit: int = LONGEST_READ) -> Content:
        """At most *limit* characters of one item, from *start* on.

        Raises:
            Unreadable: it is gone, is no text, or *ref* names nothing of this source.
        """
        ...


@runtime_checkable
class Locating(Protocol):
    """A source that finds places within one of its items; others are searched by their text."""

    async def locate(self, ref: str, query: str, *, limit: int) -> Sequence[Span]:
        """At most *limit* places of *ref* that answer *query*, the best first. Decides nothing."""
        ...


@runtime_checkable
class Changing(Protocol):
    """A source that finds out what changed without reading everything again."""

    async def changes(self, known: Mapping[str, Descriptor]) -> Changes:
        """What differs from *known*, by ref: what was last told, by this object or another."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """What changed in a source.

    Attributes:
        descriptors: what is new or changed.
        gone: refs that are no more.
        problems: all there are now.
    """

    descriptors: Sequence[Descriptor] = ()
    gone: Sequence[str] = ()
    problems: Sequence[Problem] = ()
