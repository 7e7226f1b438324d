"""``agentmaker runs`` and ``agentmaker resume``: what a store holds, and going on with it."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, TypeVar, get_args

import anyio
import typer

from agentmaker.agents.events import Finished, TextDelta, ToolStarted
from agentmaker.cli import show
from agentmaker.cli.places import agent_at, store_at
from agentmaker.errors import AgentmakerError, ConfigError, SessionError, StoreError
from agentmaker.memory.records import RunRecord, Status

if TYPE_CHECKING:
    from agentmaker.agents.base import BaseAgent
    from agentmaker.agents.result import RunResult
    from agentmaker.memory.sql.store import SessionStore

T = TypeVar("T")

BAD_USAGE = 2
WAITING = 3

DEFAULT = "agentmaker.db"
WORDS = 60
"""Characters of a question or of a call's arguments that are shown."""

StoreUrl = Annotated[
    str | None,
    typer.Option(
        "--store", envvar="AGENTMAKER_STORE", help=f"A path or a URL; {DEFAULT} by default."
    ),
]
Calls = Annotated[list[str] | None, typer.Option(metavar="CALL_ID")]


def runs(
    store: StoreUrl = None,
    status: Annotated[str | None, typer.Option(help="Only runs of this status.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="So many at the most.")] = 20,
) -> None:
    """List the latest runs of a store."""
    with _refusing():
        found = anyio.run(_latest, store or DEFAULT, _status(status), limit)
    if found:
        show.print_runs([_line(run) for run in found])
    else:
        typer.echo("no runs")


def resume(
    run_id: Annotated[str, typer.Argument(metavar="RUN_ID", help="As `agentmaker runs` has it.")],
    agent: Annotated[str, typer.Option(metavar="MODULE:ATTRIBUTE", help="The agent to resume.")],
    store: StoreUrl = None,
    approve: Calls = None,
    deny: Calls = None,
) -> None:
    """Go on with a run that was killed, stopped, failed or waits for an approval."""
    with _refusing():
        decided = _decided(approve or (), deny or ())
        taken = anyio.run(_taken, run_id, agent_at(agent), store, decided)
    for line in _about(taken):
        typer.echo(line, err=True)
    raise typer.Exit({"done": 0, "waiting": WAITING}.get(taken.status, 1))


async def _latest(url: str, status: Status | None, limit: int) -> tuple[RunRecord, ...]:
    async def read(store: SessionStore) -> tuple[RunRecord, ...]:
        return await store.runs(status=status, limit=limit)

    return await _with_store(store_at(url), read)


async def _taken(
    run_id: str, agent: BaseAgent, url: str | None, decided: dict[str, bool]
) -> RunResult:
    from agentmaker.memory.in_memory import MemoryStore

    if url is None and not isinstance(agent.store, MemoryStore):
        await _take_over(run_id, agent)
        return await _streamed(run_id, agent, decided)

    async def go_on(store: SessionStore) -> RunResult:
        agent.store = store
        if agent.session is not None:
            agent.session.store = store
        await _take_over(run_id, agent)
        return await _streamed(run_id, agent, decided)

    return await _with_store(store_at(url or DEFAULT), go_on)


async def _take_over(run_id: str, agent: BaseAgent) -> None:
    """See that the run is the agent's before it is claimed, and give the agent its session."""
    from agentmaker.memory.session import Session

    run = await agent.store.run(run_id)
    if (run.agent, run.kind) != (agent.name, agent.kind):
        raise SessionError(
            f"run {run_id} is one of the {run.kind} agent {run.agent!r}, "
            f"not of the {agent.kind} agent {agent.name!r}: name that one with --agent"
        )
    if run.scope.session is not None:
        if agent.session is None:
            agent.session = Session(store=agent.store, scope=run.scope)
        agent.session.scope = run.scope


async def _streamed(run_id: str, agent: BaseAgent, decided: dict[str, bool]) -> RunResult:
    """Write what the model writes; the answer alone where it was written before."""
    written = ""
    async for event in agent.resume(run_id, approvals=decided):
        match event:
            case TextDelta():
                _write(event.text)
                written += event.text
            case ToolStarted():
                _write("\n" if written else "")
                written = ""
            case Finished(result=result):
                answered = result.status == "done" and not written
                _write(f"{result.messages[-1].text}\n" if answered else "\n" if written else "")
                return result
    raise AssertionError("a run ends with Finished")


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


async def _with_store(store: SessionStore, work: Callable[[SessionStore], Awaitable[T]]) -> T:
    try:
        return await work(store)
    finally:
        await store.aclose()


def _status(given: str | None) -> Status | None:
    known: tuple[Status, ...] = get_args(Status)
    if given is None:
        return None
    for status in known:
        if status == given:
            return status
    raise ConfigError(f"--status is one of {', '.join(known)}; not {given!r}")


def _decided(approve: Iterable[str], deny: Iterable[str]) -> dict[str, bool]:
    allowed, refused = dict.fromkeys(approve, True), dict.fromkeys(deny, False)
    for both in allowed.keys() & refused.keys():
        raise ConfigError(f"call {both} is approved and denied: decide")
    return allowed | refused


def _line(run: RunRecord) -> tuple[str, ...]:
    from agentmaker.messages import Message

    question = Message.from_wire(run.data["question"]).text if "question" in run.data else ""
    updated = run.updated.astimezone().strftime("%Y-%m-%d %H:%M:%S")
    return run.id, _short(run.agent), run.status, updated, _short(question)


def _about(result: RunResult) -> Iterator[str]:
    sent, back = result.usage.prompt_tokens or 0, result.usage.completion_tokens or 0
    why = f" ({result.stopped_by})" if result.stopped_by else ""
    yield f"run {result.run_id}: {result.status}{why}; {sent:,} tokens sent, {back:,} back"
    for call in result.waiting:
        yield f"  {call.name} {_short(call.arguments)}: --approve {call.id} or --deny {call.id}"


def _short(text: str) -> str:
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line if len(line) <= WORDS else f"{line[: WORDS - 1]}…"


@contextmanager
def _refusing() -> Iterator[None]:
    """Errors in one line: what was asked for wrongly ends with 2, a run that failed with 1."""
    from openai import OpenAIError

    try:
        yield
    except (AgentmakerError, OpenAIError) as error:
        for line in (f"agentmaker: {error}", *getattr(error, "__notes__", ())):
            typer.echo(line, err=True)
        usage = isinstance(error, (ConfigError, SessionError, StoreError))
        raise typer.Exit(BAD_USAGE if usage else 1) from None
