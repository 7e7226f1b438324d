"""What leaves for every window there can be: whole batches, or an error that says why."""

from __future__ import annotations

from typing import Any

import pytest

from agentmaker import AgentmakerConfig, ContextWindowExceeded, WindowBudgetConfig
from agentmaker.clients.fit import Fitter
from agentmaker.testing import violations
from tests.calls.talk import assistant, calls, result, roles, user

pytestmark = pytest.mark.usefixtures("by_the_rule")

HUGE_CALL = [
    user("go and look"),
    calls("c1", arguments='{"topic": "' + "x" * 900 + '"}'),
    result("c1"),
    assistant("done"),
    user("thanks"),
]
HUGE_RESULT = [user("q"), calls("a", "b"), result("a", "A"), result("b", "B " * 900)]


async def sent(messages: list[dict[str, Any]], window: int) -> list[dict[str, Any]] | None:
    budget = WindowBudgetConfig(min_output_tokens=1, desired_output_tokens=1)
    fitter = Fitter(window=window, config=AgentmakerConfig(window_budget=budget))
    try:
        fitted = await fitter.fit(messages)
    except ContextWindowExceeded:
        return None
    assert sum(row.used for row in fitted.ledger) == window
    return fitted.messages


@pytest.mark.anyio
@pytest.mark.parametrize("messages", [HUGE_CALL, HUGE_RESULT])
async def test_case_1_and_2_every_window_gets_whole_batches_or_a_named_error(messages):
    outcomes = [await sent(messages, window) for window in range(1, 700)]
    assert all(violations({"messages": each}) == [] for each in outcomes if each)
    fits = [each is not None for each in outcomes]
    assert fits == sorted(fits)
    assert outcomes[-1] == messages


@pytest.mark.anyio
async def test_case_1_a_call_is_never_cut_off_from_its_result():
    for window in range(1, 700):
        messages = await sent(HUGE_CALL, window) or []
        assert roles(messages).count("tool") == sum("tool_calls" in each for each in messages)


@pytest.mark.anyio
async def test_case_2_a_result_that_is_too_big_is_shortened_and_not_removed():
    for window in range(1, 700):
        messages = await sent(HUGE_RESULT, window)
        if messages is not None:
            assert [each["tool_call_id"] for each in messages if each["role"] == "tool"] == [
                "a",
                "b",
            ]


@pytest.mark.anyio
async def test_case_109_a_prompt_above_the_window_is_refused_here_and_not_by_a_negative_cap():
    with pytest.raises(ContextWindowExceeded, match="the question") as error:
        await Fitter(window=4_096).fit([user("word " * 4_282)])
    assert error.value.needed > error.value.room > 0
