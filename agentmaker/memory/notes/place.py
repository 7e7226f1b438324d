"""Where notes are kept: what every place can do, and a store as one."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from agentmaker.calls.memory.remembered import Remembered
from agentmaker.memory.records import Document
from agentmaker.memory.store import Store
from agentmaker.scope import Scope

KIND = "note"

_Known = Remembered[tuple[Scope, str, datetime, str], Document]


class Place(Protocol):
    """Keeps notes by title, as documents.

    Raises:
        StoreError: they cannot be read or written.
    """

    @property
    def key(self) -> Hashable:
        """The same for two places that are one."""
        ...

    async def listed(self) -> tuple[Document, ...]:
        """The notes with an empty ``text``, the latest changed first."""
        ...

    async def whole(self) -> tuple[Document, ...]:
        """The notes with their texts, the latest changed first."""
        ...

    async def read(self, title: str) -> Document | None:
        """One note, None where there is none."""
        ...

    async def write(self, note: Document) -> None:
        """Keep a note, in the place of the one of its title."""
        ...

    async def remove(self, title: str) -> None:
        """Let go of a note, where there is one."""
        ...


@dataclass(frozen=True, slots=True)
class StoredNotes:
    """The notes of one scope in a store. Texts that did not change are not read again."""

    store: Store
    scope: Scope
    known: _Known = field(default_factory=lambda: Remembered(512))

    @property
    def key(self) -> Hashable:
        return id(self.store), self.scope

    async def listed(self) -> tuple[Document, ...]:
        return await self.store.documents(self.scope, KIND)

    async def whole(self) -> tuple[Document, ...]:
        found = [await self._whole(each) for each in await self.listed()]
        return tuple(each for each in found if each is not None)

    async def read(self, title: str) -> Document | None:
        return await self.store.document(self.scope, KIND, title)

    async def write(self, note: Document) -> None:
        await self.store.put(self.scope, note)
        self.known.put(self._key(note), note)

    async def remove(self, title: str) -> None:
        await self.store.remove(self.scope, KIND, title)

    async def _whole(self, listed: Document) -> Document | None:
        known = self.known.get(self._key(listed))
        if known is not None:
            return known
        read = await self.read(listed.name)
        if read is not None:
            self.known.put(self._key(read), read)
        return read

    def _key(self, note: Document) -> tuple[Scope, str, datetime, str]:
        return self.scope, note.name, note.updated, note.gist
