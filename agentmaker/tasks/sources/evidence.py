"""A text that the application gives a task itself."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from agentmaker.tasks.digest import digest
from agentmaker.tasks.source import LONGEST_READ, Content, Descriptor, Page, Unreadable

_SUMMARY = 160


@dataclass(frozen=True, slots=True)
class EvidenceSource:
    """One text, known by its content.

    Raises:
        TypeError: *text* or *title* is no string.
    """

    text: str
    title: str = field(default="", kw_only=True)

    def __post_init__(self) -> None:
        for each in (self.text, self.title):
            if not isinstance(each, str):
                raise TypeError(f"evidence is text, not {type(each).__name__}: render it first")

    @property
    def id(self) -> str:
        return f"evidence:{self.revision[:16]}"

    @property
    def kind(self) -> str:
        return "evidence"

    @property
    def revision(self) -> str:
        return digest(self.text, self.title)

    async def pages(self) -> AsyncIterator[Page]:
        """The one item there is."""
        yield Page((self._descriptor(),))

    async def read(self, ref: str, *, start: int = 0, limit: int = LONGEST_READ) -> Content:
        """The text.

        Raises:
            Unreadable: *ref* names anything else.
        """
        if ref != "text":
            raise Unreadable("no such evidence")
        part = self.text[start : start + limit]
        return Content(text=part, revision=self.revision, start=start, total=len(self.text))

    def _descriptor(self) -> Descriptor:
        return Descriptor(
            ref="text",
            revision=self.revision,
            role="evidence",
            title=self.title,
            summary=" ".join(self.text[: 2 * _SUMMARY].split())[:_SUMMARY],
            size=len(self.text),
        )
