"""A source in memory that can be changed, be slow, fail and lie."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import replace
from hashlib import sha256
from typing import Any

from agentmaker.tasks.source import LONGEST_READ, Content, Descriptor, Page, Unreadable


def revision_of(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


async def nothing(ref: str) -> None:
    """What a shelf does before it reads."""


class Shelf:
    """Texts by ref, told in their order.

    *told* changes what a descriptor says; *before* runs ahead of every read, and may change,
    hang or raise.
    """

    kind = "shelf"

    def __init__(
        self,
        texts: Mapping[str, str],
        *,
        id: str = "shelf",
        told: Mapping[str, dict[str, Any]] | None = None,
        before: Callable[[str], Awaitable[None]] = nothing,
    ) -> None:
        self.id = id
        self.texts = dict(texts)
        self.told = dict(told or {})
        self.before = before
        self.reads: list[str] = []
        self.looks = 0

    def descriptor(self, ref: str) -> Descriptor:
        text = self.texts[ref]
        plain = Descriptor(
            ref=ref, revision=revision_of(text), role="file", title=ref, size=len(text)
        )
        return replace(plain, **self.told.get(ref, {}))

    async def pages(self) -> AsyncIterator[Page]:
        self.looks += 1
        refs = list(self.texts)
        for at in range(0, len(refs), 3):
            yield Page([self.descriptor(ref) for ref in refs[at : at + 3]])

    async def read(self, ref: str, *, start: int = 0, limit: int = LONGEST_READ) -> Content:
        self.reads.append(ref)
        await self.before(ref)
        if ref not in self.texts:
            raise Unreadable("it is gone")
        text = self.texts[ref]
        part = text[start : start + limit]
        return Content(text=part, revision=revision_of(text), start=start, total=len(text))
