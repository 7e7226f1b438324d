"""Runs the calls of a loop's open batch, and keeps what happens as it happens."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from agentmaker.agents.batch import Batch
from agentmaker.agents.deadline import within
from agentmaker.agents.headroom import headroom
from agentmaker.agents.run import ActiveRun
from agentmaker.agents.toolbox import Toolbox
from agentmaker.agents.work import Work, as_read, began, decided, ended, said
from agentmaker.calls.forms.content import encodable
from agentmaker.calls.forms.pairing import Ids
from agentmaker.context.sources import Grant
from agentmaker.memory.records import Entry
from agentmaker.messages import Message, ToolCall
from agentmaker.tools import Outcome, run_calls

LONGEST_NAME = 64

_NOT_IN_NAMES = re.compile("[^a-zA-Z0-9_-]")


class NeedsApproval(Exception):
    """Raised when a run has to wait for somebody to decide on *calls*."""

    def __init__(self, calls: tuple[ToolCall, ...]) -> None:
        super().__init__(f"{len(calls)} calls wait for an approval")
        self.calls = calls


@dataclass(slots=True, kw_only=True)
class Calling:
    """The work of one loop, and who carries out what it asks for.

    Attributes:
        _here: calls that were begun in this process; others that were begun are in flight since
            an earlier process ended.
        _ids: those of all calls so far.
    """

    run: ActiveRun
    toolbox: Toolbox
    work: Work
    _here: set[int] = field(default_factory=set)
    _ids: Ids = field(init=False)

    def __post_init__(self) -> None:
        self._ids = Ids({call.id for each in self.work.messages for call in each.tool_calls})

    async def keep(self, *entries: Entry) -> None:
        """Commit what happened, and go on from there."""
        await self.run.commit(*entries)
        self.work = self.work.after(entries)

    def told_apart(self, message: Message) -> Message:
        """*message* with calls as every server takes them back: each with an id of its own.

        Servers repeat ids and forget them, and models make up names that servers refuse.
        """
        calls = (*map(self._clean, message.tool_calls),)
        same = all(new is old for new, old in zip(calls, message.tool_calls, strict=True))
        return message if same else replace(message, tool_calls=calls)

    def _clean(self, call: ToolCall) -> ToolCall:
        id = self._ids.claim(encodable(str(call.id)))
        name = _NOT_IN_NAMES.sub("_", str(call.name))[:LONGEST_NAME]
        return call if (id, name) == (call.id, call.name) else replace(call, id=id, name=name)

    async def take(self, message: Message, finish: str | None) -> None:
        """Keep what the model said, with a mark on the calls that will run at once."""
        # Approvals are for the calls that waited: models use an id again.
        self.run.approvals = {}
        message, part = as_read(message), self.work.part
        calls = message.tool_calls
        waits = len(calls) > self.toolbox.config.parallel
        waits = waits or any(map(self.toolbox.needs_approval, calls))
        self._here = set() if waits else set(range(len(calls)))
        marks = [began(part, at) for at in self._here]
        await self.run.commit(said(part, message, finish=finish), *marks)
        self.work = self.work.saying(message, finish=finish, began=self._here)

    async def ready(self) -> list[ToolCall]:
        """The calls of the open batch that may run; the others have their results.

        Raises:
            NeedsApproval: nobody has decided on a call that needs it.
            RunStopped: a limit of the run is reached.
        """
        await self._decide()
        await self._settle_unrun()
        return [self.work.calls[at] for at in self.work.open]

    async def carry_out(self, calls: list[ToolCall]) -> list[tuple[Outcome, str]]:
        """What came of *calls*, in their order, and what is shown of it.

        Raises:
            NeedsApproval: a sub-agent waits for somebody to decide.
            RunStopped: a limit of the run is reached.
        """
        self.run.meter.check_time()
        grant = self.toolbox.grant(headroom(self.run.ledger, self.run.setting), len(calls))
        batch = Batch(run=self.run, work=self.work)
        shown: dict[int, tuple[Outcome, str]] = {}

        async def ended_one(outcome: Outcome) -> None:
            at = self.work.at(outcome.call)
            if not batch.is_left(at):
                shown[at] = outcome, await self._ended(at, outcome, grant, batch)

        with batch.under_way():
            await run_calls(
                calls,
                self.toolbox.tools,
                grant=grant,
                scope=self.toolbox.scope,
                limit=self.toolbox.config.parallel,
                began=self._began,
                ended=ended_one,
                prompts=self.toolbox.prompts,
            )
        self._here.clear()
        _raise_for_left(batch)
        return [shown[at] for at in sorted(shown)]

    async def _decide(self) -> None:
        """Ask about calls that need an approval, have none and can run."""
        part, undecided = self.work.part, []
        for at in self.work.open:
            call = self.work.calls[at]
            if not self.toolbox.needs_approval(call) or at in self.work.allowed:
                continue
            if (unfit := self.toolbox.unfit(call)) is not None:
                await self.keep(ended(part, at, unfit))
            elif (allowed := await self._allowed(call)) is None:
                undecided.append(call)
            else:
                await self.keep(decided(part, at, allowed))
        if undecided:
            raise NeedsApproval(tuple(undecided))

    async def _allowed(self, call: ToolCall) -> bool | None:
        """What is decided of *call*, None for nothing yet."""
        allowed = self.run.approvals.get(call.id)
        if allowed is None:
            with within(self.run.meter):
                allowed = await self.toolbox.decide(call)
        return allowed

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
            await self.keep(*results)

    def _left_in_flight(self, at: int) -> bool:
        """Whether the process ended while the call ran, and running it again may do harm."""
        lost = at in self.work.began - self._here
        return lost and not self.toolbox.repeatable(self.work.calls[at])

    async def _began(self, call: ToolCall) -> None:
        at = self.work.at(call)
        if at not in self.work.began:
            self._here.add(at)
            await self.keep(began(self.work.part, at))

    async def _ended(self, at: int, outcome: Outcome, grant: Grant, batch: Batch) -> str:
        """Keep the result of that call; what is shown of it."""
        part = self.work.part
        number = f"{part}r{len(self.work.messages) + at}".replace(" ", "")
        name = self.run.archive.name_of(number)
        capped = await self.toolbox.shown(outcome, batch.narrowed(at, grant), name)
        result = ended(part, at, capped.text, put_away=capped.put_away)
        await self.keep(result, *batch.settled(at))
        return capped.text


def _raise_for_left(batch: Batch) -> None:
    """End the run where sub-agents could not come to an end."""
    for error in batch.stopped.values():
        raise error
    if batch.waiting:
        raise NeedsApproval(tuple(call for calls in batch.waiting.values() for call in calls))
