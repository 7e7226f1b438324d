"""Whether a run that was killed again and again came out as if nobody had touched it."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from agentmaker import Message, ToolCall
from agentmaker.memory.records import Entry
from agentmaker.testing import violations
from benchmarks.clerk import Deed, Desk, Side, price_of
from benchmarks.orders import IN_FLIGHT, ORDERS, answer

SAID_BEFORE = (Message("Hello."), Message("Hello.", "assistant"))
TOTAL = sum(map(price_of, range(1, ORDERS + 1)))

Deeds = Counter[tuple[str, int]]
"""How often each tool was used for each order."""


@dataclass(slots=True)
class Case:
    """One run, and what became of it.

    Attributes:
        hits: what each kill hit.
        kept: after each attempt, the calls whose results were in the store.
        unkept: kills that came between a tool's end and the commit of its result.
        unknown: calls that the model was told of as unknown.
        again: calls of idempotent tools that were run a second time.
    """

    desk: Desk
    chance: random.Random
    hits: list[str] = field(default_factory=list)
    kept: list[Deeds] = field(default_factory=list)
    unkept: int = 0
    unknown: int = 0
    again: int = 0
    faults: Counter[str] = field(default_factory=Counter)

    def left(self, entries: Sequence[Entry]) -> None:
        """Note what the store holds after an attempt."""
        self.kept.append(Counter(_key(calls[at]) for calls, at in _ended(entries)))
        self.unkept += bool(_deeds(self.deeds(), done=True) - self.kept[-1])

    def deeds(self) -> list[Deed]:
        return Side(self.desk).deeds()


def judge(case: Case, entries: Sequence[Entry], turns: Sequence[Message]) -> None:
    """Count what is wrong with a run that ended."""
    wire = [each.to_wire() for each in turns]
    said = [*SAID_BEFORE, Message(case.desk.question), *messages_of(entries)]
    expected = [each.to_wire() for each in said]
    calls = [call for each in turns for call in each.tool_calls]
    asked, begun = Counter(map(_key, calls)), _deeds(case.deeds(), done=False)
    booked = Counter(each.order for each in case.deeds() if each.name == "book" and each.done)
    case.unknown = sum(IN_FLIGHT in each.text for each in turns)
    case.again = sum((begun - asked).values())
    case.faults.update(
        {
            "wrong answer": wire[-1]["content"] != answer(TOTAL),
            "lost": (_counted(expected) - _counted(wire)).total(),
            "doubled": (_counted(wire) - _counted(expected)).total(),
            "doubled calls": len(calls) - len({call.id for call in calls}),
            "out of order": wire != expected,
            "not valid": len(violations({"model": "m", "messages": wire})),
            "completed and run again": _run_again(case, asked),
            "unknown and run again": sum(n for (name, _), n in (begun - asked).items()
                                         if name == "book"),
            "booked twice": booked.total() - len(booked),
            "not booked": ORDERS - len(booked),
        }
    )  # fmt: skip


def messages_of(entries: Sequence[Entry]) -> list[Message]:
    """What was said in a run, results in the order of their calls."""
    said: list[Message] = []
    results: dict[int, str] = {}
    for entry in entries:
        if entry.kind == "said":
            said.append(Message.from_wire(entry.data["message"]))
            results = {}
        elif entry.kind == "ended":
            results[entry.data["at"]] = entry.data["text"]
            if len(results) == len(said[-1].tool_calls):
                said += _answers(said[-1].tool_calls, results)
    return said


def _answers(calls: Sequence[ToolCall], results: dict[int, str]) -> list[Message]:
    return [Message(results[at], "tool", tool_call_id=each.id) for at, each in enumerate(calls)]


def _ended(entries: Sequence[Entry]) -> Iterator[tuple[Sequence[ToolCall], int]]:
    calls: Sequence[ToolCall] = ()
    for entry in entries:
        if entry.kind == "said":
            calls = Message.from_wire(entry.data["message"]).tool_calls
        elif entry.kind == "ended":
            yield calls, entry.data["at"]


def _run_again(case: Case, asked: Deeds) -> int:
    """Runs of calls that had a result in the store when the attempt began."""
    found = 0
    for attempt, kept in enumerate(case.kept[:-1], 1):
        mine = [each for each in case.deeds() if each.attempt == attempt]
        found += (_deeds(mine, done=False) - (asked - kept)).total()
    return found


def _deeds(deeds: Sequence[Deed], *, done: bool) -> Deeds:
    return Counter((each.name, each.order) for each in deeds if each.done is done)


def _key(call: ToolCall) -> tuple[str, int]:
    return call.name, json.loads(call.arguments).get("order", 0)


def _counted(wire: Sequence[Any]) -> Counter[str]:
    return Counter(map(repr, wire))
