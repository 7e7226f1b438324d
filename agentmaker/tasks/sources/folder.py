"""`FolderSource`: the text files of a folder."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from agentmaker.context.knobs import check_count, check_switch
from agentmaker.tasks.source import LONGEST_READ, Content, Descriptor, Unreadable
from agentmaker.tasks.sources.file_states import PathFilter
from agentmaker.tasks.sources.file_tree import FileTree
from agentmaker.tasks.sources.identity import checked_id, digest_of
from agentmaker.tasks.sources.inspection import file_descriptor
from agentmaker.tasks.sources.listing import ListedSource, Listing
from agentmaker.tasks.sources.patterns import Patterns
from agentmaker.tasks.sources.roots import root_at
from agentmaker.tasks.sources.texts import part_of

EXCLUDED = (".*", "__pycache__", "node_modules", "venv")
"""What is left out by default: hidden files and folders, and what tools put beside the sources."""

MAX_BYTES = 4_194_304
"""So much of a file is offered by default; of a larger one its beginning."""

MAX_FILES = 100_000


class FolderSource(ListedSource):
    """The text files below a folder, or one file; refs are paths from the root, with ``/``.

    - Nothing outside *root* is read, by whatever ref. Links are not followed: what one leads to
      below the root has a path of its own, and one that leaves the root is a problem.
    - Text is UTF-8, or what a byte order mark says; bytes that are not stand as U+FFFD and are a
      problem, as are files that are binary, cannot be read, or are larger than *max_bytes*, of
      which the beginning is offered.
    - A descriptor that is told again with the revision it had tells when its file was touched.

    Args:
        include: patterns of paths. One without a slash matches a name at any depth; one that
            matches a folder matches all below; ``/name`` is right below the root.
        exclude: patterns of what is left out, whatever the case of its letters.
        id: by default a digest of where *root* is and of the patterns.
        max_bytes: the most of one file that is offered.
        max_files: the most files; that there are more is a problem.
        fixed: the files do not change: they are listed once, and one that reads otherwise is
            `Unreadable`.

    Raises:
        ConfigError: *root* is not there, or a setting cannot work.
    """

    kind = "folder"

    def __init__(
        self,
        root: str | os.PathLike[str],
        *,
        include: Iterable[str] = ("**/*",),
        exclude: Iterable[str] = EXCLUDED,
        id: str | None = None,
        max_bytes: int = MAX_BYTES,
        max_files: int = MAX_FILES,
        fixed: bool = False,
    ) -> None:
        at = root_at(root)
        wanted, unwanted = Patterns("include", include), Patterns("exclude", exclude, folded=True)
        self.fixed = check_switch("fixed", fixed)
        self.root = os.path.join(at.path, at.only) if at.only else at.path
        self.id = checked_id(id) or digest_of("folder", self.root, wanted.given, unwanted.given)
        self._tree = FileTree(
            root=at,
            wanted=PathFilter(wanted, unwanted),
            describe=file_descriptor,
            max_bytes=check_count("max_bytes", max_bytes, least=1),
            max_files=check_count("max_files", max_files, least=1),
        )
        self._listed: Listing | None = None

    def __repr__(self) -> str:
        return f"FolderSource({self.root!r}{', fixed=True' if self.fixed else ''})"

    async def read(self, ref: str, *, start: int = 0, limit: int = LONGEST_READ) -> Content:
        """At most *limit* characters of one file as it is now.

        Raises:
            Unreadable: it is not offered, cannot be read, is no text, or is *fixed* and differs.
        """
        reading = await self._tree.read(ref)
        if self.fixed:
            told = (await self.listing({})).descriptors.get(ref)
            if told is None or told.revision != reading.revision:
                raise Unreadable("changed: it is no longer as it was when the source was listed")
        return part_of(reading.text, reading.revision, start, limit)

    async def listing(self, known: Mapping[str, Descriptor]) -> Listing:
        if self._listed is not None:
            return self._listed
        listing = await self._tree.listing(known)
        if not self.fixed:
            return listing
        if self._listed is None:  # the first of several that were made at once stays
            self._listed = listing
        return self._listed
