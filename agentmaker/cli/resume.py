"""``agentmaker resume``: going on with a run that a store holds."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import anyio
import typer

from agentmaker.agents.events import Finished, TextDelta, ToolStarted
from agentmaker.cli.places import agent_at
from agentmaker.cli.stores import DEFAULT, StoreUrl, refusing, short, with_store
from agentmaker.errors import ConfigError

if TYPE_CHECKING:
    from agentmaker.agents.base import BaseAgent
    from agentmaker.agents.result import RunResult
    from agentmaker.memory.sql.store import SessionStore

WAITING = 3

Calls = Annotated[list[str] | None, typer.Option(metavar="CALL_ID")]


def resume(
    run_id: Annotated[str, typer.Argument(metavar="RUN_ID", help="As `agentmaker runs` has it.")],
    agent: Annotated[str, typer.Option(metavar="MODULE:ATTRIBUTE", help="The agent to resume.")],
    store: StoreUrl = None,
    approve: Calls = None,
    deny: Calls = None,
) -> None:
    """Go on with a run that was killed, stopped, failed or waits for an approval."""
    with refusing():
        decided = _decided(approve or (), deny or ())
        resumed = agent_at(agent)
        with _logs_beside():
            taken = anyio.run(_taken, run_id, resumed, store, decided)
    for line in _about(taken):
        typer.echo(line, err=True)
    raise typer.Exit({"done": 0, "waiting": WAITING}.get(taken.status, 1))


@contextmanager
def _logs_beside() -> Iterator[None]:
    """What is logged goes to stderr, beside the answer, unless the agent's program says where."""
    import structlog

    if structlog.is_configured():
        yield
        return
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
    try:
        yield
    finally:
        structlog.reset_defaults()


async def _taken(
    run_id: str, agent: BaseAgent, url: str | None, decided: dict[str, bool]
) -> RunResult:
    from agentmaker.memory.in_memory import MemoryStore

    if url is None and not isinstance(agent.store, MemoryStore):
        return await _streamed(run_id, await _in_session(run_id, agent), decided)

    async def go_on(store: SessionStore) -> RunResult:
        if agent.session is not None:
            agent.session.store = store
        there = agent.with_parts(store=store)
        return await _streamed(run_id, await _in_session(run_id, there), decided)

    return await with_store(url or DEFAULT, go_on)


async def _in_session(run_id: str, agent: BaseAgent) -> BaseAgent:
    """*agent* in the session of the run, whatever session it has."""
    from agentmaker.memory.session import Session

    run = await agent.store.run(run_id)
    if run.scope.session is None:
        return agent
    session = agent.session or Session(store=agent.store, scope=run.scope)
    session.scope = run.scope
    return agent.with_parts(session=session)


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


def _decided(approve: Iterable[str], deny: Iterable[str]) -> dict[str, bool]:
    allowed, refused = dict.fromkeys(approve, True), dict.fromkeys(deny, False)
    for both in allowed.keys() & refused.keys():
        raise ConfigError(f"call {both} is approved and denied: decide on one of the two")
    return allowed | refused


def _about(result: RunResult) -> Iterator[str]:
    usage, spent = result.usage, "tokens not reported"
    if usage.prompt_tokens is not None or usage.completion_tokens is not None:
        sent, back = usage.prompt_tokens or 0, usage.completion_tokens or 0
        spent = f"{sent:,} tokens sent, {back:,} back"
    why = f" ({result.stopped_by})" if result.stopped_by else ""
    yield f"run {result.run_id}: {result.status}{why}; {spent}"
    for call in result.waiting:
        yield f"  {call.name} {short(call.arguments)}: --approve {call.id} or --deny {call.id}"
