from __future__ import annotations

import pytest

from agentmaker.context.reducers import reduce_plan, tokens_of
from agentmaker.errors import ConfigError, ContextWindowExceeded

MARK = "[Earlier Step Results Summary]"

pytestmark = pytest.mark.anyio


def results(n):
    return [
        f"Step {i}: look up the price\nResult: it is {i * 111 + 1000} EUR since 2024-0{i}-01, "
        + "as was written at some length in the source"
        for i in range(1, n + 1)
    ]


async def brief(text, instruction):
    return "Prices were looked up."


async def test_under_the_budget_the_same_object_comes_back():
    history = results(4)
    assert await reduce_plan(history, summarize=brief, budget=tokens_of(*history)) is history


async def test_recent_results_stay_and_older_ones_are_summarised_with_their_figures():
    history = results(8)
    reduced = await reduce_plan(history, summarize=brief, budget=215)
    assert reduced[0].startswith(f"{MARK}\nPrices were looked up.")
    assert reduced[1:] == history[-3:]
    for i in range(1, 6):
        assert f"Step {i}" in reduced[0]
        assert f"{i * 111 + 1000} EUR" in reduced[0]
    assert tokens_of(*reduced) <= 215


async def test_without_a_summariser_the_steps_are_extracted():
    reduced = await reduce_plan(results(8), summarize=None, budget=200, keep_recent=1)
    lines = reduced[0].splitlines()
    assert lines[0] == MARK
    assert any(line.startswith("Step 7: look up") for line in lines)
    assert tokens_of(*reduced) <= 200


async def test_an_earlier_summary_is_taken_up():
    once = await reduce_plan(results(8), summarize=None, budget=215)
    twice = await reduce_plan([*once, *results(2)], summarize=None, budget=220)
    assert "".join(twice).count(MARK) == 1
    assert "Step 5" in twice[0]


async def test_nothing_needs_to_stay_when_none_is_kept():
    reduced = await reduce_plan(results(8), summarize=brief, budget=60, keep_recent=0)
    assert len(reduced) == 1
    assert tokens_of(*reduced) <= 60


async def test_recent_results_that_do_not_fit_are_not_cut():
    history = results(8)
    with pytest.raises(ContextWindowExceeded) as caught:
        await reduce_plan(history, summarize=brief, budget=50)
    assert caught.value.needed == tokens_of(*history[-3:])
    assert caught.value.room == 50


@pytest.mark.parametrize("knob", ["keep_recent", "budget"])
async def test_a_negative_number_is_refused_by_name(knob):
    with pytest.raises(ConfigError, match=knob):
        await reduce_plan(results(2), summarize=brief, **{"budget": 10, knob: -1})
