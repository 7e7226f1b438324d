"""Everything a source has at one moment: its pages, and how they differ from what was known."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass

from agentmaker.tasks.source import PAGE, Changes, Descriptor, Page, Problem


@dataclass(frozen=True, slots=True)
class Listing:
    """Descriptors by ref, in their order, and what cannot be offered."""

    descriptors: Mapping[str, Descriptor]
    problems: Sequence[Problem] = ()

    def pages(self) -> Iterator[Page]:
        found = tuple(self.descriptors.values())
        for start in range(0, max(len(found), len(self.problems)), PAGE):
            part = slice(start, start + PAGE)
            yield Page(found[part], tuple(self.problems[part]))

    def changes(self, known: Mapping[str, Descriptor]) -> Changes:
        now = self.descriptors
        if known == now:  # the quickest way to see it, as most are the very same objects
            return Changes(problems=tuple(self.problems))
        return Changes(
            descriptors=tuple(each for ref, each in now.items() if _differs(known.get(ref), each)),
            gone=tuple(ref for ref in known if ref not in now),
            problems=tuple(self.problems),
        )


def _differs(old: Descriptor | None, new: Descriptor) -> bool:
    return old is not new and old != new


class ListedSource(ABC):
    """A source that knows all it has at once."""

    @abstractmethod
    async def listing(self, known: Mapping[str, Descriptor]) -> Listing:
        """What there is now; *known* may spare some of the work."""

    async def pages(self) -> AsyncIterator[Page]:
        """Everything it has now, in a fixed order, by pages."""
        for page in (await self.listing({})).pages():
            yield page

    async def changes(self, known: Mapping[str, Descriptor]) -> Changes:
        """What differs from *known*, by ref."""
        return (await self.listing(known)).changes(known)
