"""Decisions on calls that need an approval: each is made on a call that waits, and once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from agentmaker.errors import SessionError
from agentmaker.memory.records import Entry, RunRecord
from agentmaker.memory.store import Store
from agentmaker.messages import Message, ToolCall


async def check_approvals(store: Store, record: RunRecord, approvals: Mapping[str, bool]) -> None:
    """Do nothing where what is decided is what the run waits for, or was decided before.

    Raises:
        SessionError: it is neither.
    """
    if record.status == "waiting":
        _check_waited_for(record, approvals)
    elif approvals and "parent" not in record.data:
        _check_decided(record, decisions(await store.entries(record.id)), approvals)


def _check_waited_for(record: RunRecord, approvals: Mapping[str, bool]) -> None:
    waits: Sequence[str] = record.data.get("waits_for", ())
    unknown = [id for id in approvals if id not in waits]
    if unknown:
        raise SessionError(
            f"run {record.id} does not wait for {', '.join(map(repr, unknown))}: "
            f"decide on {', '.join(map(repr, waits))}"
        )


def _check_decided(
    record: RunRecord, known: Mapping[str, bool | None], approvals: Mapping[str, bool]
) -> None:
    for id, allowed in approvals.items():
        if "/" in id:  # a call of a sub-agent, whose run knows it
            continue
        if id not in known:
            raise SessionError(f"run {record.id} has no call {id!r}: leave it out of approvals")
        if known[id] not in (None, allowed):
            was = "allowed" if known[id] else "denied"
            raise SessionError(
                f"run {record.id} does not wait: its call {id!r} was {was} before; "
                "leave it out of approvals to go on"
            )


def decisions(past: Sequence[Entry]) -> dict[str, bool | None]:
    """What was decided of each call, by its id; None for nothing."""
    found: dict[str, bool | None] = {}
    calls: tuple[ToolCall, ...] = ()
    for entry in past:
        if entry.kind == "said":
            calls = Message.from_wire(entry.data["message"]).tool_calls
            found.update(dict.fromkeys(call.id for call in calls))
        elif entry.kind == "decided":
            found[calls[entry.data["at"]].id] = entry.data["allowed"]
    return found
