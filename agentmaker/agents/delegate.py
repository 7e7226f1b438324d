"""An agent as a tool of another: a clean window in, a report of the size granted out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from agentmaker.agents.batch import current_batch
from agentmaker.agents.equipped import Equipped
from agentmaker.agents.given import read_limits
from agentmaker.agents.subrun import SubRun
from agentmaker.calls.limits import RunPolicy
from agentmaker.context.knobs import check_count, kind_of
from agentmaker.errors import ConfigError, ToolError
from agentmaker.messages import Message
from agentmaker.tools import Tool
from agentmaker.tools.parameters import Parameters, parameters_for
from agentmaker.tools.values import CallInfo

DEEPEST = 4
"""How deep sub-agents may call sub-agents."""


def as_tool(
    agent: Equipped,
    *,
    name: str | None,
    description: str | None,
    report_tokens: tuple[int, int],
    limits: RunPolicy | None,
) -> Tool:
    """What `BaseAgent.as_tool` promises."""
    name = _name(agent.name) if name is None else name
    prompts = agent.chat.prompts()
    about = {"task": prompts.text("delegate.task")}
    parameters = parameters_for(name, _asked, about)
    least, most = _report(report_tokens)
    return Tool(
        name=name,
        description=_description(description)
        or prompts.render("delegate.description", name=agent.name),
        parameters=parameters.schema,
        run=_Delegate(
            agent, parameters, least, most, agent.limits if limits is None else read_limits(limits)
        ),
        idempotent=True,
    )


def _name(agent: str) -> str:
    name = re.sub(r"[^a-zA-Z0-9_-]+", "_", agent).strip("_")[:64]
    if not name:
        raise ConfigError(f"no tool can be named after {agent!r}: as_tool(name='search') names it")
    return name


def _description(given: object) -> str:
    if given is None or isinstance(given, str):
        return given or ""
    raise ConfigError(f"a tool's description is text, not {kind_of(given)}")


def _asked(task: str) -> None:
    """What the arguments of such a tool are."""


def _report(tokens: object) -> tuple[int, int]:
    if not isinstance(tokens, tuple) or len(tokens) != 2:
        raise ConfigError(f"report_tokens is a least and a most, as in (1_000, 2_000): {tokens!r}")
    least = check_count("report_tokens[0]", tokens[0], least=1)
    return least, check_count("report_tokens[1]", tokens[1], least=least)


@dataclass(frozen=True, slots=True)
class _Delegate:
    agent: Equipped
    parameters: Parameters
    least: int
    most: int
    limits: RunPolicy

    async def __call__(self, arguments: dict[str, Any], info: CallInfo) -> object:
        _, asked = self.parameters.read(arguments, info)
        batch = current_batch()
        if batch is None:
            raise ToolError("a sub-agent works within a run: give its tool to an agent")
        if batch.depth > DEEPEST:
            raise ToolError(batch.run.setting.prompts.render("delegate.too_deep", most=DEEPEST))
        at = batch.work.at(info.call)
        batch.rooms[at] = min(info.grant.tokens, self.most)
        question = self._question(str(asked["task"]), batch.rooms[at])
        return await SubRun(self.agent, batch, at).run(question, self.limits)

    def _question(self, task: str, most: int) -> Message:
        """*task*, and how long the report may be; text only where there is no other wish."""
        prompts = self.agent.chat.prompts()
        if self.least < most and self.agent.slots.output is None and self.agent.output_type is None:
            size = prompts.render("delegate.report", least=self.least, most=most)
        else:
            size = prompts.render("delegate.report_short", most=most)
        return Message(f"{task}\n\n{size}")
