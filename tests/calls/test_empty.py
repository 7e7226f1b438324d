from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmaker.calls.call import Call, Reply, Usage
from agentmaker.calls.empty import LEAST_FULL, found_no_room, is_starved, roomier
from agentmaker.calls.room import output_cap
from agentmaker.messages import ToolCall
from tests.calls.talk import call_of, ledger_of, settled, user

CALL = call_of(user(), window=8_000)


def ended(
    reason: str | None = "length",
    *,
    prompt: int | None = 100,
    spent: int | None = 0,
    content: str | None = None,
    **given: Any,
) -> Reply:
    usage = Usage(prompt_tokens=prompt, completion_tokens=spent)
    return settled(content, finish_reason=reason, usage=usage, **given)


@pytest.mark.parametrize(
    "reason", ["model_context_window_exceeded", "context_length", "MAX_CONTEXT"]
)
def test_case_56_a_finish_that_names_the_window_means_it_was_full(reason):
    assert found_no_room(ended(reason, prompt=1), CALL)


def test_case_56_so_does_a_length_of_nothing_behind_a_full_prompt():
    assert found_no_room(ended(prompt=8_000), CALL)


def test_a_window_may_be_smaller_than_we_believe():
    assert found_no_room(ended(prompt=LEAST_FULL), CALL)
    assert not found_no_room(ended(prompt=LEAST_FULL - 1), CALL)


def test_without_usage_our_own_count_says_how_full_it_was():
    reply = settled(None, finish_reason="length", ledger=ledger_of(8_000, 7_900))
    assert found_no_room(reply, CALL)
    assert not found_no_room(settled(None, finish_reason="length"), CALL)


def test_thoughts_that_reached_the_end_of_the_window_had_no_room():
    assert found_no_room(ended(prompt=7_000, spent=1_000, reasoning="hm"), CALL)
    assert not found_no_room(ended(prompt=1_000, spent=1_000, reasoning="hm"), CALL)


@pytest.mark.parametrize("reason", ["stop", "tool_calls", "content_filter", "whatever", None])
def test_case_56_other_finishes_are_no_overflow(reason):
    assert not found_no_room(ended(reason, prompt=8_000), CALL)
    assert not is_starved(ended(reason), CALL)


SAID = [
    settled("Hi", finish_reason="length", usage=Usage(prompt_tokens=8_000)),
    settled(None, finish_reason="length", tool_calls=(ToolCall(id="c", name="f", arguments="{"),)),
    Reply(finish_reason="length"),
    *(
        settled(None, finish_reason="length", raw={"choices": choices})
        for choices in (
            [{"message": {"content": "", "refusal": "I can"}}],
            [{"message": {"content": ""}}, {"index": 1, "message": {"content": "Hi"}}],
        )
    ),
]


@pytest.mark.parametrize("reply", SAID)
def test_a_reply_that_says_something_is_neither(reply):
    assert not found_no_room(reply, CALL)
    assert not is_starved(reply, CALL)


@pytest.mark.parametrize("content", [None, "", " \n"])
def test_a_length_spent_in_silence_was_spent_on_thinking(content):
    assert is_starved(ended(spent=300, content=content, reasoning="let me think"), CALL)


def capped(most: int, **params: Any) -> Call:
    return call_of(user(), window=8_000, params={"max_tokens": most, **params})


def test_who_asks_for_a_token_wants_no_more():
    assert not is_starved(ended(spent=1), capped(1))
    assert not is_starved(ended(spent=300), capped(300, logprobs=True))
    assert is_starved(ended(spent=300), capped(300))
    assert not is_starved(ended(spent=1, reasoning="hm"), capped(1))


def test_a_cap_that_was_spent_near_the_end_of_the_window_starved_the_reply():
    reply = ended(prompt=7_000, spent=500, reasoning="hm")
    assert not found_no_room(reply, capped(500))
    assert found_no_room(reply, capped(600))


@pytest.mark.parametrize("name", ["max_tokens", "max_completion_tokens"])
def test_a_starved_reply_gets_more_output_under_the_name_the_caller_used(name):
    call = roomier(call_of(user(), window=200_000, params={name: 2_000}), ended(spent=2_000))
    assert call is not None
    assert call.params == {name: 8_000}


def test_a_cap_of_the_server_s_own_is_raised_too():
    call = roomier(CALL, ended(spent=256))
    assert call is not None
    assert call.params == {"max_tokens": 4_096}


@given(
    window=st.integers(1_000, 200_000),
    cap=st.none() | st.integers(1, 100_000),
    prompt=st.integers(0, 200_000),
    spent=st.integers(0, 100_000),
)
def test_more_is_more_and_takes_only_what_is_free(window, cap, prompt, spent):
    params = {} if cap is None else {"max_tokens": cap}
    call: Call | None = roomier(
        call_of(user(), window=window, params=params), ended(prompt=prompt, spent=spent)
    )
    if call is not None:
        more = output_cap(call.params)
        assert more is not None
        assert max(cap or 0, spent) < more <= window - prompt
