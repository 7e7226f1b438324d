"""The ways to ask: of an agent, and of a request to one."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from agentmaker import sync
from agentmaker.agents.beginning import begun, taken_up
from agentmaker.agents.given import read_approvals, read_limits, read_run_id
from agentmaker.agents.layout import said_in
from agentmaker.agents.result import RunResult
from agentmaker.agents.slotted import Slotted
from agentmaker.agents.stream import RunStream
from agentmaker.calls.limits import RunPolicy

if TYPE_CHECKING:
    from agentmaker.agents.explained import Explained
    from agentmaker.agents.request import Request


class Asking(Slotted):
    """Sends what the slots hold; a *question* is the `input` of this once."""

    __slots__ = ()

    async def astart(self) -> Any:
        """The answer itself: text, or what `output` says.

        Raises:
            ConfigError: nothing is asked.
            RunUnfinished: there is none yet: a limit ended the run, or it waits for an approval.
            LLMError, openai.OpenAIError: the model could not be asked; the run is kept.
        """
        return (await self.arun()).answered()

    def start(self) -> Any:
        """`astart` for callers that do not await."""
        return sync.run(self.astart)

    async def arun(self, question: Any = None) -> RunResult:
        """Answer *question*: text, content parts, a user message, or data.

        Raises:
            ConfigError: it is none of these, or nothing is asked.
            LLMError, openai.OpenAIError: the model could not be asked; the run is kept.
        """
        return await self.stream(question)

    def run(self, question: Any = None) -> RunResult:
        """`arun` for callers that do not await."""
        return sync.run(self.arun, question)

    def stream(self, question: Any = None) -> RunStream:
        """The same run, to be pulled event by event.

        Raises:
            ConfigError: nothing is asked.
        """
        asked = self._asked(question)
        agent, once = asked.agent, asked.once
        said_in(agent.slots, once)
        return agent.played(partial(begun, agent, agent.slots, once))

    def resume(
        self,
        run_id: str,
        *,
        approvals: Mapping[str, bool] | None = None,
        limits: RunPolicy | None = None,
    ) -> RunStream:
        """Go on with a run that was killed, stopped, failed or waits: awaited or pulled.

        It is asked what it was asked, whatever the slots hold by now; only an `output` that is a
        type must be given again. No call that has a result is run again. One that was running when
        its process ended is reported to the model as unknown, unless its tool is idempotent: then
        it is run again. Whoever had the run before can commit nothing more.

        Args:
            approvals: by the ids of the calls that wait.
            limits: in the place of the agent's own.

        Raises:
            ConfigError: an approval is neither True nor False, or *run_id* or *limits* are none.
            SessionError: there is no such run, it does not wait for what is decided or that was
                decided otherwise before, it is another agent's or another session's, or its
                session went on without it.
        """
        asked = self._request()
        agent = asked.agent
        run_id, decided = read_run_id(run_id), read_approvals(approvals)
        limits = agent.limits if limits is None else read_limits(limits)
        outputs = (asked.once.output, agent.slots.output, agent.output_type)
        return agent.played(partial(taken_up, agent, run_id, decided, limits, outputs))

    async def aexplain(self, question: Any = None) -> Explained:
        """What would be sent first, slot by slot; nothing is sent, and no source is asked.

        A request that does not fit is explained as well, and says so in `Explained.refused`.

        Raises:
            ConfigError: nothing is asked.
        """
        from agentmaker.agents.explain import explained

        asked = self._asked(question)
        return await explained(asked.agent, asked.agent.slots, asked.once)

    def explain(self, question: Any = None) -> Explained:
        """`aexplain` for callers that do not await."""
        return sync.run(self.aexplain, question)

    def _asked(self, question: Any) -> Request:
        return self._request() if question is None else self.input(question)
