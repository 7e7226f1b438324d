"""One request to an agent: what only it has in its slots, and the ways to send it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from agentmaker import sync
from agentmaker.agents.beginning import begun, taken_up
from agentmaker.agents.explained import Explained
from agentmaker.agents.given import read_approvals, read_limits
from agentmaker.agents.layout import said_in
from agentmaker.agents.result import RunResult
from agentmaker.agents.slots import Slots
from agentmaker.agents.stream import RunStream
from agentmaker.calls.limits import RunPolicy

if TYPE_CHECKING:
    from agentmaker.agents.base import BaseAgent


@dataclass(frozen=True, slots=True)
class Request:
    """A chain of slots, each as the agent's method of that name fills it, for this request alone.

    Every link is a request of its own: one may be sent many times, and gone on from.
    """

    agent: BaseAgent
    once: Slots = field(default_factory=Slots)

    def role(self, text: str) -> Request:
        """In the place of the agent's."""
        return replace(self, once=self.once.with_role(text))

    def system(self, text: str) -> Request:
        """Below the agent's."""
        return replace(self, once=self.once.with_system(text))

    def info(self, value: Any) -> Request:
        """In the user's message."""
        return replace(self, once=self.once.with_info(value))

    def instruct(self, text: str) -> Request:
        """Below the agent's."""
        return replace(self, once=self.once.with_instruct(text))

    def examples(self, given: Any) -> Request:
        """Below the agent's."""
        return replace(self, once=self.once.with_examples(given))

    def output(self, given: Any) -> Request:
        """In the place of the agent's."""
        return replace(self, once=self.once.with_output(given))

    def input(self, given: Any) -> Request:
        """In the place of the agent's."""
        return replace(self, once=self.once.with_input(given))

    async def astart(self) -> Any:
        """The answer itself: text, or what `output` says.

        Raises:
            ConfigError: nothing is asked.
            RunUnfinished: there is none yet: a limit ended the run, or it waits for an approval.
            LLMError, openai.OpenAIError: the model could not be asked; the run is kept.
        """
        result = await self.stream()
        return result.answered()

    def start(self) -> Any:
        """`astart` for callers that do not await."""
        return sync.run(self.astart)

    async def arun(self, question: Any = None) -> RunResult:
        """As `BaseAgent.arun`; a *question* is the input."""
        return await self.stream(question)

    def run(self, question: Any = None) -> RunResult:
        """`arun` for callers that do not await."""
        return sync.run(self.arun, question)

    def stream(self, question: Any = None) -> RunStream:
        """The same run, to be pulled event by event.

        Raises:
            ConfigError: nothing is asked.
        """
        once = self.once if question is None else self.once.with_input(question)
        always = self.agent.slots
        said_in(always, once)
        return self.agent.played(partial(begun, self.agent, always, once))

    def resume(
        self,
        run_id: str,
        *,
        approvals: Mapping[str, bool] | None = None,
        limits: RunPolicy | None = None,
    ) -> RunStream:
        """As `BaseAgent.resume`, for a run that was begun with this `output`."""
        agent = self.agent
        decided = read_approvals(approvals)
        limits = agent.limits if limits is None else read_limits(limits)
        outputs = (self.once.output, agent.slots.output, agent.wanted)
        return agent.played(partial(taken_up, agent, run_id, decided, limits, outputs))

    async def aexplain(self) -> Explained:
        """What would be sent first, slot by slot; nothing is sent, and no source is asked.

        Raises:
            ContextWindowExceeded: what must be sent does not fit.
        """
        from agentmaker.agents.explain import explained

        return await explained(self.agent, self.agent.slots, self.once)

    def explain(self) -> Explained:
        """`aexplain` for callers that do not await."""
        return sync.run(self.aexplain)
