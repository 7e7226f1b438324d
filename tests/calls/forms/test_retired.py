from __future__ import annotations

import pytest

from agentmaker.calls.forms.dialects import DEFAULT, GEMMA, MISTRAL, Dialect
from agentmaker.calls.forms.retired import Retired
from tests.calls.dialogue import sent
from tests.calls.talk import (
    assistant,
    calls,
    result,
    retired_call,
    retired_result,
    roles,
    user,
    window_of,
)

TALK = [user(), retired_call("f"), retired_result("f", "1"), retired_call("g"),
        retired_result("g", "2"), assistant(), user()]  # fmt: skip


@pytest.mark.parametrize("dialect", [DEFAULT, Dialect(ids="short"), Dialect(calls="single")])
def test_calls_of_the_retired_kind_stay_where_a_server_may_know_them(dialect):
    assert sent(dialect, *TALK) == TALK


def test_where_roles_alternate_they_become_calls_and_results_of_today():
    leave = sent(Dialect(roles="alternate"), *TALK)
    assert roles(leave) == ["user", "assistant", "tool", "assistant", "tool", "assistant", "user"]
    assert [each["tool_calls"][0]["function"] for each in leave if "tool_calls" in each] == [
        {"name": "f", "arguments": "{}"}, {"name": "g", "arguments": "{}"},
    ]  # fmt: skip
    made = [each["tool_calls"][0]["id"] for each in leave if "tool_calls" in each]
    assert made == [each["tool_call_id"] for each in leave if each["role"] == "tool"]
    assert len(set(made)) == 2
    assert not any("function_call" in each for each in leave)


def test_their_ids_are_short_where_a_server_wants_them_so():
    leave = sent(MISTRAL, *TALK)
    assert all(len(each["tool_call_id"]) == 9 for each in leave if each["role"] == "tool")


def test_for_a_server_without_tools_they_are_written_out():
    leave = sent(GEMMA, user(), retired_call("f"), retired_result("f", "1"))
    assert leave == [user(), assistant("[Call of f] {}"), user("[Result of f]\n1")]


def test_a_result_that_no_call_waits_for_is_dropped_as_those_of_today_are():
    talk = [user(), retired_result(), retired_call(), retired_result(), retired_result(), user()]
    assert roles(sent(MISTRAL, *talk)) == ["user", "assistant", "tool", "assistant", "user"]


def test_a_field_that_the_sdk_left_empty_is_no_call():
    empty = {**assistant(), "function_call": None}
    window = window_of(user(), empty, calls("c"), result("c"), user())
    assert Retired().window(window) is window


def test_the_same_message_becomes_the_same_object():
    retired, window = Retired(), window_of(*TALK)
    pairs = zip(retired.window(window).history, retired.window(window).history, strict=True)
    assert all(first is second for first, second in pairs)
