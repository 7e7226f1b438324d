"""The files below a root, looked at once and then again only where their stamps changed.

- Nothing outside the root is ever opened; links are not followed.
- A file that was touched keeps its revision, which is a digest of its content.
- One changed so lately that its stamp cannot tell a further change is looked at again.
- All work on files is done in threads, which return what they found and change nothing here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from anyio import to_thread

from agentmaker.tasks.source import PAGE, Descriptor, Unreadable
from agentmaker.tasks.sources.listing import Listing
from agentmaker.tasks.sources.looking import Describe, look
from agentmaker.tasks.sources.opening import parts_of
from agentmaker.tasks.sources.reading import Reading, read_or_refuse
from agentmaker.tasks.sources.remembered import remembered
from agentmaker.tasks.sources.scanning import scan
from agentmaker.tasks.sources.scans import Root, Scan, Seen, Wanted

T = TypeVar("T")


@dataclass(slots=True)
class Tree:
    """Lists and reads the files of *root* that are *wanted*; *describe* makes the descriptors."""

    root: Root
    wanted: Wanted
    describe: Describe
    max_bytes: int
    max_files: int
    _seen: dict[str, Seen] = field(default_factory=dict)
    _last: tuple[Scan, Listing] | None = None

    async def listing(self, known: Mapping[str, Descriptor]) -> Listing:
        """What there is now; *known* spares looking at what has not changed since it was told."""
        found = await aside(self._scan, self._seen, known)
        for start in range(0, len(found.fresh), PAGE):
            looked = await aside(self._look, found, found.fresh[start : start + PAGE])
            found.found.update(looked)
            # Whoever is given up half-way has less to do when it tries again.
            self._seen = self._seen | looked
        self._seen = found.found
        listing = await aside(_listing_of, found, self._last)
        self._last = found, listing
        return listing

    async def read(self, ref: str) -> Reading:
        """One file as it is now.

        Raises:
            Unreadable: it cannot be read, or is not *wanted*.
        """
        parts = parts_of(ref)
        if ref != self.root.only if self.root.only else ref not in self.wanted:
            raise Unreadable("outside: the source does not offer it")
        return await aside(read_or_refuse, self.root.path, parts, self.max_bytes)

    def _scan(self, seen: Mapping[str, Seen], known: Mapping[str, Descriptor]) -> Scan:
        told = {ref: each for ref, each in known.items() if ref not in seen}
        if told:
            seen = {**remembered(told, self.max_bytes), **seen}
        return scan(self.root, self.wanted, seen, self.max_files)

    def _look(self, found: Scan, refs: Sequence[str]) -> dict[str, Seen]:
        return {
            ref: look(self.root.path, ref, self.max_bytes, found, self.describe) for ref in refs
        }


def _listing_of(found: Scan, last: tuple[Scan, Listing] | None) -> Listing:
    if last is not None and found.finds_as(last[0]):
        return last[1]
    offered = {ref: each.descriptor for ref, each in found.found.items() if each.descriptor}
    told = (problem for each in found.found.values() for problem in each.problems)
    return Listing(offered, [*found.problems, *told])


async def aside(function: Callable[..., T], *args: object) -> T:
    """What *function* returns, in a thread; cancelled, this leaves the thread to itself."""
    return await to_thread.run_sync(partial(function, *args), abandon_on_cancel=True)
