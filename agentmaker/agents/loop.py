"""The tool loop: asks, runs what the model asks for, and asks again until it answers.

What happens next follows from the work alone, so a loop that is taken up again goes on where
it was left, whatever it was in the middle of.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

from agentmaker.agents.calling import Calling
from agentmaker.agents.cut_off import CutOff, cut_off
from agentmaker.agents.events import Event, ToolEnded, ToolStarted
from agentmaker.agents.outputs import Output, Unreadable
from agentmaker.agents.replies import message_of, pulled
from agentmaker.agents.run import ActiveRun
from agentmaker.agents.sight import Sight
from agentmaker.agents.toolbox import Toolbox
from agentmaker.agents.work import Work, ended, said
from agentmaker.calls.call import Reply
from agentmaker.errors import LLMResponseError
from agentmaker.memory.recaps import with_recap
from agentmaker.messages import Message


@dataclass(slots=True, kw_only=True)
class ToolLoop:
    """One loop of a run.

    Attributes:
        head: what stands before the question: system, history.
        calling: runs the calls of the work, and keeps what happens.
        answered: whether *answer* is there.
    """

    run: ActiveRun
    toolbox: Toolbox
    head: Sequence[Message]
    question: Message
    calling: Calling
    output: Output | None = None
    answered: bool = False
    answer: Any = None
    _sight: Sight = field(default_factory=Sight)
    _cut_off: int = 0
    _unreadable: int = 0

    @property
    def work(self) -> Work:
        """What came of it so far."""
        return self.calling.work

    @property
    def params(self) -> dict[str, Any]:
        """What else a request says: the tools, and what the answer has to look like."""
        params = {"response_format": self.output.response_format} if self.output else {}
        return {"tools": self.toolbox.tools.schemas, **params}

    async def events(self) -> AsyncGenerator[Event, None]:
        """What happens, until there is an answer.

        Raises:
            NeedsApproval: nobody has decided on a call that needs it.
            LLMResponseError: the model's answers stay of no use.
            RunStopped: a limit of the run is reached.
        """
        while not self.answered:
            text = self._answered_in_words()
            if text is not None:
                await self._judge(text)
            elif self.work.open:
                calls, part = await self.calling.ready(), self.work.part
                for call in calls:
                    yield ToolStarted(call=call, part=part)
                for outcome, shown in await self.calling.carry_out(calls):
                    yield ToolEnded(call=outcome.call, text=shown, failed=outcome.failed, part=part)
                await self._sight.remark(self.run, self.toolbox, self.calling)
                await self._sight.compact(self.run, self.toolbox, self.calling, self.question)
            else:
                reply = await self._reply()
                if reply.deltas is not None or reply.content:
                    async with aclosing(pulled(reply, self.work.part, self.run.meter)) as pieces:
                        async for piece in pieces:
                            yield piece
                await self._take(reply)

    def _answered_in_words(self) -> str | None:
        """What the model said last, where that is no call of a tool."""
        messages = self.work.messages
        last = messages[-1] if messages else None
        if last is None or last.role != "assistant" or last.tool_calls:
            return None
        return last.text or str(last.extra.get("refusal") or "")

    async def _reply(self) -> Reply:
        """What the model says next, which may be a stream."""
        reply = await self.run.ask(self.window, **self.params)
        if self._sight.narrows(reply.ledger):
            self.toolbox.repeats.cut()
        return reply

    async def _take(self, reply: Reply) -> None:
        """Keep what the model said to its end."""
        message = self.calling.told_apart(message_of(reply))
        if message.tool_calls and (how := cut_off(reply)):
            await self._refuse_cut_off(message, how)
        else:
            self._cut_off = 0
            await self.calling.take(message, reply.finish_reason)

    @property
    def window(self) -> tuple[Message, ...]:
        """All that is said to the model."""
        work = self.work
        asked: tuple[Message, ...] = (self.question,)
        if work.recap:
            asked = with_recap(work.recap, asked, self.toolbox.prompts)
        before = (*self.head, *asked)
        return before + work.shown

    async def _refuse_cut_off(self, message: Message, how: CutOff) -> None:
        """Run nothing of what was not written to its end."""
        self._cut_off += 1
        if self._cut_off > self.toolbox.config.cut_off_rounds:
            raise LLMResponseError(
                f"{how.happened} {self._cut_off} times in a row while it wrote a tool call: "
                f"{how.remedy}"
            )
        part, text = self.work.part, self.toolbox.prompts.text(how.told)
        results = [ended(part, at, text) for at in range(len(message.tool_calls))]
        await self.calling.keep(said(part, message), *results)

    async def _judge(self, text: str) -> None:
        """Take *text* as the answer, or ask for one that is of the output type."""
        try:
            self.answer = self.output.read(text) if self.output else text
            self.answered = True
        except Unreadable as error:
            await self._correct(error)

    async def _correct(self, error: Unreadable) -> None:
        self._unreadable += 1
        if self._unreadable > self.toolbox.config.output_rounds:
            part = self.work.part
            what = f"part {part!r} is not of its type"
            if not part:
                what = "the answer is not of the output type"
            refusal = self.work.messages[-1].extra.get("refusal")
            why = f"the model refuses: {refusal}" if refusal else error
            raise LLMResponseError(
                f"{what} after {self._unreadable} tries ({why}): "
                "use a model that follows schemas, or a simpler type"
            )
        text = self.toolbox.prompts.render("run.unreadable", faults=str(error))
        await self.calling.keep(said(self.work.part, Message(text)))
