from __future__ import annotations

import json
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import anyio
import pytest
from anyio.lowlevel import checkpoint

from agentmaker import CallableSource
from agentmaker.calls.call import Call
from agentmaker.calls.setting import Setting
from agentmaker.calls.views import Views
from agentmaker.context import counting, turns
from agentmaker.context.counting import count_messages
from agentmaker.messages import read_messages
from agentmaker.steps import count, measure
from agentmaker.tokens import CountMemo, ExactCounter, count_tokens
from agentmaker.tokens.pieces import PIECE
from tests.steps.line import call_of, nobody, prepared

pytestmark = pytest.mark.anyio

PIECES = 40
LONG = "x" * (PIECES * PIECE)
QUESTION = {"role": "user", "content": "q"}
COUNTED_IN_A_TURN = 8
"""Each encoding takes 2 ms by the clock of these tests, and a turn comes after 5 ms; in which
order tasks have theirs is for the loop to say."""


class Slow:
    """A vocabulary of letters, 16 to a token, that knows when the loop last had a turn."""

    def __init__(self) -> None:
        self.now = 0.0
        self.encoded: list[str] = []
        self.since_turn = self.most = self.turns = 0
        self.loop = threading.get_ident()
        self.memo = CountMemo(ExactCounter("letters", self.encode, lambda token: b"x" * 16))

    def encode(self, text: str) -> list[int]:
        self.now += 0.002
        self.encoded.append(text)
        if threading.get_ident() == self.loop:
            self.since_turn += 1
            self.most = max(self.most, self.since_turn)
        return [0] * -(-len(text) // 16)

    @asynccontextmanager
    async def watched(self) -> AsyncIterator[None]:
        """Another task takes every turn that it is given."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._turn)
            await checkpoint()
            yield
            tasks.cancel_scope.cancel()

    async def _turn(self) -> None:
        while True:
            self.since_turn = 0
            self.turns += 1
            await checkpoint()


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Slow:
    slow = Slow()
    monkeypatch.setattr(turns, "time", SimpleNamespace(perf_counter=lambda: slow.now))
    return slow


def setting(slow: Slow, **given: Any) -> Setting:
    return Setting(**{"window": 2_000_000, "counter": slow.memo, **given})


def step_of(arguments: str, result: Any) -> list[dict[str, Any]]:
    function = {"name": "look", "arguments": arguments}
    call = {"id": "c", "type": "function", "function": function}
    return [
        QUESTION,
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": result},
    ]


PLACES: dict[str, dict[str, Any]] = {
    "question": {"messages": [{"role": "user", "content": LONG}]},
    "system": {"messages": [{"role": "system", "content": LONG}, QUESTION]},
    "history": {"messages": [QUESTION, {"role": "assistant", "content": LONG}, QUESTION]},
    "reasoning": {
        "messages": [
            QUESTION,
            {"role": "assistant", "content": "a", "reasoning_content": LONG},
            QUESTION,
        ]
    },
    "part": {"messages": [{"role": "user", "content": [{"type": "text", "text": LONG}]}]},
    "odd part": {"messages": [{"role": "user", "content": [{"type": "odd", "odd": f"{LONG}."}]}]},
    "result": {"messages": step_of("{}", LONG)},
    "arguments": {"messages": step_of(json.dumps({"a": LONG}), "seen")},
    "tools": {
        "messages": [QUESTION],
        "tools": [{"type": "function", "function": {"name": "look", "description": LONG}}],
    },
}


def call_with(place: dict[str, Any], setting: Setting) -> Call:
    return call_of(place["messages"], setting, tools=place.get("tools", ()))


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES.keys())
async def test_the_loop_has_its_turns_while_a_long_text_is_counted(
    slow: Slow, place: dict[str, Any]
) -> None:
    async with slow.watched():
        await count.step(call_with(place, setting(slow)), nobody)
    assert len(slow.encoded) >= PIECES
    assert slow.most <= COUNTED_IN_A_TURN


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES.keys())
async def test_what_follows_only_looks_counts_up(slow: Slow, place: dict[str, Any]) -> None:
    call = await count.step(call_with(place, setting(slow)), nobody)
    counted = len(slow.encoded)
    await measure.step(call, nobody)
    assert len(slow.encoded) == counted


async def test_a_long_response_format_is_counted_in_pieces_too(slow: Slow) -> None:
    call = call_of([QUESTION], setting(slow))
    window = replace(call.window, response_format={"type": "json_schema", "json_schema": LONG})
    async with slow.watched():
        await count.step(replace(call, window=window), nobody)
    assert len(slow.encoded) >= PIECES
    assert slow.most <= COUNTED_IN_A_TURN


async def test_the_loop_has_its_turns_while_many_messages_are_counted(slow: Slow) -> None:
    many = [{"role": "user", "content": f"message {number}"} for number in range(1_000)]
    async with slow.watched():
        await count.step(call_of(many, setting(slow)), nobody)
    assert len(slow.encoded) >= 1_000
    assert slow.most <= COUNTED_IN_A_TURN


@pytest.mark.parametrize("window", [6_000, 20_000, 2_000_000])
async def test_the_loop_has_its_turns_through_all_the_steps(slow: Slow, window: int) -> None:
    async def found(query: str) -> list[str]:
        return [f"found {LONG}", "found a little"]

    given = setting(slow, window=window, sources=(CallableSource("rag", found),))
    messages = [
        {"role": "user", "content": "earlier"},
        {"role": "assistant", "content": LONG},
        *step_of(json.dumps({"a": LONG}), LONG),
    ]
    async with slow.watched():
        call = await prepared(call_of(messages, given))
    assert call.ledger is not None
    assert slow.most <= 2 * COUNTED_IN_A_TURN  # the last of one step and the first of the next


async def test_of_a_known_conversation_only_what_is_new_is_looked_at(
    slow: Slow, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = setting(slow, views=Views())
    talk = [{"role": "user", "content": f"message {number}"} for number in range(600)]
    messages = read_messages(talk)
    first = call_of(talk, given)
    first = replace(first, window=type(first.window).from_messages(messages))
    await prepared(first)
    looked: list[Any] = []

    def noting(message: Any, counter: Any) -> int:
        looked.append(message.content)
        return 0

    monkeypatch.setattr(counting, "message_tokens", noting)
    more = [*messages, *read_messages([{"role": "user", "content": "new"}])]
    await count.step(replace(first, window=type(first.window).from_messages(more)), nobody)
    assert looked == ["new"]


async def test_cancelled_between_two_pieces_it_leaves_nothing_half_remembered(slow: Slow) -> None:
    call = call_of([{"role": "user", "content": LONG}], setting(slow))
    with anyio.CancelScope() as scope:
        scope.cancel()
        await count.step(call, nobody)
    assert scope.cancelled_caught
    assert len(slow.encoded) < PIECES
    assert len(slow.memo) == 0
    await count.step(call, nobody)
    assert slow.memo(LONG) == len(LONG) // 16


async def test_the_turns_of_others_are_not_its_own_time(slow: Slow) -> None:
    async with anyio.create_task_group() as tasks:

        async def busy() -> None:
            while True:
                slow.now += 60.0
                await checkpoint()

        tasks.start_soon(busy)
        call = call_of([{"role": "user", "content": LONG}], setting(slow))
        counted = await count.step(call, nobody)
        tasks.cancel_scope.cancel()
    assert counted.own_ms <= call.own_ms - 60_000


async def test_a_counter_that_remembers_nothing_is_left_alone() -> None:
    call = call_of([QUESTION], Setting(window=8_000, counter=count_tokens))
    assert await count.step(call, nobody) is call
    await count_messages(call.window.conversation, count_tokens)
