"""The tool loop: asks, runs what the model asks for, and asks again until it answers.

What happens next follows from the work alone, so a loop that is taken up again goes on where
it was left, whatever it was in the middle of.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from agentmaker.agents.artefacts import shown_anew
from agentmaker.agents.batch import Batch
from agentmaker.agents.compaction import recap_of
from agentmaker.agents.events import Event, ToolEnded, ToolStarted
from agentmaker.agents.headroom import fill, headroom
from agentmaker.agents.outputs import Output, Unreadable
from agentmaker.agents.reminders import reminder
from agentmaker.agents.replies import message_of, pulled
from agentmaker.agents.run import ActiveRun
from agentmaker.agents.toolbox import Toolbox
from agentmaker.agents.work import Work, began, compacted, decided, ended, noted, said
from agentmaker.calls.call import Reply
from agentmaker.context.sources import Grant
from agentmaker.errors import LLMResponseError
from agentmaker.memory.recaps import with_recap
from agentmaker.memory.records import Entry
from agentmaker.messages import Message, ToolCall
from agentmaker.tools import Outcome, run_calls


class NeedsApproval(Exception):
    """Raised when a run has to wait for somebody to decide on *calls*."""

    def __init__(self, calls: tuple[ToolCall, ...]) -> None:
        super().__init__(f"{len(calls)} calls wait for an approval")
        self.calls = calls


@dataclass(slots=True, kw_only=True)
class ToolLoop:
    """One loop of a run.

    Attributes:
        head: what stands before the question: system, history.
        work: what came of it so far.
        answered: whether *answer* is there.
    """

    run: ActiveRun
    toolbox: Toolbox
    head: Sequence[Message]
    question: Message
    work: Work
    output: Output | None = None
    answered: bool = False
    answer: Any = None
    _cut_off: int = 0
    _unreadable: int = 0
    _here: set[int] = field(default_factory=set)
    _dropped: int = 0
    _was_cut: bool = False

    async def events(self) -> AsyncGenerator[Event, None]:
        """What happens, until there is an answer.

        Raises:
            NeedsApproval: nobody has decided on a call that needs it.
            LLMResponseError: the model's answers stay of no use.
            RunStopped: a limit of the run is reached.
        """
        while not self.answered:
            async with aclosing(self._next()) as events:
                async for event in events:
                    yield event

    def _next(self) -> AsyncGenerator[Event, None]:
        if self.work.open:
            return self._act()
        last = self.work.messages[-1] if self.work.messages else None
        if last is not None and last.role == "assistant" and not last.tool_calls:
            return self._judge(last.text)
        return self._ask()

    async def _ask(self) -> AsyncGenerator[Event, None]:
        tools = self.toolbox.tools.schemas
        wanted = {"response_format": self.output.response_format} if self.output else {}
        reply = await self.run.ask(self._window(), tools=tools, **wanted)
        self._see_cut(reply)
        async with aclosing(pulled(reply, self.work.part)) as pieces:
            async for piece in pieces:
                yield piece
        message = message_of(reply)
        if reply.finish_reason == "length" and message.tool_calls:
            await self._refuse_cut_off(message)
        else:
            self._cut_off = 0
            await self._keep(said(self.work.part, message), *self._beginning(message))

    def _window(self) -> tuple[Message, ...]:
        """All that is said to the model."""
        work = self.work
        if not work.recap:
            return (*self.head, self.question, *work.shown)
        asked = with_recap(work.recap, (self.question,), self.toolbox.prompts)
        return (*self.head, *asked, *work.shown)

    def _beginning(self, message: Message) -> list[Entry]:
        """The calls that will run at once, marked together with the message that makes them."""
        calls = message.tool_calls
        if len(calls) > self.toolbox.config.parallel or any(
            map(self.toolbox.needs_approval, calls)
        ):
            return []
        self._here = set(range(len(calls)))
        return [began(self.work.part, at) for at in self._here]

    async def _refuse_cut_off(self, message: Message) -> None:
        """Run nothing of what the model had no room to write to its end."""
        self._cut_off += 1
        if self._cut_off > self.toolbox.config.cut_off_rounds:
            raise LLMResponseError(
                f"the model was cut off {self._cut_off} times in a row while it wrote a tool call: "
                "give it more room for its reply, or tools that take shorter arguments"
            )
        text = self.toolbox.prompts.text("run.cut_off")
        results = [ended(self.work.part, at, text) for at in range(len(message.tool_calls))]
        await self._keep(said(self.work.part, message), *results)

    async def _judge(self, text: str) -> AsyncGenerator[Event, None]:
        """Take *text* as the answer, or ask for one that is of the output type."""
        try:
            self.answer = self.output.read(text) if self.output else text
            self.answered = True
        except Unreadable as error:
            await self._correct(error)
        return
        yield  # a step that nobody needs to hear of

    async def _correct(self, error: Unreadable) -> None:
        self._unreadable += 1
        if self._unreadable > self.toolbox.config.output_rounds:
            raise LLMResponseError(
                f"the answer is not of the output type after {self._unreadable} tries ({error}): "
                "use a simpler type or a model that follows schemas"
            )
        text = self.toolbox.prompts.render("run.unreadable", faults=str(error))
        await self._keep(said(self.work.part, Message(text)))

    async def _act(self) -> AsyncGenerator[Event, None]:
        """Run the open batch, as far as it may run."""
        await self._decide()
        await self._settle_unrun()
        calls = [self.work.calls[at] for at in self.work.open]
        for call in calls:
            yield ToolStarted(call=call, part=self.work.part)
        room = headroom(self.run.ledger, self.run.setting)
        grant = self.toolbox.grant(room, len(calls))
        shown: dict[int, tuple[Outcome, str]] = {}
        batch = Batch(run=self.run, work=self.work)
        with batch.under_way():
            await run_calls(
                calls,
                self.toolbox.tools,
                grant=grant,
                scope=self.toolbox.scope,
                limit=self.toolbox.config.parallel,
                began=self._began,
                ended=partial(self._ended, grant, shown, batch),
            )
        for at in sorted(shown):
            outcome, text = shown[at]
            yield ToolEnded(
                call=outcome.call, text=text, failed=outcome.failed, part=self.work.part
            )
        self._here.clear()
        _raise_for_left(batch)
        await self._note()
        await self._compact()

    def _see_cut(self, reply: Reply) -> None:
        """Take notice when more of the work is out of sight than before."""
        dropped = reply.ledger["trajectory"].dropped if reply.ledger else 0
        if dropped > self._dropped:
            self._was_cut = True
            self.toolbox.repeats.cut()
        self._dropped = dropped

    async def _note(self) -> None:
        """Put under the newest result what the model should know now."""
        text = "\n\n".join(filter(None, (await self._artefacts(), self._reminder())))
        if text:
            await self._keep(noted(self.work.part, text))

    async def _artefacts(self) -> str:
        """After a cut, what was read last and is out of sight."""
        ledger = self.run.ledger
        if not self._was_cut or ledger is None:
            return ""
        self._was_cut = False
        room = headroom(ledger, self.run.setting)
        return await shown_anew(self.work.messages, ledger, self.toolbox, room)

    def _reminder(self) -> str:
        if not self.run.has_notes:
            return ""
        policy, prompts = self.toolbox.config.notes, self.toolbox.prompts
        return reminder(policy, self.work.messages, fill(self.run.ledger), prompts)

    async def _compact(self) -> None:
        """Make a recap of the work where the model asked for it."""
        focus, self.toolbox.wish = self.toolbox.wish, None
        if focus is None:
            return
        work = self.work
        recap, spared = await recap_of(self.run, work.recap, (self.question, *work.shown), focus)
        if spared:
            await self._keep(compacted(work.part, recap, work.start + spared))

    async def _decide(self) -> None:
        """Ask about calls that need an approval and have none."""
        undecided = []
        for at in self.work.open:
            call = self.work.calls[at]
            if not self.toolbox.needs_approval(call) or at in self.work.allowed:
                continue
            allowed = self.run.approvals.get(call.id)
            if allowed is None:
                allowed = await self.toolbox.decide(call)
            if allowed is None:
                undecided.append(call)
            else:
                await self._keep(decided(self.work.part, at, bool(allowed)))
        if undecided:
            raise NeedsApproval(tuple(undecided))

    async def _settle_unrun(self) -> None:
        """Results for calls that are not run: refused ones, and those a kill left in flight."""
        prompts, part = self.toolbox.prompts, self.work.part
        results = []
        for at in self.work.open:
            if not self.work.allowed.get(at, True):
                results.append(ended(part, at, prompts.text("run.refused")))
            elif self._left_in_flight(at):
                results.append(ended(part, at, prompts.text("run.in_flight")))
        if results:
            await self._keep(*results)

    def _left_in_flight(self, at: int) -> bool:
        """Whether the process ended while the call ran, and running it again may do harm."""
        lost = at in self.work.began - self._here
        return lost and not self.toolbox.repeatable(self.work.calls[at])

    async def _began(self, call: ToolCall) -> None:
        at = self.work.at(call)
        if at not in self.work.began:
            self._here.add(at)
            await self._keep(began(self.work.part, at))

    async def _ended(
        self,
        grant: Grant,
        shown: dict[int, tuple[Outcome, str]],
        batch: Batch,
        outcome: Outcome,
    ) -> None:
        at = self.work.at(outcome.call)
        if batch.is_left(at):
            return
        name = f"{self.work.part}r{len(self.work.messages) + at}".replace(" ", "")
        capped = await self.toolbox.shown(outcome, batch.narrowed(at, grant), name)
        shown[at] = outcome, capped.text
        result = ended(self.work.part, at, capped.text, put_away=capped.put_away)
        await self._keep(result, *batch.settled(at))

    async def _keep(self, *entries: Entry) -> None:
        await self.run.commit(*entries)
        self.work = self.work.after(entries)


def _raise_for_left(batch: Batch) -> None:
    """End the run where sub-agents could not come to an end."""
    for error in batch.stopped.values():
        raise error
    if batch.waiting:
        raise NeedsApproval(tuple(call for calls in batch.waiting.values() for call in calls))
