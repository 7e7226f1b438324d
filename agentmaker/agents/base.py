"""What every agent does, whatever its paradigm: begin, keep, resume and end a run."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, aclosing, nullcontext, suppress
from functools import partial

import anyio

from agentmaker.agents.asking import Asking
from agentmaker.agents.beginning import toolbox_of
from agentmaker.agents.calling import NeedsApproval
from agentmaker.agents.equipped import Begin, Equipped
from agentmaker.agents.events import Event, Finished
from agentmaker.agents.request import Request
from agentmaker.agents.run import ActiveRun
from agentmaker.agents.script import play
from agentmaker.agents.stream import RunStream
from agentmaker.calls.limits import RunPolicy
from agentmaker.errors import AgentmakerError, RunStopped, SessionError
from agentmaker.tools import Tool


class BaseAgent(Asking, Equipped):
    """A name, a client, and a way to come to an answer; made of what `Equipped` says."""

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
        from agentmaker.agents.delegate import as_tool

        return as_tool(
            self, name=name, description=description, report_tokens=report_tokens, limits=limits
        )

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
