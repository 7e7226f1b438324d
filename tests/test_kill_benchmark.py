"""The benchmarks of runs that are killed and of agents that share a store, at a small size."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import anyio
import pytest

from agentmaker import Message
from agentmaker.agents.work import ended, said
from agentmaker.memory.records import Entry
from benchmarks.bench_kill import killed
from benchmarks.bench_many_agents import on_sqlite
from benchmarks.clerk import Desk, Side
from benchmarks.crew import is_kept, texts
from benchmarks.judged import SAID_BEFORE, TOTAL, Case, judge, messages_of
from benchmarks.orders import ORDERS, answer


def entries() -> list[Entry]:
    """A run that nobody killed."""
    found = []
    for order in range(1, ORDERS + 1):
        function = {"name": "book", "arguments": json.dumps({"order": order})}
        call = {"id": f"c{order}", "type": "function", "function": function}
        asked = {"role": "assistant", "content": None, "tool_calls": [call]}
        found += [said("", Message.from_wire(asked)), ended("", 0, f"Order {order}.")]
    return [*found, said("", Message(answer(TOTAL), "assistant"))]


@pytest.fixture
def case(tmp_path: Path) -> Case:
    """A run of that kind, resumed once in its middle."""
    desk = Desk(1, tmp_path, "", tmp_path / "store.db")
    case = Case(desk, random.Random(1))
    for order in range(1, ORDERS + 1):
        side = Side(Desk(1, tmp_path, "", desk.store, attempt=order // 8))
        side.note("book", order, "began")
        side.note("book", order, "done")
        if order == 7:
            case.left(entries()[:14])
    case.left(entries())
    return case


def turns(case: Case, messages: Sequence[Message] | None = None) -> list[Message]:
    told = messages_of(entries()) if messages is None else messages
    return [*SAID_BEFORE, Message(case.desk.question), *told]


def test_a_run_that_came_out_well_has_no_faults(case: Case) -> None:
    judge(case, entries(), turns(case))
    assert +case.faults == {}


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda told: told[:-1], "wrong answer"),
        (lambda told: [*told[:4], *told[5:]], "lost"),
        (lambda told: [*told, told[-1]], "doubled"),
        (lambda told: [told[2], told[3], *told[:2], *told[4:]], "out of order"),
        (lambda told: [told[1], told[0], *told[2:]], "not valid"),
    ],
)
def test_messages_that_went_astray_are_counted(case: Case, change, fault: str) -> None:
    judge(case, entries(), turns(case, change(messages_of(entries()))))
    assert case.faults[fault]


def test_a_call_that_ran_again_is_counted(case: Case) -> None:
    again = Side(Desk(1, case.desk.folder, "", case.desk.store, attempt=1))
    again.note("book", 3, "began")
    judge(case, entries(), turns(case))
    assert case.faults["completed and run again"] == 1
    assert case.faults["unknown and run again"] == 1
    again.note("book", 3, "done")
    judge(case, entries(), turns(case))
    assert case.faults["booked twice"] == 1


def test_what_an_agent_said_stands_together_in_its_session_or_is_missed() -> None:
    whole = [Message(text) for text in ("before", *texts(3), "after")]
    assert is_kept(3, whole)
    assert not is_kept(3, [*whole[:5], Message("between"), *whole[5:]])
    assert not is_kept(3, whole * 2)
    assert not is_kept(4, whole)


def test_agents_share_a_store() -> None:
    kept = anyio.run(on_sqlite, 7)
    assert kept.row()[:5] == ("SQLite, 1 process", "7", "7", "7", "0")


def test_a_run_is_killed_and_resumed_and_another_has_a_full_disk(tmp_path: Path) -> None:
    (case,), full = anyio.run(partial(killed, 1, tmp_path))
    assert case.hits
    assert +case.faults == {}
    assert ({*full.errors}, full.sound, +full.case.faults) == ({"StoreError"}, True, {})
