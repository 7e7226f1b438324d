"""Reads a thing exactly, and holds its source to what it told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import anyio

from agentmaker.errors import SourceError
from agentmaker.tasks.exact import exact
from agentmaker.tasks.narrowing import Seeking
from agentmaker.tasks.omitting import Omitting
from agentmaker.tasks.package import Diagnostic
from agentmaker.tasks.source import LONGEST_READ, Content, Locating, Span
from agentmaker.tasks.syncing import LATE, reason_of
from agentmaker.tasks.things import Key, Thing

_PLACES = 4


class Moved(Exception):
    """Raised when things are not what their descriptors say: the snapshot may be out of date."""


@dataclass(slots=True)
class Suspects:
    """Things that were not what they should be, at the revision told.

    The first time the snapshot is taken anew; told the same again, the source is at fault.
    """

    known: set[tuple[Key, str]] = field(default_factory=set)
    patient: bool = True
    moved: bool = False

    def begin(self, *, patient: bool) -> None:
        """Look at everything once more; if not *patient*, for the last time."""
        self.patient, self.moved = patient, False

    def clears(self, thing: Thing) -> bool:
        """Whether the snapshot may be at fault for *thing*, rather than its source."""
        this = thing.key, thing.told.revision
        if not self.patient or this in self.known:
            return False
        self.known.add(this)
        self.moved = True
        return True

    def settle(self) -> None:
        """Raises Moved: something deserves another look."""
        if self.moved:
            raise Moved


@dataclass(slots=True)
class Reading:
    """Exact reads of one package."""

    query: str
    seeking: Seeking
    timeout: float | None
    suspects: Suspects
    omitting: Omitting
    diagnostics: list[Diagnostic] = field(default_factory=list)
    _places: dict[Key, Span | None] = field(default_factory=dict)

    async def read(self, thing: Thing, place: Span | None) -> Content | None:
        """All of *thing*, or as much around *place* as one read gives; None when it is omitted.

        Raises:
            Moved: it is not what was told.
            SourceError: it is required and cannot be read.
        """
        start = _beginning(place)
        try:
            content = await exact(thing.bound.binding.source, thing.told.ref, start, self.timeout)
        except Exception as error:
            self._fail(thing, "read_failed", reason_of(error))
            return None
        if content.revision != thing.told.revision:
            self._fail(thing, "revision_untrue", "its content is of another revision")
            return None
        if thing.told.size is not None and thing.told.size != content.total:
            self._tell(thing, "size_untrue", "")
        return content

    async def place(self, thing: Thing, hit: Span | None) -> Span | None:
        """Where in *thing* the query is answered: as its source, the index and its words say."""
        if thing.key not in self._places:
            found = await self._located(thing) or hit
            self._places[thing.key] = found or await self.seeking.place(self.query, thing)
        return self._places[thing.key]

    async def _located(self, thing: Thing) -> Span | None:
        source = thing.bound.binding.source
        if not isinstance(source, Locating) or not self.query.strip():
            return None
        try:
            with anyio.fail_after(self.timeout):
                found = await source.locate(thing.told.ref, self.query, limit=_PLACES)
            return _first(found)
        except Exception as error:
            self._tell(thing, "locate_failed", reason_of(error))
            return None

    def _fail(self, thing: Thing, code: str, why: str) -> None:
        excused = why != LATE and self.suspects.clears(thing)
        if thing.required:
            raise Moved if excused else SourceError(thing.bound.id, why)
        self.omitting.add(thing, "read_failed", why)
        self._tell(thing, code, why)

    def _tell(self, thing: Thing, code: str, detail: str) -> None:
        self.diagnostics.append(
            Diagnostic(code=code, binding_id=thing.bound.id, ref=thing.told.ref, detail=detail)
        )


def _beginning(place: Span | None) -> int:
    """Where to read from, so that *place* is in what is read."""
    if place is None or place.end <= LONGEST_READ:
        return 0
    return max(0, place.start - LONGEST_READ // 2)


def _first(found: Sequence[Span]) -> Span | None:
    return next((each for each in found if 0 <= each.start < each.end), None)
