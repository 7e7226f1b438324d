"""The files below a root, looked at once and then again only where their stamps changed.

- Nothing outside the root is ever opened; links are not followed.
- A file that was touched keeps its revision, which is a digest of its content.
- One changed so lately that its stamp cannot tell a further change is looked at again.
- All work on files is done in threads, which return what they scan and change nothing here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from agentmaker.tasks.source import PAGE, Descriptor, Unreadable
from agentmaker.tasks.sources.file_states import FileState, PathFilter, Scan
from agentmaker.tasks.sources.file_text import FileText, read_or_refuse
from agentmaker.tasks.sources.inspection import Describe, inspect_file, known_states
from agentmaker.tasks.sources.listing import Listing
from agentmaker.tasks.sources.roots import Root
from agentmaker.tasks.sources.safe_open import parts_of
from agentmaker.tasks.sources.threads import in_thread
from agentmaker.tasks.sources.walk import walk


@dataclass(slots=True)
class FileTree:
    """Lists and reads the files of *root* that are *wanted*; *describe* makes the descriptors."""

    root: Root
    wanted: PathFilter
    describe: Describe
    max_bytes: int
    max_files: int
    _seen: dict[str, FileState] = field(default_factory=dict)
    _last: tuple[Scan, Listing] | None = None

    async def listing(self, known: Mapping[str, Descriptor]) -> Listing:
        """What there is now; *known* spares looking at what has not changed since it was told."""
        scan = await in_thread(self._scan, self._seen, known)
        for start in range(0, len(scan.fresh), PAGE):
            looked = await in_thread(self._look, scan, scan.fresh[start : start + PAGE])
            scan.files.update(looked)
            # Whoever is given up half-way has less to do when it tries again.
            self._seen = self._seen | looked
        self._seen = scan.files
        listing = await in_thread(_listing_of, scan, self._last)
        self._last = scan, listing
        return listing

    async def read(self, ref: str) -> FileText:
        """One file as it is now.

        Raises:
            Unreadable: it cannot be read, or is not *wanted*.
        """
        parts = parts_of(ref)
        if ref != self.root.only if self.root.only else ref not in self.wanted:
            raise Unreadable("outside: the source does not offer it")
        return await in_thread(read_or_refuse, self.root.path, parts, self.max_bytes)

    def _scan(self, seen: Mapping[str, FileState], known: Mapping[str, Descriptor]) -> Scan:
        told = {ref: each for ref, each in known.items() if ref not in seen}
        if told:
            seen = {**known_states(told, self.max_bytes), **seen}
        return walk(self.root, self.wanted, seen, self.max_files)

    def _look(self, scan: Scan, refs: Sequence[str]) -> dict[str, FileState]:
        return {
            ref: inspect_file(self.root.path, ref, self.max_bytes, scan, self.describe)
            for ref in refs
        }


def _listing_of(scan: Scan, last: tuple[Scan, Listing] | None) -> Listing:
    if last is not None and scan.finds_as(last[0]):
        return last[1]
    offered = {ref: each.descriptor for ref, each in scan.files.items() if each.descriptor}
    told = (problem for each in scan.files.values() for problem in each.problems)
    return Listing(offered, [*scan.problems, *told])
