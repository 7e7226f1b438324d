"""Runs that a session goes on without: what was said in them stays said."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from agentmaker.agents.work import Work, ended, without_corrections
from agentmaker.calls.call import new_id
from agentmaker.errors import SessionError
from agentmaker.memory.records import Entry, RunRecord, Status
from agentmaker.memory.store import Store
from agentmaker.messages import Message
from agentmaker.prompts import PromptRegistry
from agentmaker.scope import Scope

LEFT: tuple[Status, ...] = ("stopped", "failed", "waiting")
"""How a run can have ended without an answer. One that is running may be at work elsewhere."""


async def abandon(store: Store, session: Scope, prompts: PromptRegistry) -> None:
    """Give up the unanswered runs of *session*: their turns come before the next question.

    Calls without a result get one that says so; the run cannot be resumed any more.
    """
    for run in await _left(store, session):
        await _close(store, run, prompts)


async def unanswered(store: Store, session: Scope, prompts: PromptRegistry) -> tuple[Message, ...]:
    """The turns of the runs that `abandon` would give up."""
    left = [
        _closed(run, await store.entries(run.id), prompts) for run in await _left(store, session)
    ]
    return tuple(turn for _, turns in left for turn in turns)


async def _left(store: Store, session: Scope) -> list[RunRecord]:
    return [run for status in LEFT for run in reversed(await store.runs(session, status=status))]


def _closed(
    run: RunRecord, past: Sequence[Entry], prompts: PromptRegistry
) -> tuple[list[Entry], tuple[Message, ...]]:
    """What is missing for *run* to be closed, and what was said in it."""
    work = Work().after(past)
    results = [ended("", at, prompts.text(_missing(run, work, at))) for at in work.open]
    question = Message.from_wire(run.data["question"])
    turns = (question, *without_corrections(work.after(results).messages))
    if turns[-1].role == "tool":  # what a user says right behind a result belongs to it
        turns = (*turns, Message(prompts.text("wire.unsaid"), "assistant"))
    return results, turns


def _missing(run: RunRecord, work: Work, at: int) -> str:
    """The prompt that stands for the result of that call."""
    if at in work.began:
        return "wire.missing_result"
    waits = run.status == "waiting" and work.calls[at].id in run.data.get("waits_for", ())
    return "run.unapproved" if waits else "run.unbegun"


async def _close(store: Store, run: RunRecord, prompts: PromptRegistry) -> None:
    # Whoever took it up meanwhile has it, or has given it up.
    with suppress(SessionError):
        claimed = await store.claim(run.id, new_id(), of=run.owner)
        results, turns = _closed(claimed, await store.entries(run.id), prompts)
        await store.commit(replace(claimed, status="abandoned"), results, turns=turns)
        await _close_children(store, claimed)


async def _close_children(store: Store, run: RunRecord) -> None:
    """Give up the sub-agents whose calls have no result; they have no turns."""
    for id in run.data.get("spent", {}).get("children", {}):
        # One that is done may have made room for others by now.
        with suppress(SessionError):
            child = await store.claim(id, new_id())
            if child.status != "done":
                await store.commit(replace(child, status="abandoned"))
            await _close_children(store, child)
