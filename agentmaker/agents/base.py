"""What every agent does, whatever its paradigm: begin, keep, resume and end a run."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, aclosing, nullcontext, suppress
from functools import partial
from typing import Any, ClassVar

import anyio

from agentmaker.agents import delegate
from agentmaker.agents.asking import Asking
from agentmaker.agents.calling import NeedsApproval
from agentmaker.agents.chat import read_client
from agentmaker.agents.events import Event, Finished
from agentmaker.agents.given import (
    read_config,
    read_confirm,
    read_limits,
    read_name,
    read_session,
    read_store,
    read_tools,
)
from agentmaker.agents.knobs import DEFAULT_LIMITS, AgentConfig
from agentmaker.agents.outputs import read_output
from agentmaker.agents.request import Request
from agentmaker.agents.run import ActiveRun
from agentmaker.agents.script import Script, play
from agentmaker.agents.slots import Slots
from agentmaker.agents.stream import RunStream
from agentmaker.agents.toolbox import Confirm, toolbox_of
from agentmaker.calls.limits import RunPolicy
from agentmaker.clients.checks import read_sources
from agentmaker.context.sources import ContextSource
from agentmaker.errors import AgentmakerError, RunStopped, SessionError
from agentmaker.memory.notes import Notes
from agentmaker.memory.session import Session
from agentmaker.memory.store import Store
from agentmaker.tools import Tool, ToolRegistry

Begin = Callable[[bool], Awaitable[ActiveRun]]
"""Gives a run to be played; told whether replies are to be pulled piece by piece."""


class BaseAgent(Asking):
    """A name, a client, and what a run of it may use.

    Args:
        instructions: the role it always has.
        client: an `LLMClient`, a wrapped client, or a model with ``chat``.
        model: the model to ask, for a wrapped client.
        tools: `Tool`s and plain functions.
        sources: asked for every question; None leaves it to the client's own.
        session: what was said before, and where the turns of a run go.
        notes: what the agent writes down for itself: their tools are added, their index stands
            above the question, and it is reminded of them by ``AgentConfig.notes``.
        store: where runs are kept; by default the session's, else this process's memory.
        output: a type that pydantic knows, which answers are read as; text without one.
        limits: what one run may spend, sub-agents included.
        confirm: decides on a call whose tool needs an approval: True, False, or None to wait.
            A run that waits can be resumed; without *confirm*, every such call waits.

    Attributes:
        slots: what all its requests have.

    Raises:
        ConfigError: one of them is of the wrong kind.
    """

    kind: ClassVar[str]

    def __init__(
        self,
        name: str,
        client: Any,
        instructions: str = "",
        *,
        model: str | None = None,
        tools: Iterable[Tool | Callable[..., Any]] | ToolRegistry = (),
        sources: Sequence[ContextSource] | None = None,
        session: Session | None = None,
        notes: Notes | None = None,
        store: Store | None = None,
        output: Any = None,
        limits: RunPolicy = DEFAULT_LIMITS,
        confirm: Confirm | None = None,
        config: AgentConfig | None = None,
    ) -> None:
        self.name = read_name(name)
        self.chat = read_client(client, model)
        self.slots = Slots(role=instructions)
        self.tools = read_tools(tools, notes)
        self.notes = notes
        self.sources = None if sources is None else read_sources(sources)
        self.session = read_session(session)
        self.store = read_store(session, store)
        self.output_type = read_output(output)
        self.limits = read_limits(limits)
        self.confirm = read_confirm(confirm)
        self.config = read_config(config)

    @property
    def instructions(self) -> str:
        """The role it always has."""
        return self.slots.role

    def as_tool(
        self,
        *,
        name: str | None = None,
        description: str | None = None,
        report_tokens: tuple[int, int] = (1_000, 2_000),
        limits: RunPolicy | None = None,
    ) -> Tool:
        """This agent as a tool of another: given a task, it answers with a report.

        - Every call starts from a clean window, with no session, and shares no state.
        - Its runs are kept in the store of the run that calls it, under its scope without the
          session. That run pays for them: its limits hold too.
        - A call is given to one run only, however often it is taken up again.
        - A report is at most the second of *report_tokens*, or what its room allows where that
          is less: the model is asked for it, and what is longer is cut, the whole put away.
        - An approval it waits for is one that the caller waits for.

        Args:
            name: by default the agent's own, with ``_`` for what a tool's name cannot hold.
            description: by default a sentence with the agent's name, in its client's language.
            limits: what one call may spend; by default the agent's own limits.

        Raises:
            ConfigError: the name is no tool's, or the sizes are no least and most.
        """
        return delegate.as_tool(
            self, name=name, description=description, report_tokens=report_tokens, limits=limits
        )

    @abstractmethod
    def script(self, run: ActiveRun) -> Script:
        """The parts of a run, from its first on; ends with `ActiveRun.answer`."""

    def played(self, begin: Begin) -> RunStream:
        """The run that *begin* gives, from where it is to its end."""
        return RunStream(partial(self._events, begin))

    async def _events(self, begin: Begin, streams: bool) -> AsyncGenerator[Event, None]:
        async with self._turn():
            run = await begin(streams)
            stopped = None
            try:
                if run.record.status not in ("running", "done"):
                    await run.commit()  # so that its session does not go on without it
                async with aclosing(play(self.script(run), run, toolbox_of(self, run))) as events:
                    async for event in events:
                        yield event
                await self._end(run)
            except NeedsApproval as pause:
                run.waiting = pause.calls
                await run.commit(status="waiting")
            except RunStopped as error:
                stopped = error
                await run.commit(status="stopped")
            except BaseException as error:
                await _leave(run, error)
                raise
            yield Finished(result=run.result(stopped))

    def _request(self) -> Request:
        return Request(self)

    def _turn(self) -> AbstractAsyncContextManager[None]:
        return nullcontext() if self.session is None else self.session.turn()

    async def _end(self, run: ActiveRun) -> None:
        if run.record.status == "done":
            return
        await run.commit(status="done", turns=run.turns if self.session else ())
        if self.session is not None:
            await self.session.resize()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r}, model={self.chat.model!r})"


async def _leave(run: ActiveRun, error: BaseException) -> None:
    """Keep that the run ended here; what cannot be kept was lost before."""
    failed = isinstance(error, Exception)
    with anyio.CancelScope(shield=True), suppress(AgentmakerError):
        try:
            await run.commit(status="failed" if failed else "stopped")
        except SessionError:  # somebody else has the run by now
            return
    if failed:
        error.add_note(f"The run is kept: go on with it by resume({run.id!r}).")
