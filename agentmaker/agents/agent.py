"""An agent that works with tools until it has an answer."""

from __future__ import annotations

from typing import ClassVar

from agentmaker.agents.base import BaseAgent
from agentmaker.agents.run import ActiveRun
from agentmaker.agents.script import Part, Script
from agentmaker.agents.work import without_corrections


class Agent(BaseAgent):
    """Asks its model, runs the tools it calls, and asks again, until it answers in words."""

    kind: ClassVar[str] = "agent"

    async def script(self, run: ActiveRun) -> Script:
        answer = yield Part(output=run.output_type)
        run.answer(answer.value, *without_corrections(answer.messages))
