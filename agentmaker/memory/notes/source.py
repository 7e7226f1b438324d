"""Notes as a source of the builder: those that are about the question."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentmaker.context.clip import cut_to
from agentmaker.context.results import RetrievalResult
from agentmaker.context.sources import CallableSource, ContextSource, Grant
from agentmaker.memory.notes.search import Found, search
from agentmaker.scope import Scope

if TYPE_CHECKING:
    from agentmaker.memory.notes.notes import Notes

MOST = 8
"""Notes that are candidates at a time."""

FAINT = 0.2
"""Of the best one's score: what has less is about something else."""

SHARE = 0.5
"""Of the source's room that one note may take."""


def note_source(notes: Notes, name: str) -> ContextSource:
    async def candidates(query: str, scope: Scope | None, grant: Grant) -> list[RetrievalResult]:
        found = await search(query, await notes.of(scope).texts())
        near = [each for each in found[:MOST] if each.score >= FAINT * found[0].score]
        return [_candidate(each, name, grant) for each in near]

    return CallableSource(name, candidates)


def _candidate(found: Found, name: str, grant: Grant) -> RetrievalResult:
    text = f"{found.note.name}: {found.note.text}"
    room = max(1, int(grant.tokens * SHARE))
    return RetrievalResult(cut_to(text, room, grant.counter), found.score, name, id=found.note.name)
