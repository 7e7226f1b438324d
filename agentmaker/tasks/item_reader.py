"""Reads an item exactly, and holds its source to what it told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import anyio

from agentmaker.errors import SourceError
from agentmaker.tasks.candidates import Item, Key
from agentmaker.tasks.exact_read import read_exact
from agentmaker.tasks.omissions import OmissionLog
from agentmaker.tasks.package import Diagnostic
from agentmaker.tasks.search import Search
from agentmaker.tasks.source import LONGEST_READ, Content, Locating, Span
from agentmaker.tasks.synced_source import LATE, reason_of

_PLACES = 4


class StaleSnapshot(Exception):
    """Raised when items are not what their descriptors say: the snapshot may be out of date."""


@dataclass(slots=True)
class Staleness:
    """Items that were not what they should be, at the revision told.

    The first time the snapshot is taken anew; told the same again, the source is at fault.
    """

    known: set[tuple[Key, str]] = field(default_factory=set)
    patient: bool = True
    moved: bool = False

    def begin(self, *, patient: bool) -> None:
        """Look at everything once more; if not *patient*, for the last time."""
        self.patient, self.moved = patient, False

    def clears(self, item: Item) -> bool:
        """Whether the snapshot may be at fault for *item*, rather than its source."""
        this = item.key, item.descriptor.revision
        if not self.patient or this in self.known:
            return False
        self.known.add(this)
        self.moved = True
        return True

    def settle(self) -> None:
        """Raises StaleSnapshot: something deserves another look."""
        if self.moved:
            raise StaleSnapshot


@dataclass(slots=True)
class ItemReader:
    """Exact reads of one package."""

    query: str
    search: Search
    timeout: float | None
    staleness: Staleness
    omissions: OmissionLog
    diagnostics: list[Diagnostic] = field(default_factory=list)
    _places: dict[Key, Span | None] = field(default_factory=dict)

    async def read(self, item: Item, place: Span | None) -> Content | None:
        """All of *item*, or as much around *place* as one read gives; None when it is omitted.

        Raises:
            StaleSnapshot: it is not what was told.
            SourceError: it is required and cannot be read.
        """
        start = _beginning(place)
        try:
            content = await read_exact(
                item.bound.binding.source, item.descriptor.ref, start, self.timeout
            )
        except Exception as error:
            self._fail(item, "read_failed", reason_of(error))
            return None
        if content.revision != item.descriptor.revision:
            self._fail(item, "revision_untrue", "its content is of another revision")
            return None
        if item.descriptor.size is not None and item.descriptor.size != content.total:
            self._tell(item, "size_untrue", "")
        return content

    async def place(self, item: Item, hit: Span | None) -> Span | None:
        """Where in *item* the query is answered: as its source, the index and its words say."""
        if item.key not in self._places:
            found = await self._located(item) or hit
            self._places[item.key] = found or await self.search.place(self.query, item)
        return self._places[item.key]

    async def _located(self, item: Item) -> Span | None:
        source = item.bound.binding.source
        if not isinstance(source, Locating) or not self.query.strip():
            return None
        try:
            with anyio.fail_after(self.timeout):
                found = await source.locate(item.descriptor.ref, self.query, limit=_PLACES)
            return _first(found)
        except Exception as error:
            self._tell(item, "locate_failed", reason_of(error))
            return None

    def _fail(self, item: Item, code: str, why: str) -> None:
        excused = why != LATE and self.staleness.clears(item)
        if item.required:
            raise StaleSnapshot if excused else SourceError(item.bound.id, why)
        self.omissions.add(item, "read_failed", why)
        self._tell(item, code, why)

    def _tell(self, item: Item, code: str, detail: str) -> None:
        self.diagnostics.append(
            Diagnostic(code=code, binding_id=item.bound.id, ref=item.descriptor.ref, detail=detail)
        )


def _beginning(place: Span | None) -> int:
    """Where to read from, so that *place* is in what is read."""
    if place is None or place.end <= LONGEST_READ:
        return 0
    return max(0, place.start - LONGEST_READ // 2)


def _first(found: Sequence[Span]) -> Span | None:
    return next((each for each in found if 0 <= each.start < each.end), None)
