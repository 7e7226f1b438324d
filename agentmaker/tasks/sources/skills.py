"""`SkillsSource`: folders that say what they are for."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from agentmaker.context.knobs import check_count
from agentmaker.memory.notes.markdown import one_line
from agentmaker.tasks.source import LONGEST_READ, Content, Descriptor, Problem, Unreadable
from agentmaker.tasks.sources.file_states import PathFilter
from agentmaker.tasks.sources.file_text import FileText
from agentmaker.tasks.sources.file_tree import FileTree
from agentmaker.tasks.sources.folder import EXCLUDED, MAX_BYTES, MAX_FILES
from agentmaker.tasks.sources.front_matter import split
from agentmaker.tasks.sources.identity import checked_id, digest_of
from agentmaker.tasks.sources.inspection import file_descriptor
from agentmaker.tasks.sources.listing import ListedSource, Listing
from agentmaker.tasks.sources.patterns import Patterns
from agentmaker.tasks.sources.roots import folder_at
from agentmaker.tasks.sources.texts import part_of, summary_of
from agentmaker.tasks.sources.threads import in_thread
from agentmaker.tasks.sources.walk import title_of

CARD = "SKILL.md"
"""The file that makes a folder a skill."""

LONGEST_DESCRIPTION = 1_000
"""Characters."""


class SkillsSource(ListedSource):
    """The folders below *root*, or *root* itself, that hold a ``SKILL.md``.

    A skill is described by ``name`` and ``description`` of its front matter, else by its first
    heading or line and the name of its folder. Its other files have it as their *parent*. Files
    of no skill are not offered; all else is as in `FolderSource`.

    Raises:
        ConfigError: *root* is no folder, or a setting cannot work.
    """

    kind = "skills"

    def __init__(
        self,
        root: str | os.PathLike[str],
        *,
        exclude: Iterable[str] = EXCLUDED,
        id: str | None = None,
        max_bytes: int = MAX_BYTES,
        max_files: int = MAX_FILES,
    ) -> None:
        at = folder_at(root)
        unwanted = Patterns("exclude", exclude, folded=True)
        self.root = at.path
        self.id = checked_id(id) or digest_of("skills", self.root, unwanted.given)
        self._tree = FileTree(
            root=at,
            wanted=PathFilter(Patterns("include", ("**/*",)), unwanted),
            describe=_described,
            max_bytes=check_count("max_bytes", max_bytes, least=1),
            max_files=check_count("max_files", max_files, least=1),
        )

    def __repr__(self) -> str:
        return f"SkillsSource({self.root!r})"

    async def listing(self, known: Mapping[str, Descriptor]) -> Listing:
        return await in_thread(_skills, await self._tree.listing(known))

    async def read(self, ref: str, *, start: int = 0, limit: int = LONGEST_READ) -> Content:
        """At most *limit* characters of one file as it is now.

        Raises:
            Unreadable: it is of no skill, cannot be read, or is no text.
        """
        reading = await self._tree.read(ref)
        if not await in_thread(_is_of_a_skill, self.root, ref):
            raise Unreadable("outside: the file belongs to no skill")
        return part_of(reading.text, reading.revision, start, limit)


def _described(ref: str, reading: FileText, kept: Mapping[str, Any]) -> Descriptor:
    file = file_descriptor(ref, reading, kept)
    folder, _, name = ref.rpartition("/")
    if name != CARD:
        return file
    fields, body = split(reading.text)
    description = fields.get("description") or summary_of(body, markdown=True)
    return replace(
        file,
        role="skill",
        title=title_of(fields.get("name") or folder.rpartition("/")[2] or file.title),
        summary=one_line(description, LONGEST_DESCRIPTION),
    )


def _skills(files: Listing) -> Listing:
    """The skills among *files* and what belongs to them."""
    found: dict[str, Descriptor] = {}
    left: dict[str, None] = {}
    for ref, each in files.descriptors.items():
        card = next((card for card in _cards(ref) if card in files.descriptors), "")
        if card:
            found[ref] = _child(each, "" if card == ref else card)
        elif "/" in ref:
            left[ref.partition("/")[0]] = None
    return Listing(found, [*files.problems, *_undescribed(found), *_without_card(found, left)])


def _child(file: Descriptor, parent: str) -> Descriptor:
    return file if file.parent == parent else replace(file, parent=parent)


def _cards(ref: str) -> Iterator[str]:
    """Where the card of *ref* may lie, the nearest first."""
    folder = ref
    while folder:
        folder = folder.rpartition("/")[0]
        yield f"{folder}/{CARD}" if folder else CARD


def _undescribed(found: Mapping[str, Descriptor]) -> Iterator[Problem]:
    for ref, each in found.items():
        if each.role == "skill" and not each.summary:
            yield Problem(ref, "missing_field", "no description: give it one in its front matter")


def _without_card(found: Mapping[str, Descriptor], left: Iterable[str]) -> Iterator[Problem]:
    used = {ref.partition("/")[0] for ref in found}
    for folder in left:
        if folder not in used:
            yield Problem(folder, "missing_field", f"no {CARD}, so that it is no skill")


def _is_of_a_skill(root: str, ref: str) -> bool:
    return any(_is_file(os.path.join(root, *card.split("/"))) for card in _cards(ref))


def _is_file(path: str) -> bool:
    return os.path.isfile(path) and not os.path.islink(path)
