"""One run at work: what it asks goes through here, and what happens is committed here."""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from agentmaker.agents.chat import Chat
from agentmaker.agents.deadline import within
from agentmaker.agents.outputs import Output
from agentmaker.agents.prompt import Prompt
from agentmaker.agents.result import Delegated, RunResult
from agentmaker.agents.run_archive import RunArchive
from agentmaker.agents.spending import spent_by
from agentmaker.calls.call import Reply
from agentmaker.calls.ledger import Ledger
from agentmaker.calls.limits import Run, RunPolicy
from agentmaker.calls.setting import Setting
from agentmaker.clients.using import Overrides
from agentmaker.context.folding import ASummarize
from agentmaker.context.sources import ContextSource
from agentmaker.errors import RunStopped
from agentmaker.memory.keys import owner_of
from agentmaker.memory.records import Entry, RunRecord, Status
from agentmaker.memory.store import Store
from agentmaker.messages import Message, ToolCall

T = TypeVar("T")

LEDGERS = 64
"""How many of a run's latest ledgers are kept."""

DELEGATED = 256
"""How many of its latest sub-agents are told of."""


@dataclass(slots=True, kw_only=True)
class ActiveRun:
    """A run, who pays for it, and where it is kept.

    Attributes:
        record: the run as it was last committed.
        prompt: what is asked, in its slots.
        output_type: what the answer is read as; text without one.
        past: what was committed before it was taken up here.
        archive: where results are put away.
        recalls: whether an earlier run of its session has put one away.
        history: what was said in its session before.
        memo: what its session keeps beside that, as it is shown; "" for none.
        notes: the index of the agent's notes when the run began, None for an agent without.
        streams: whether replies are pulled piece by piece.
        output: the answer, once there is one.
        turns: what the session is to keep of the run then.
        said: the messages of the part that is being played.
        waiting: calls that wait for an approval.
        approvals: what was decided of such calls, by their ids.
        children: what sub-agents whose calls have no result yet have spent, by their runs.
        delegated: what sub-agents cost, by their runs.
        overrides: what holds for its requests.
        inside: what holds for those of its tools.
    """

    record: RunRecord
    store: Store
    chat: Chat
    meter: Run
    setting: Setting
    prompt: Prompt
    archive: RunArchive
    output_type: Output | None = None
    sources: tuple[ContextSource, ...] | None = None
    params: Mapping[str, Any] = field(default_factory=dict)
    past: tuple[Entry, ...] = ()
    recalls: bool = False
    history: tuple[Message, ...] = ()
    memo: str = ""
    notes: str | None = None
    streams: bool = False
    output: Any = None
    turns: tuple[Message, ...] = ()
    said: tuple[Message, ...] = ()
    finish: str | None = None
    waiting: tuple[ToolCall, ...] = ()
    approvals: Mapping[str, bool] = field(default_factory=dict)
    children: dict[str, Run] = field(default_factory=dict)
    delegated: dict[str, Delegated] = field(default_factory=dict)
    ledgers: deque[Ledger] = field(default_factory=lambda: deque(maxlen=LEDGERS))
    overrides: Overrides = field(init=False)
    inside: Overrides = field(init=False)

    def __post_init__(self) -> None:
        scope = self.record.scope
        self.overrides = Overrides(scope=scope, sources=self.sources, run=self.meter)
        self.inside = Overrides(scope=owner_of(scope), run=self.meter)

    @property
    def question(self) -> Message:
        """What the user said."""
        return self.prompt.said

    @property
    def id(self) -> str:
        return self.record.id

    @property
    def ledger(self) -> Ledger | None:
        """Of the latest request."""
        return self.ledgers[-1] if self.ledgers else None

    @property
    def has_notes(self) -> bool:
        return self.notes is not None

    @property
    def summarize(self) -> ASummarize | None:
        """Who summarises, where the client has somebody for that."""
        return self.chat.summarizer(self.overrides)

    def answer(self, output: Any, *messages: Message) -> None:
        """End with *output*, which the session keeps as *messages*."""
        self.output, self.turns = output, (self.question, *messages)

    async def once(self, name: str, make: Callable[[], Awaitable[T]]) -> T:
        """What *make* gives, which is JSON; as it was committed where the run is resumed."""
        made = (each for each in self.past if each.kind == "made" and each.data["name"] == name)
        kept = next(made, None)
        if kept is not None:
            value: T = kept.data["value"]
            return value
        value = await make()
        await self.commit(Entry("made", {"name": name, "value": value}))
        return value

    def add_delegated(self, cost: Delegated) -> None:
        """Keep what a sub-agent cost; the oldest is forgotten where there are too many."""
        self.delegated.pop(cost.run_id, None)
        self.delegated[cost.run_id] = cost
        if len(self.delegated) > DELEGATED:
            del self.delegated[next(iter(self.delegated))]

    def pay_for(self, child: ActiveRun) -> None:
        """Book what *child* has spent in a process that ended before this run could keep it."""
        known = self.children.get(child.id) or Run(RunPolicy())
        spent = child.meter
        self.meter.add(
            calls=max(0, spent.calls - known.calls),
            tokens=max(0, spent.tokens - known.tokens),
            usage=spent.usage.beyond(known.usage),
        )
        self.children[child.id] = spent

    def arguments(self, messages: Sequence[Message], **others: Any) -> dict[str, Any]:
        """All that a request of this run says."""
        return {"model": self.chat.model, "messages": messages, **self.params, **others}

    async def ask(self, messages: Sequence[Message], **arguments: Any) -> Reply:
        """Send a request of this run; a stream comes back open.

        Raises:
            RunStopped: a limit of the run is reached; its time may be over on the way.
        """
        streamed = {"stream": True} if self.streams else {}
        asked = self.arguments(messages, **streamed, **arguments)
        with within(self.meter):
            reply = await self.chat.ask(asked, self.overrides)
        if reply.ledger is not None:
            self.ledgers.append(reply.ledger)
        return reply

    async def commit(
        self, *entries: Entry, status: Status = "running", turns: Sequence[Message] = ()
    ) -> None:
        """Keep what happened, and with it what the run has spent so far."""
        spent, waits_for = spent_by(self.meter, self.children), [each.id for each in self.waiting]
        data = {**self.record.data, "spent": spent, "waits_for": waits_for}
        record = self.record.gone_on(status, data)
        await self.store.commit(record, entries, turns=turns)
        self.record = record

    def result(self, stopped_by: RunStopped | None = None) -> RunResult:
        """What came of it so far."""
        return RunResult(
            run_id=self.id,
            status=self.record.status,
            output=self.output,
            finish_reason=self.finish,
            messages=self.turns or (self.question, *self.said),
            usage=self.meter.usage,
            ledgers=tuple(self.ledgers),
            delegated=tuple(self.delegated.values()),
            waiting=self.waiting,
            stopped_by=stopped_by,
        )
