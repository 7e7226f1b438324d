"""A paradigm as a script: it yields the parts of a run, and is sent what came of each.

A part that was played to its end before is not asked again, so a script that is run anew over
what a run has committed comes to where the run was left.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, TypeAlias

from agentmaker.agents.calling import Calling
from agentmaker.agents.events import Event
from agentmaker.agents.loop import ToolLoop
from agentmaker.agents.opening import opening_of
from agentmaker.agents.outputs import Output
from agentmaker.agents.run import ActiveRun
from agentmaker.agents.toolbox import Toolbox
from agentmaker.agents.work import Work
from agentmaker.messages import Message


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One tool loop of a run.

    Attributes:
        name: by which what happens in it is known; ``""`` where there is one only.
        ask: what is put under the question.
        tools: whether it may use the run's tools.
        output: what its answer is read as; text without one.
    """

    name: str = ""
    ask: str = ""
    tools: bool = True
    output: Output | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came of a part: the value wanted, the text it was written as, all that was said."""

    value: Any
    messages: tuple[Message, ...]

    @property
    def text(self) -> str:
        return self.messages[-1].text


Script: TypeAlias = AsyncGenerator[Part, Answer]


async def play(script: Script, run: ActiveRun, toolbox: Toolbox) -> AsyncGenerator[Event, None]:
    """Everything that happens in the parts of *script*."""
    async with aclosing(script):
        part = await anext(script, None)
        while part is not None:
            loop = loop_of(part, run, toolbox)
            async with aclosing(loop.events()) as events:
                try:
                    async for event in events:
                        yield event
                finally:
                    run.said, run.finish = loop.work.messages, loop.work.finish
            part = await _next(script, Answer(value=loop.answer, messages=loop.work.messages))


async def _next(script: Script, answer: Answer) -> Part | None:
    try:
        return await script.asend(answer)
    except StopAsyncIteration:
        return None


def loop_of(part: Part, run: ActiveRun, toolbox: Toolbox) -> ToolLoop:
    """The loop that plays *part*, from where *run* has come in it."""
    *head, question = opening_of(part, run).messages
    toolbox.repeats.cut()  # no part sees the results of another
    if not part.tools:
        toolbox = toolbox.emptied()
    work = Work(part=part.name).after(run.past)
    return ToolLoop(
        run=run,
        toolbox=toolbox,
        head=head,
        question=question,
        calling=Calling(run=run, toolbox=toolbox, work=work),
        output=part.output,
    )
