"""The trajectory of a tool loop as a value; what happened to it is what is stored of it.

A run that goes on and one that is taken up again are the same fold over entries:

- the messages are the question's answer so far: calls, each batch followed by its results;
- a batch is open until every call of it has a result;
- results stand in the order their calls were asked, whatever order they came in.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from typing import Any

from agentmaker.agents.result import Delegated
from agentmaker.calls.call import Usage
from agentmaker.memory.records import Entry
from agentmaker.messages import Message, ToolCall


def as_read(message: Message) -> Message:
    """*message* as it is read from what is stored of it; the same one where it was read before."""
    wire = message.wire  # the very object it was read from, else a new one every time
    return message if wire is message.wire else Message.from_wire(wire)


def said(part: str, message: Message, *, finish: str | None = None) -> Entry:
    """A message of the model's, and why it ended; or one that answers it."""
    return Entry("said", {"part": part, "message": message.wire, "finish": finish})


@lru_cache(maxsize=256)  # every batch of a part has the same ones
def began(part: str, at: int) -> Entry:
    """Call number *at* of the open batch is about to run."""
    return Entry("began", {"part": part, "at": at})


def decided(part: str, at: int, allowed: bool) -> Entry:
    """Somebody allowed that call, or did not."""
    return Entry("decided", {"part": part, "at": at, "allowed": allowed})


def ended(part: str, at: int, text: str, *, put_away: str | None = None) -> Entry:
    """That call has its result, the whole of which may be put away under a name."""
    return Entry("ended", {"part": part, "at": at, "text": text, "put_away": put_away})


def delegated(cost: Delegated) -> Entry:
    """A sub-agent is over: what it cost."""
    return Entry("delegated", asdict(cost))


def delegated_in(entries: Iterable[Entry]) -> Iterator[Delegated]:
    """What *entries* say of sub-agents."""
    for entry in entries:
        if entry.kind == "delegated":
            yield Delegated(**{**entry.data, "usage": Usage(**entry.data["usage"])})


def remarked(part: str, text: str) -> Entry:
    """Something is said beside the newest result."""
    return Entry("remarked", {"part": part, "text": text})


def compacted(part: str, recap: str, start: int) -> Entry:
    """*recap* stands for the messages before *start*."""
    return Entry("compacted", {"part": part, "recap": recap, "start": start})


def without_corrections(messages: Sequence[Message]) -> tuple[Message, ...]:
    """*messages* of a part without answers that could not be read, and what was said of them."""
    corrections = [at for at, each in enumerate(messages) if each.role == "user"]
    wrong = {*corrections, *(at - 1 for at in corrections)}
    return tuple(each for at, each in enumerate(messages) if at not in wrong)


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """One part of a run: a tool loop's messages, and how far its open batch has come.

    Attributes:
        part: which loop of the run this is; ``""`` where there is one only.
        calls: the open batch.
        began: which of its calls were about to run.
        allowed: what was decided of those that need an approval.
        results: those that are there.
        start: the first message that is shown.
        recap: what stands for those before it.
        finish: why the newest message of the model ended, as its server says.
    """

    part: str = ""
    messages: tuple[Message, ...] = ()
    calls: tuple[ToolCall, ...] = ()
    began: frozenset[int] = frozenset()
    allowed: Mapping[int, bool] = field(default_factory=dict)
    results: Mapping[int, str] = field(default_factory=dict)
    start: int = 0
    recap: str = ""
    finish: str | None = None

    @property
    def shown(self) -> tuple[Message, ...]:
        """The messages that the model is to see, beside the recap."""
        return self.messages[self.start :]

    @property
    def open(self) -> tuple[int, ...]:
        """The calls without a result."""
        return tuple([at for at in range(len(self.calls)) if at not in self.results])

    def at(self, call: ToolCall) -> int:
        """Which of the open batch *call* is."""
        # By identity: servers repeat ids, and leave them out.
        return next(at for at, each in enumerate(self.calls) if each is call)

    def saying(self, message: Message, *, finish: str | None, began: Iterable[int] = ()) -> Work:
        """What it is after `said` of *message*, which is as it was read, and those `began`."""
        return Work(
            part=self.part,
            messages=(*self.messages, message),
            calls=message.tool_calls,
            began=frozenset(began),
            start=self.start,
            recap=self.recap,
            finish=finish,
        )

    def after(self, entries: Iterable[Entry]) -> Work:
        """This, and what *entries* say of this part."""
        work = self
        for entry in entries:
            if entry.kind in _FOLDS and entry.data["part"] == self.part:
                work = _FOLDS[entry.kind](work, entry.data)
        return work


def _said(work: Work, data: Mapping[str, Any]) -> Work:
    return work.saying(Message.from_wire(data["message"]), finish=data["finish"])


def _began(work: Work, data: Mapping[str, Any]) -> Work:
    return replace(work, began=work.began | {data["at"]})


def _decided(work: Work, data: Mapping[str, Any]) -> Work:
    return replace(work, allowed={**work.allowed, data["at"]: data["allowed"]})


def _ended(work: Work, data: Mapping[str, Any]) -> Work:
    results = {**work.results, data["at"]: data["text"]}
    if len(results) < len(work.calls):
        return replace(work, results=results)
    answers = [_answer(call, results[at]) for at, call in enumerate(work.calls)]
    return Work(
        part=work.part,
        messages=(*work.messages, *answers),
        start=work.start,
        recap=work.recap,
        finish=work.finish,
    )


def _answer(call: ToolCall, text: str) -> Message:
    return Message(text, role="tool", tool_call_id=call.id)


def _remarked(work: Work, data: Mapping[str, Any]) -> Work:
    *before, last = work.messages
    told = replace(last, content=f"{last.text}\n\n{data['text']}")
    return replace(work, messages=(*before, told))


def _compacted(work: Work, data: Mapping[str, Any]) -> Work:
    return replace(work, recap=data["recap"], start=data["start"])


_FOLDS = {
    "said": _said,
    "began": _began,
    "decided": _decided,
    "ended": _ended,
    "remarked": _remarked,
    "compacted": _compacted,
}
