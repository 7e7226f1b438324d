"""One call of one tool, from the model's words to an outcome."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from math import inf
from typing import Any

import anyio

from agentmaker.calls.forms.content import encodable
from agentmaker.context.sources import Grant
from agentmaker.context.threads import TooManyHanging
from agentmaker.context.together import is_cancellation
from agentmaker.messages import ToolCall
from agentmaker.prompts import PromptRegistry
from agentmaker.scope import Scope
from agentmaker.tools.arguments import read_arguments
from agentmaker.tools.faults import described
from agentmaker.tools.functions import check_arguments
from agentmaker.tools.registry import ToolRegistry
from agentmaker.tools.text import text_of_result
from agentmaker.tools.values import BadArguments, CallInfo, Outcome, Tool

_NAMED = 20
_LONGEST_NAME = 64


@dataclass(frozen=True, slots=True)
class Attempt:
    """*until* is the time on anyio's clock at which the call is given up."""

    call: ToolCall
    registry: ToolRegistry
    grant: Grant
    scope: Scope | None
    prompts: PromptRegistry
    until: float

    @property
    def tool(self) -> Tool | None:
        return self.registry.get(self._name)

    async def run(self, began: Callable[[ToolCall], Awaitable[None]]) -> Outcome:
        """What came of it; *began* is awaited once it can run."""
        tool = self.tool
        if tool is None:
            return self._failed("unknown", name=self._name, known=self._known())
        try:
            arguments = read_arguments(self.call.arguments, self.prompts)
        except BadArguments as error:
            return self._bad_arguments(error)
        await began(self.call)
        return await self._limited(tool, arguments)

    def unfit(self) -> Outcome | None:
        """What comes of a call whose arguments its tool cannot take; None of every other."""
        try:
            arguments = read_arguments(self.call.arguments, self.prompts)
            if self.tool is not None:
                info = CallInfo(call=self.call, grant=self.grant, scope=self.scope)
                check_arguments(self.tool, arguments, info)
        except BadArguments as error:
            return self._bad_arguments(error)
        return None

    async def _limited(self, tool: Tool, arguments: dict[str, Any]) -> Outcome:
        if tool.timeout is None and self.grant.deadline is None:
            return await self._told(tool, arguments, self.grant)
        seconds = min(tool.timeout or inf, self.until - anyio.current_time())
        outcome = None
        if seconds > 0:
            grant = replace(self.grant, deadline=None if seconds == inf else seconds)
            with anyio.move_on_after(seconds) as limit:
                outcome = await self._told(tool, arguments, grant)
            if outcome is not None and not (outcome.failed and limit.cancel_called):
                return outcome
        return self._failed("timeout", name=tool.name, seconds=f"{max(0, round(seconds, 2)):g}")

    async def _told(self, tool: Tool, arguments: dict[str, Any], grant: Grant) -> Outcome:
        try:
            result = await tool.run(
                arguments, CallInfo(call=self.call, grant=grant, scope=self.scope)
            )
        except BadArguments as error:
            return self._bad_arguments(error)
        except TooManyHanging as error:
            return self._failed("busy", name=tool.name, why=error)
        except Exception as error:
            return self._failed("failed", name=tool.name, why=described(error))
        except anyio.get_cancelled_exc_class() as fault:
            if is_cancellation(fault):
                raise
            # Nobody cancelled it, so it raised this by itself: the others must not pay.
            return self._failed("failed", name=tool.name, why="cancelled")
        return self._read(tool, result)

    def _read(self, tool: Tool, result: object) -> Outcome:
        try:
            return Outcome(self.call, text_of_result(result, self.prompts))
        except Exception as error:
            return self._failed("unreadable", name=tool.name, why=described(error))

    def _bad_arguments(self, error: BadArguments) -> Outcome:
        text = self.prompts.render("tool.bad_arguments", name=self._name, why=error)
        return Outcome(self.call, encodable(text), failed=True, reason="arguments")

    def _failed(self, reason: str, **values: object) -> Outcome:
        text = self.prompts.render(f"tool.{reason}", **values)
        return Outcome(self.call, encodable(text), failed=True, reason=reason)

    @property
    def _name(self) -> str:
        return str(self.call.name)[:_LONGEST_NAME]

    def _known(self) -> str:
        from difflib import SequenceMatcher

        def likeness(tool: Tool) -> float:
            return SequenceMatcher(None, self._name.lower(), tool.name.lower()).ratio()

        nearest = sorted(self.registry, key=likeness, reverse=True)
        return ", ".join(tool.name for tool in nearest[:_NAMED]) or self.prompts.text("tool.none")
