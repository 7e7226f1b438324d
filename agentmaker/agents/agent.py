"""An agent that works with tools until it has an answer."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import ClassVar

from agentmaker.agents.base import BaseAgent
from agentmaker.agents.events import Event
from agentmaker.agents.loop import ToolLoop
from agentmaker.agents.run import ActiveRun
from agentmaker.agents.toolbox import Toolbox
from agentmaker.agents.work import Work


class Agent(BaseAgent):
    """Asks its model, runs the tools it calls, and asks again, until it answers in words."""

    kind: ClassVar[str] = "agent"

    async def work(self, run: ActiveRun, toolbox: Toolbox) -> AsyncGenerator[Event, None]:
        loop = ToolLoop(
            run=run,
            toolbox=toolbox,
            head=(*self.system(run), *run.history, run.question),
            work=Work().after(run.past),
            output=self.output,
        )
        try:
            async with aclosing(loop.events()) as events:
                async for event in events:
                    yield event
        finally:
            run.output = loop.answer
            run.turns = (run.question, *loop.work.messages)
