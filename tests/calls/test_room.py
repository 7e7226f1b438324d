from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmaker import ContextWindowExceeded, WindowBudgetConfig
from agentmaker.calls.room import Fixed, Room, output_cap, reserve, shared_out, told_as_counted
from agentmaker.calls.setting import Setting
from agentmaker.tokens import CountMemo
from tests.calls.talk import system, user, window_of

TOOL = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}


def room(window: int, params: dict[str, Any] | None = None, **given: Any) -> Room:
    content = window_of(system("rules " * 20), user(), tools=[TOOL])
    setting = Setting(window=window, **given)
    return shared_out(Fixed.of(content, setting), setting, params or {})


@pytest.mark.parametrize(
    ("params", "cap"),
    [
        ({}, None),
        ({"max_tokens": None}, None),
        ({"max_tokens": True}, None),
        ({"max_tokens": "512"}, None),
        ({"max_tokens": -1}, None),
        ({"max_tokens": 0}, None),
        ({"max_tokens": 700}, 700),
        ({"max_completion_tokens": 900}, 900),
        ({"max_completion_tokens": 700, "max_tokens": 900}, 900),
    ],
)
def test_case_109_a_cap_is_a_positive_number_under_either_name(params, cap):
    assert output_cap(params) == cap


def test_a_cap_of_the_caller_is_wish_and_least_at_once():
    assert reserve(Setting(window=8_000), {"max_tokens": 3_000}) == (3_000, 3_000)


def test_without_one_the_reserve_is_a_wish_that_may_sink():
    assert reserve(Setting(window=32_000), {}) == (4_096, 512)
    assert reserve(Setting(window=32_000, max_output=2_000), {}) == (2_000, 512)
    assert reserve(Setting(window=32_000, output_tokens=1_000), {}) == (1_000, 512)
    assert reserve(Setting(window=32_000, output_tokens=100), {}) == (100, 100)
    assert reserve(Setting(window=600), {}) == (300, 300)


@pytest.mark.parametrize(("window", "cap"), [(32_000, 32_000), (32_000, 64_000), (200, 199)])
def test_case_106_a_cap_that_fills_the_window_is_named_before_anything_is_sent(window, cap):
    with pytest.raises(ContextWindowExceeded, match="the output cap") as error:
        room(window, {"max_tokens": cap})
    assert error.value.needed > error.value.room >= 0


@pytest.mark.parametrize(("window", "wish"), [(32_000, 32_000), (32_000, 64_000), (200, 400)])
def test_case_106_a_wish_that_fills_the_window_is_held_to_its_share(window, wish):
    budget = WindowBudgetConfig(desired_output_tokens=wish)
    assert room(window, budget=budget).output == window // 2


def test_tools_that_fill_the_window_are_named_with_every_account():
    content = window_of(system(), user(), tools=[TOOL] * 400)
    setting = Setting(window=4_000)
    with pytest.raises(ContextWindowExceeded, match="no room for the tools") as error:
        shared_out(Fixed.of(content, setting), setting, {})
    assert "the output cap 512" in str(error.value)
    assert "a margin of 160" in str(error.value)


def test_exact_counters_need_less_margin():
    class Exact:
        exact = True

        def __call__(self, text: str) -> int:
            return len(text)

    assert room(8_000).margin == 320
    assert room(8_000, counter=CountMemo(Exact())).margin < 320


windows = st.integers(1, 40_000)
caps = st.one_of(st.none(), st.integers(1, 50_000))
budgets = st.builds(
    WindowBudgetConfig,
    desired_output_tokens=st.integers(1, 20_000),
    max_output_fraction=st.floats(0.05, 1),
    min_output_tokens=st.integers(1, 4_000),
    rag_ratio=st.floats(0, 1),
)


@given(windows, caps, budgets, st.one_of(st.none(), st.integers(1, 50_000)))
def test_case_107_no_account_is_negative_and_all_of_them_fit_the_window(
    window, cap, budget, output
):
    try:
        found = room(
            window, {"max_tokens": cap} if cap else {}, budget=budget, output_tokens=output
        )
    except ContextWindowExceeded:
        return
    assert 1 <= found.least_output <= found.output
    assert min(found.margin, found.shared, found.block) >= 0
    assert found.shared <= found.most
    assert found.fixed + found.margin + found.least_output + found.most == window


@pytest.mark.parametrize("window", [1, 9, 40, 67, 68])
def test_what_does_not_fit_is_always_more_than_what_is_free(window):
    budget = WindowBudgetConfig(min_output_tokens=1, desired_output_tokens=1)
    assert room(69, budget=budget).most == 1
    with pytest.raises(ContextWindowExceeded) as error:
        room(window, budget=budget)
    assert error.value.needed > error.value.room >= 0


def test_case_107_the_room_for_the_conversation_is_what_the_reserve_leaves():
    wide = room(131_072, budget=WindowBudgetConfig(desired_output_tokens=65_536))
    assert wide.shared == 131_072 - 65_536 - wide.fixed - wide.margin


@pytest.mark.parametrize("off", [-1, 0, 1])
def test_case_52_prompt_and_reserve_stay_below_the_window_by_the_margin(off):
    found = room(8_192, {"max_tokens": 7_377 + off})
    assert found.fixed + found.most + found.output <= 8_192 - found.margin
    assert found.margin >= 1


def test_a_block_has_no_share_where_there_are_no_sources():
    assert room(8_000).block == 0
    assert replace(room(8_000), block_share=0.35).block > 0


@given(
    st.floats(0.5, 2.0),
    st.integers(2_000, 200_000),
    st.integers(0, 600),
    st.integers(0, 600),
    st.integers(0, 1_200),
)
def test_what_fits_in_our_count_fits_in_that_of_the_provider(
    density: float, window: int, system: int, tools: int, come_to: int
):
    fixed = Fixed(system=system, tools=tools)
    counted = fixed.counted(density, come_to)
    account = Room(
        window=window,
        output=window // 4,
        least_output=256,
        system=counted.system,
        tools=counted.tools,
        margin=80,
    )
    ours = account.as_we_count(fixed, density)
    for room, reserve_ in ((ours.most, account.least_output), (ours.shared, account.output)):
        if room <= 0:
            continue
        sent = (room + fixed.system) * density + come_to
        assert sent + reserve_ + account.margin <= window + 1e-6


def test_a_provider_that_counts_as_we_do_leaves_the_room_as_it_is():
    fixed = Fixed(system=100, tools=50)
    account = Room(window=8_000, output=2_000, least_output=500, system=100, tools=50, margin=32)
    assert account.as_we_count(fixed, 1.0) is account


def test_what_is_too_large_is_told_as_the_provider_counts():
    found = ContextWindowExceeded("the question", 1_001, 1_000)
    told = told_as_counted(found, 1.5)
    assert (told.part, told.needed, told.room) == ("the question", 1_502, 1_500)
    assert told_as_counted(found, 1.0) is found
