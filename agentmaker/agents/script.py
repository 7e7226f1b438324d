"""A paradigm as a script: it yields the parts of a run, and is sent what came of each.

A part that was played to its end before is not asked again, so a script that is run anew over
what a run has committed comes to where the run was left.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from agentmaker.agents.calling import Calling
from agentmaker.agents.events import Event
from agentmaker.agents.loop import ToolLoop
from agentmaker.agents.memo import with_memo
from agentmaker.agents.outputs import Output
from agentmaker.agents.run import ActiveRun
from agentmaker.agents.toolbox import Toolbox
from agentmaker.agents.work import Work
from agentmaker.calls.wire import with_text_before
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
            loop = _loop(part, run, toolbox)
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


def _loop(part: Part, run: ActiveRun, toolbox: Toolbox) -> ToolLoop:
    question = _with_text_behind(run.question, part.ask)
    if run.notes:
        question = with_text_before(question, run.notes)
    *history, question = with_memo(run.memo, (*run.history, question), run.setting)
    toolbox.repeats.cut()  # no part sees the results of another
    if not part.tools:
        toolbox = toolbox.emptied()
    work = Work(part=part.name).after(run.past)
    return ToolLoop(
        run=run,
        toolbox=toolbox,
        head=(*run.system, *history),
        question=question,
        calling=Calling(run=run, toolbox=toolbox, work=work),
        output=part.output,
    )


def _with_text_behind(message: Message, text: str) -> Message:
    if not text:
        return message
    if isinstance(message.content, str):
        return replace(message, content=f"{message.content}\n\n{text}")
    return replace(message, content=[*(message.content or ()), {"type": "text", "text": text}])
