from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from agentmaker.calls.call import Call
from agentmaker.calls.setting import Setting
from agentmaker.context.budget import WindowBudgetConfig
from agentmaker.context.measure import REPLY_PRIMING, tools_tokens
from agentmaker.context.sources import CallableSource
from agentmaker.errors import ContextWindowExceeded
from agentmaker.steps import measure
from agentmaker.tokens import count_tokens
from tests.steps.line import call_of, nobody, prepared

pytestmark = pytest.mark.anyio

SYSTEM = {"role": "system", "content": "s" * 400}
QUESTION = {"role": "user", "content": "q"}
TOOL = {"type": "function", "function": {"name": "f", "description": "d" * 4_000}}


async def measured(call: Call) -> Any:
    done = await measure.step(call, nobody)
    assert done.plan is not None
    return done.plan


async def test_what_is_fixed_is_counted_as_it_is_sent() -> None:
    plan = await measured(call_of([SYSTEM, QUESTION], Setting(window=8_000), tools=[TOOL]))
    assert plan.room.system == 100 + 4 + REPLY_PRIMING
    assert plan.room.tools == tools_tokens([TOOL], count_tokens)


async def test_a_response_format_is_counted_too() -> None:
    call = call_of([QUESTION], Setting(window=8_000))
    call = replace(call, window=replace(call.window, response_format={"type": "json_object"}))
    assert (await measured(call)).room.response_format > 0


async def test_case_107_the_room_is_what_the_reserve_leaves() -> None:
    room = (await measured(call_of([QUESTION], Setting(window=131_072, output_tokens=65_536)))).room
    assert room.shared == 131_072 - 65_536 - room.fixed - room.margin


async def test_a_cap_the_caller_sent_is_reserved_to_the_token() -> None:
    room = (
        await measured(call_of([QUESTION], Setting(window=8_000), params={"max_tokens": 700}))
    ).room
    assert (room.output, room.least_output) == (700, 700)


@pytest.mark.parametrize("cap", [32_000, 64_000])
async def test_case_106_a_cap_as_large_as_the_window_is_refused_by_name(cap: int) -> None:
    with pytest.raises(ContextWindowExceeded, match="the output cap"):
        await measured(call_of([QUESTION], Setting(window=32_000), params={"max_tokens": cap}))


async def test_case_91_tools_over_the_window_are_named_before_any_source_is_asked() -> None:
    asked: list[str] = []
    source = CallableSource("rag", lambda query: asked.append(query) or [])
    call = call_of([QUESTION], Setting(window=1_000, sources=(source,)), tools=[TOOL])
    with pytest.raises(ContextWindowExceeded) as caught:
        await prepared(call)
    assert caught.value.part == "the tools"
    assert "the system prompt" in str(caught.value)
    assert asked == []


async def test_a_question_over_the_window_is_named_before_any_source_is_asked() -> None:
    asked: list[str] = []
    source = CallableSource("rag", lambda query: asked.append(query) or [])
    call = call_of(
        [{"role": "user", "content": "q" * 9_000}], Setting(window=1_000, sources=(source,))
    )
    with pytest.raises(ContextWindowExceeded) as caught:
        await prepared(call)
    assert caught.value.part == "the question"
    assert asked == []


async def test_case_109_no_account_is_negative_when_the_prompt_outgrows_the_window() -> None:
    long = [QUESTION, {"role": "assistant", "content": "a" * 17_000}] * 3 + [QUESTION]
    done = await prepared(call_of(long, Setting(window=4_096)))
    assert done.ledger is not None
    assert done.ledger["output"].used >= 1
    assert sum(row.used for row in done.ledger) == 4_096


async def test_the_margin_is_wider_where_tokens_are_estimated() -> None:
    estimated = (await measured(call_of([QUESTION], Setting(window=32_000)))).room.margin

    class Exact:
        exact = True
        name = "exact"

        def __call__(self, text: str) -> int:
            return len(text)

    exact = (
        await measured(call_of([QUESTION], Setting(window=32_000, counter=Exact())))
    ).room.margin
    assert exact < estimated


async def test_sources_have_a_share_only_where_there_are_some() -> None:
    source = CallableSource("rag", lambda query: [])
    without = (await measured(call_of([QUESTION], Setting(window=8_000)))).room
    with_one = (await measured(call_of([QUESTION], Setting(window=8_000, sources=(source,))))).room
    assert without.block == 0
    assert with_one.block == pytest.approx(with_one.shared * 0.35, abs=2)


async def test_the_window_shares_add_up_for_a_small_window() -> None:
    budget = WindowBudgetConfig(desired_output_tokens=100, min_output_tokens=50)
    room = (await measured(call_of([QUESTION], Setting(window=400, budget=budget)))).room
    assert (room.output, room.least_output) == (100, 50)
    assert room.most - room.shared == 50


async def test_case_28_a_crowded_window_is_said_once(caplog: pytest.LogCaptureFixture) -> None:
    crowded = [{"role": "system", "content": "s" * 16_000}, QUESTION]
    setting = Setting(window=8_000)
    for _ in range(3):
        await measured(call_of(crowded, setting))
    (said,) = [record for record in caplog.records if "crowd the window" in record.message]
    assert "4007" in said.message


async def test_a_reserve_nobody_asked_for_leaves_the_conversation_a_quarter() -> None:
    crowded = [{"role": "system", "content": "s" * 14_000}, QUESTION]
    room = (await measured(call_of(crowded, Setting(window=8_000)))).room
    assert room.output < 4_000
    assert room.shared == room.most // 4
    asked_for = (await measured(call_of(crowded, Setting(window=8_000, output_tokens=3_900)))).room
    assert asked_for.output == 3_900
