"""``agentmaker runs``: what a store holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, get_args

import anyio
import typer

from agentmaker.cli import show
from agentmaker.cli.stores import DEFAULT, StoreUrl, refusing, short, with_store
from agentmaker.errors import ConfigError
from agentmaker.memory.records import RunRecord, Status

if TYPE_CHECKING:
    from agentmaker.memory.sql.store import SessionStore


def runs(
    store: StoreUrl = None,
    status: Annotated[str | None, typer.Option(help="Only runs of this status.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="How many to list at most.")] = 20,
) -> None:
    """List the latest runs of a store."""
    with refusing():
        found = anyio.run(_latest, store or DEFAULT, _status(status), limit)
    if found:
        show.print_runs([_line(run) for run in found])
    else:
        typer.echo("no runs")


async def _latest(url: str, status: Status | None, limit: int) -> tuple[RunRecord, ...]:
    async def read(store: SessionStore) -> tuple[RunRecord, ...]:
        return await store.runs(status=status, limit=limit)

    return await with_store(url, read)


def _status(given: str | None) -> Status | None:
    known: tuple[Status, ...] = get_args(Status)
    if given is None:
        return None
    for status in known:
        if status == given:
            return status
    raise ConfigError(f"--status is one of {', '.join(known)}; not {given!r}")


def _line(run: RunRecord) -> tuple[str, ...]:
    from agentmaker.messages import Message

    question = Message.from_wire(run.data["question"]).text if "question" in run.data else ""
    updated = run.updated.astimezone().strftime("%Y-%m-%d %H:%M:%S")
    return run.id, short(run.agent), run.status, updated, short(question)
