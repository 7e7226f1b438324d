"""The loops that a plan or a reflection is made of, played one after another."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from agentmaker.agents.events import Event
from agentmaker.agents.loop import ToolLoop
from agentmaker.agents.outputs import Output
from agentmaker.agents.run import ActiveRun
from agentmaker.agents.toolbox import Toolbox
from agentmaker.agents.work import Work
from agentmaker.context.folding import ASummarize
from agentmaker.memory.records import Entry
from agentmaker.messages import Message
from agentmaker.tools import ToolRegistry

T = TypeVar("T")


@dataclass(slots=True, kw_only=True)
class Parts:
    """Plays parts of one run; one that was played to its end before is not asked again.

    Attributes:
        answer: of the part played last, as it was wanted.
        text: the same as it was written.
    """

    run: ActiveRun
    toolbox: Toolbox
    system: Sequence[Message] = ()
    answer: Any = None
    text: str = ""

    async def play(
        self, part: str, ask: str, *, tools: bool = True, output: Output | None = None
    ) -> AsyncGenerator[Event, None]:
        """The events of *part*, which puts *ask* under the question."""
        question = _with_text_behind(self.run.question, ask)
        loop = ToolLoop(
            run=self.run,
            toolbox=self.toolbox if tools else replace(self.toolbox, registry=ToolRegistry()),
            head=(*self.system, *self.run.history, question),
            work=Work(part=part).after(self.run.past),
            output=output,
        )
        async with aclosing(loop.events()) as events:
            async for event in events:
                yield event
        self.answer, self.text = loop.answer, loop.work.messages[-1].text

    async def once(self, name: str, make: Callable[[], Awaitable[T]]) -> T:
        """What *make* gives, JSON; taken from what was committed where the run is resumed."""
        made = (each for each in self.run.past if each.kind == "made" and each.data["name"] == name)
        kept = next(made, None)
        if kept is not None:
            value: T = kept.data["value"]
            return value
        value = await make()
        await self.run.commit(Entry("made", {"name": name, "value": value}))
        return value

    @property
    def summarize(self) -> ASummarize | None:
        """Who summarises, where the client has somebody for that."""
        return self.run.chat.engine().summarizer(self.run.chat.model, self.run.overrides)

    @property
    def room(self) -> int:
        """Tokens that a digest of earlier parts may take."""
        setting = self.run.setting
        reserve = setting.output_tokens or setting.budget.output_reserve(
            window=setting.window, model_max_output=setting.max_output
        )
        asked = sum(setting.counter(each.text) for each in (*self.system, self.run.question))
        left = setting.window - reserve - asked
        return max(0, int(left * self.toolbox.config.digest_share))


def _with_text_behind(message: Message, text: str) -> Message:
    if not text:
        return message
    if isinstance(message.content, str):
        return replace(message, content=f"{message.content}\n\n{text}")
    return replace(message, content=[*(message.content or ()), {"type": "text", "text": text}])
