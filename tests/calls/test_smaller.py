from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmaker import WindowBudgetConfig
from agentmaker.calls.call import Call, Usage
from agentmaker.calls.refusals.overflow import Overflow, PromptRefused
from agentmaker.calls.room import Fixed, reserve, shared_out
from agentmaker.calls.setting import Setting
from agentmaker.calls.smaller import (
    LEAST_OUTPUT,
    LEAST_WINDOW,
    SPREAD,
    believed,
    capped,
    learnable,
    smaller,
    within,
)
from tests.calls.talk import call_of, ledger_of, settled, user


def refused(call: Call, estimate: int, **stated: Any) -> PromptRefused:
    ledger = ledger_of(call.setting.window, estimate)
    return PromptRefused(Overflow(message="too long", **stated), ledger, ValueError())


def most(call: Call) -> int:
    """Tokens that the prompt of *call* can have, by our count."""
    return call.setting.window - reserve(call.setting, call.params)[1]


sizes = st.integers(1_024, 60_000)
shares = st.floats(0.05, 1)
ratios = st.floats(0.5, 2)


@given(sizes, sizes, st.one_of(st.none(), st.integers(1, 30_000)), st.data())
def test_it_fits_by_construction_while_texts_count_alike(window, limit, cap, data):
    call = call_of(user(), window=window, params={"max_tokens": cap} if cap else {})
    estimate = data.draw(st.integers(1, window))
    ratio = data.draw(ratios)
    prompt = int(estimate * ratio)
    again = smaller(call, refused(call, estimate, limit=limit, prompt=prompt))
    reply = reserve(again.setting, again.params)[1]
    kept = min(most(again), estimate)
    # What is kept counts as the whole did, or a quarter more.
    counted = kept * max(1.0, prompt / estimate) * SPREAD
    if prompt + (cap or 1) > limit and limit - reply >= 2 and prompt > limit - reply:
        assert counted + reply <= limit + 1


@given(sizes, sizes, st.one_of(st.none(), st.integers(1, 30_000)), st.data())
def test_it_is_never_what_was_refused(window, limit, cap, data):
    call = call_of(user(), window=window, params={"max_tokens": cap} if cap else {})
    estimate = data.draw(st.integers(2, window))
    stated = {
        "limit": data.draw(st.one_of(st.none(), st.just(limit))),
        "prompt": data.draw(st.one_of(st.none(), st.integers(1, 120_000))),
        "excess": data.draw(st.one_of(st.none(), st.integers(1, 120_000))),
    }
    again = smaller(call, refused(call, estimate, **stated))
    assert again.params != call.params or most(again) < estimate


def test_case_50_where_the_prompt_fits_only_the_cap_gives_way():
    call = call_of(user(), window=1_048_576, params={"max_tokens": 252_973})
    again = smaller(call, refused(call, 815_916, limit=1_048_576, prompt=815_916))
    assert again.params["max_tokens"] == 1_048_576 - 815_916 - 1
    assert again.setting == call.setting


@pytest.mark.parametrize("stated", [{}, {"output": 3_000}])
def test_case_50_so_it_does_where_only_the_whole_request_is_counted(stated):
    call = call_of(user(), window=10_000, params={"max_tokens": 3_000})
    again = smaller(call, refused(call, 6_000, limit=8_000, total=9_000, **stated))
    assert (again.params, again.setting) == ({"max_tokens": 1_999}, call.setting)


def test_case_50_a_cap_goes_down_to_its_least_before_the_prompt_is_cut():
    call = call_of(user(), window=8_000, params={"max_completion_tokens": 4_000})
    again = smaller(call, refused(call, 3_900, limit=8_000, prompt=7_700))
    assert again.params["max_completion_tokens"] == LEAST_OUTPUT
    assert most(again) < 3_900


def test_no_cap_is_added():
    call = call_of(user(), window=8_000)
    assert smaller(call, refused(call, 7_000, limit=8_000, prompt=9_000)).params == {}


def test_a_cap_below_the_least_stays():
    call = call_of(user(), window=8_000, params={"max_tokens": 100})
    again = smaller(call, refused(call, 7_000, limit=4_000, prompt=7_000))
    assert again.params == {"max_tokens": 100}


