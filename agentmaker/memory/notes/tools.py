"""The tools by which a model keeps notes, each result sized to what it is granted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentmaker.context.clip import cut_to
from agentmaker.context.sources import Grant
from agentmaker.memory.notes.index import line_of, listing, part_of
from agentmaker.memory.notes.policy import WRITE
from agentmaker.memory.notes.search import best_line
from agentmaker.memory.records import Document
from agentmaker.prompts import PromptRegistry
from agentmaker.scope import Scope
from agentmaker.tools import Tool, tool

if TYPE_CHECKING:
    from agentmaker.memory.notes.notes import Notes

EXCERPT = 60
"""Tokens of a text that are shown beside what was found."""


@dataclass(frozen=True, slots=True)
class NoteTools:
    """Whose notes it is comes from the run; nothing the model writes can name another's."""

    notes: Notes
    prompts: PromptRegistry

    def tools(self) -> tuple[Tool, ...]:
        says = self.prompts.text
        return (
            tool(self.write, name=WRITE, description=says("notes.tool.write")),
            tool(
                self.read,
                name="note_read",
                description=says("notes.tool.read"),
                idempotent=True,
                artefact="title",
            ),
            tool(
                self.search,
                name="note_search",
                description=says("notes.tool.search"),
                idempotent=True,
            ),
            tool(self.list, name="note_list", description=says("notes.tool.list"), idempotent=True),
        )

    async def write(
        self,
        title: str,
        text: str,
        gist: str | None = None,
        append: bool = False,
        scope: Scope | None = None,
    ) -> str:
        notes = self.notes.of(scope)
        if append:
            await notes.append(title, text, gist)
        else:
            await notes.write(title, text, gist)
        return self.prompts.render("notes.written", title=title)

    async def read(
        self, title: str, start: int = 0, scope: Scope | None = None, *, grant: Grant
    ) -> str:
        note = await self.notes.of(scope).read(title)
        return part_of(note.text, start, grant.tokens, grant.counter, self.prompts)

    async def search(self, words: str, scope: Scope | None = None, *, grant: Grant) -> str:
        found = await self.notes.of(scope).search(words)
        return self._shown([self._excerpt(each, words, grant) for each in found], grant)

    async def list(self, scope: Scope | None = None, *, grant: Grant) -> str:
        notes = await self.notes.of(scope).list()
        lines = listing(notes, grant.tokens, grant.counter, self.prompts)
        return self._shown([lines] if lines else [line_of(each) for each in notes], grant)

    def _shown(self, entries: Sequence[str], grant: Grant) -> str:
        text = "\n".join(entries) or self.prompts.text("notes.none")
        return cut_to(text, grant.tokens, grant.counter)

    def _excerpt(self, note: Document, words: str, grant: Grant) -> str:
        """The line of the index, and below it where the words stand."""
        line = best_line(note.text, words)
        return "\n".join(filter(None, (line_of(note), cut_to(line, EXCERPT, grant.counter))))
