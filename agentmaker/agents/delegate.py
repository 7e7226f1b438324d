"""An agent as a tool of another: a clean window in, a report of the size granted out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from agentmaker.agents.batch import Batch, current_batch, for_child, of_child
from agentmaker.agents.beginning import child
from agentmaker.agents.result import Delegated, RunResult
from agentmaker.agents.run import ActiveRun
from agentmaker.calls.limits import RunPolicy
from agentmaker.context.knobs import check_count
from agentmaker.errors import ConfigError, RunLimitExceeded, RunStopped, ToolError
from agentmaker.messages import Message
from agentmaker.prompts import DEFAULT_PROMPTS
from agentmaker.tools import Tool
from agentmaker.tools.parameters import Parameters, parameters_for
from agentmaker.tools.values import Given

if TYPE_CHECKING:
    from agentmaker.agents.base import BaseAgent

EVENT = "agentmaker.delegated"
"""The name of the log line of a sub-agent that is over."""

DEEPEST = 4
"""So deep sub-agents call sub-agents."""


def as_tool(
    agent: BaseAgent,
    *,
    name: str | None,
    description: str | None,
    report_tokens: tuple[int, int],
    limits: RunPolicy | None,
) -> Tool:
    """What `BaseAgent.as_tool` promises."""
    name = _name(agent.name) if name is None else name
    about = {"task": DEFAULT_PROMPTS.text("delegate.task")}
    parameters = parameters_for(name, _asked, about)
    least, most = _report(report_tokens)
    return Tool(
        name=name,
        description=description or DEFAULT_PROMPTS.render("delegate.description", name=agent.name),
        parameters=parameters.schema,
        run=_Delegate(agent, parameters, least, most, limits or agent.limits),
        idempotent=True,
    )


def _name(agent: str) -> str:
    name = re.sub(r"[^a-zA-Z0-9_-]+", "_", agent).strip("_")[:64]
    if not name:
        raise ConfigError(f"no tool can be named after {agent!r}: as_tool(name='search') names it")
    return name


def _asked(task: str) -> None:
    """What the arguments of such a tool are."""


def _report(tokens: object) -> tuple[int, int]:
    if not isinstance(tokens, tuple) or len(tokens) != 2:
        raise ConfigError(f"report_tokens is a least and a most, as in (1_000, 2_000): {tokens!r}")
    least = check_count("report_tokens[0]", tokens[0], least=1)
    return least, check_count("report_tokens[1]", tokens[1], least=least)


@dataclass(frozen=True, slots=True)
class _Delegate:
    agent: BaseAgent
    parameters: Parameters
    least: int
    most: int
    limits: RunPolicy

    async def __call__(self, arguments: dict[str, Any], given: Given) -> object:
        _, asked = self.parameters.read(arguments, given)
        batch = current_batch()
        if batch is None:
            raise ToolError("a sub-agent works within a run: give its tool to an agent")
        if batch.depth > DEEPEST:
            raise ToolError(batch.run.setting.prompts.render("delegate.too_deep", most=DEEPEST))
        at = batch.work.at(given.call)
        batch.rooms[at] = min(given.grant.tokens, self.most)
        question = self._question(str(asked["task"]), batch.rooms[at])
        return await _Work(self.agent, batch, at).run(question, self.limits)

    def _question(self, task: str, most: int) -> Message:
        """*task*, and how long the report may be; text only where there is no other wish."""
        prompts = self.agent.chat.prompts
        if self.least < most and self.agent.output is None:
            size = prompts.render("delegate.report", least=self.least, most=most)
        else:
            size = prompts.render("delegate.report_short", most=most)
        return Message(f"{task}\n\n{size}")


@dataclass(slots=True)
class _Work:
    """One call of a sub-agent.

    Attributes:
        child: its run, once there is one.
    """

    agent: BaseAgent
    batch: Batch
    at: int
    child: ActiveRun | None = None

    async def run(self, task: Message, limits: RunPolicy) -> object:
        parent, run_id = self.batch.run, self.batch.run_id(self.at)
        approvals = for_child(parent.approvals, run_id)
        try:
            result = await child(
                self.agent,
                parent,
                run_id,
                task,
                limits=limits,
                approvals=approvals,
                began=self._joined,
            )
        finally:
            self._account()
        return self._told(result)

    def _joined(self, child: ActiveRun) -> None:
        self.child = child
        self.batch.run.pay_for(child)

    def _account(self) -> None:
        """Note what the sub-agent cost, however it ended."""
        if self.child is None:
            return
        run = self.child
        over = Delegated(
            agent=self.agent.name,
            run_id=run.id,
            status=run.record.status,
            calls=run.meter.calls,
            usage=run.meter.usage,
        )
        self.batch.over[self.at] = over
        self.batch.run.note(over)
        _log(over, parent=self.batch.run.id)

    def _told(self, result: RunResult) -> object:
        if result.status == "waiting":
            self.batch.waiting[self.at] = of_child(result.waiting, result.run_id)
            return None
        if result.stopped_by is None:
            return result.output
        try:
            self.batch.run.meter.check()
        except RunStopped as error:
            self.batch.stopped[self.at] = error
            return None
        return self._so_far(result, result.stopped_by)

    def _so_far(self, result: RunResult, stopped_by: RunStopped) -> str:
        """What a sub-agent had when its own limit stopped it."""
        prompts = self.batch.run.setting.prompts
        limit = stopped_by.limit if isinstance(stopped_by, RunLimitExceeded) else str(stopped_by)
        texts = [each.text for each in result.messages[1:] if each.text]
        found = "\n\n".join(texts) or prompts.text("tool.none")
        return prompts.render("delegate.stopped", name=self.agent.name, limit=limit, found=found)


def _log(over: Delegated, *, parent: str) -> None:
    import structlog

    structlog.get_logger("agentmaker").info(
        EVENT,
        agent=over.agent,
        run_id=over.run_id,
        parent=parent,
        status=over.status,
        calls=over.calls,
        prompt_tokens=over.usage.prompt_tokens,
        completion_tokens=over.usage.completion_tokens,
    )