@pytest.mark.parametrize(
    ("stated", "at_most"),
    [
        ({}, 6_000),
        ({"prompt": 9_000}, 6_000),
        ({"limit": 4_000}, (4_000 - 512) // 2),
        ({"limit": 4_000, "total": 9_000}, int((4_000 - 512) / (9_000 / 8_000 * SPREAD))),
        ({"excess": 1_000}, 5_600),
        ({"excess": 6_000}, 1_600),
        ({"excess": 100_000}, 3_200),
        ({"limit": 3, "prompt": 8}, 6_000),
        ({"limit": 8_000, "prompt": 5}, 6_000),
    ],
)
def test_what_the_server_leaves_open_is_taken_at_its_worst(stated, at_most):
    call = call_of(user(), window=10_000)
    assert most(smaller(call, refused(call, 8_000, **stated))) == at_most


def test_a_server_may_count_far_more_than_double():
    call = call_of(user(), window=8_000)
    again = smaller(call, refused(call, 4_000, limit=8_000, prompt=16_000))
    assert most(again) * 4 <= 8_000 - 512


def test_a_fill_that_would_grow_into_the_room_is_held_to_its_size():
    filling = Setting(window=8_000, budget=WindowBudgetConfig(low_water=1.0))
    call = call_of(user(), setting=filling, params={"max_tokens": 3_000})
    again = smaller(call, refused(call, 4_500, limit=6_000, prompt=4_500))
    assert most(again) < 4_500


def test_without_a_ledger_the_window_is_what_was_refused():
    call = call_of(user(), window=8_000)
    bare = PromptRefused(Overflow(message=""), None, ValueError())
    assert most(smaller(call, bare)) == 6_000


@pytest.mark.parametrize(
    ("limit", "found"), [(None, None), (3, None), (LEAST_WINDOW, LEAST_WINDOW), (9_000, 8_000)]
)
def test_a_limit_is_believed_within_bounds(limit, found):
    assert believed(Overflow(message="", limit=limit), 8_000) == found


@given(sizes, sizes, st.one_of(st.none(), st.integers(1, 60_000)), st.integers(1, 60_000))
def test_a_known_limit_leaves_room_for_the_conversation(window, limit, cap, output):
    setting = Setting(window=window, output_tokens=output)
    call = call_of(user(), setting=setting, params={"max_tokens": cap} if cap else {})
    held = within(call, limit)
    if limit >= window:
        assert held is call
    else:
        assert held.setting.window == limit
        assert shared_out(Fixed.of(held.window, held.setting), held.setting, held.params).shared > 0


def test_only_caps_above_the_most_are_lowered():
    call = call_of(user(), params={"max_tokens": 900, "max_completion_tokens": None, "n": 2})
    assert capped(call, 500).params == {**call.params, "max_tokens": 500}
    assert capped(call, 900) is call
    assert capped(replace(call, params={"max_tokens": -1}), 5).params == {"max_tokens": -1}


@pytest.mark.parametrize(
    ("stated", "learnt"),
    [
        ({"limit": 4_000, "prompt": 12_000}, 2_000),
        ({"limit": 4_000, "total": 12_000}, 2_000),
        ({"limit": 4_000, "prompt": 3_000}, 4_000),
        ({"limit": 4_000}, 4_000),
        ({"limit": LEAST_WINDOW, "prompt": 50_000}, LEAST_WINDOW),
        ({"limit": 10_000, "prompt": 12_000}, 5_000),
        ({"limit": 90_000, "prompt": 12_000}, None),
        ({"limit": 3, "prompt": 8}, None),
        ({}, None),
    ],
)
def test_a_limit_is_learnt_in_our_own_count(stated, learnt):
    call = call_of(user(), window=10_000)
    assert learnable(call, refused(call, 6_000, **stated)) == learnt


def test_what_calibration_has_learnt_is_not_made_up_for_twice():
    call = call_of(user(), window=10_000)
    error = refused(call, 6_000, limit=8_000, prompt=9_000)
    once = smaller(call, error).setting.window
    error.learnt = True
    assert learnable(call, error) == 8_000
    assert smaller(call, error).setting.window > once
    reply = settled(ledger=ledger_of(10_000, 1_000), usage=Usage(prompt_tokens=2_000), learnt=True)
    assert learnable(call, refused(call, 6_000, limit=8_000), reply) == 8_000


def test_what_pictures_cost_does_not_say_how_texts_are_counted():
    picture = {"type": "image_url", "image_url": {"url": "data:,"}}
    call = call_of(user([picture]), window=60_000)
    assert learnable(call, refused(call, 4_000, limit=32_768, prompt=45_000)) == 32_768


def test_where_only_the_limit_is_stated_the_next_usage_says_how_the_server_counts():
    call = call_of(user(), window=60_000)
    reply = settled(ledger=ledger_of(60_000, 1_000), usage=Usage(prompt_tokens=2_000))
    assert learnable(call, refused(call, 9_000, limit=4_096), reply) == 2_048
    assert learnable(call, refused(call, 9_000, limit=4_096), settled()) == 4_096


def test_a_limit_above_the_window_that_the_prompt_exceeds_says_by_how_much_to_shrink():
    call = call_of(user(), window=16_000)
    again = smaller(call, refused(call, 8_000, limit=1_000_000, prompt=3_000_000))
    assert most(again) == pytest.approx(8_000 / 3 / SPREAD, rel=0.02)
