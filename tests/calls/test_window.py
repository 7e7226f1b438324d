from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmaker.calls.window import Window
from agentmaker.messages import read_messages
from tests.calls.talk import assistant, calls, result, system, user, window_of

DEVELOPER = {"role": "developer", "content": "rules"}


def test_a_conversation_is_split_at_its_latest_question():
    window = window_of(system(), user("1"), assistant(), user("2"), calls("c"), result("c"))
    assert [each.text for each in window.system] == ["s"]
    assert [each.text for each in window.history] == ["1", "a"]
    assert window.question is not None
    assert window.question.text == "2"
    assert [each.role for each in window.trajectory.messages] == ["assistant", "tool"]


def test_case_101_leading_developer_messages_belong_to_the_system_part():
    window = window_of(DEVELOPER, system(), user())
    assert [each.role for each in window.system] == ["developer", "system"]


def test_system_messages_in_mid_list_do_not():
    window = window_of(user("1"), system(), user("2"))
    assert window.system == ()
    assert [each.role for each in window.history] == ["user", "system"]


def test_a_picture_right_behind_a_tool_result_is_no_question():
    picture = user([{"type": "image_url", "image_url": {"url": "https://example.com/i.png"}}])
    window = window_of(user("look"), calls("c"), result("c"), picture)
    assert window.question is not None
    assert window.question.text == "look"
    assert len(window.trajectory.messages) == 3


@pytest.mark.parametrize("messages", [[], [assistant()], [calls("c"), result("c"), user("late")]])
def test_without_a_question_everything_is_trajectory(messages):
    window = window_of(system(), *messages)
    assert window.question is None
    assert window.history == ()
    assert len(window.trajectory.messages) == len(messages)


kinds = st.sampled_from([user(), assistant(), system(), DEVELOPER, calls("c"), result("c")])


@given(st.lists(kinds, max_size=12))
def test_no_message_is_lost_doubled_or_moved_by_the_split(messages):
    given_messages = read_messages(messages)
    window = Window.from_messages(given_messages)
    assert (*window.system, *window.conversation) == given_messages


def test_the_conversation_is_that_of_the_segments_there_are():
    window = window_of(system(), user("1"), assistant(), user("2"), calls("c"), result("c"))
    assert window.conversation is window.conversation
    assert [each.role for each in window.conversation] == [
        "user",
        "assistant",
        "user",
        "assistant",
        "tool",
    ]
    shorter = replace(window, history=(), trajectory=replace(window.trajectory, messages=()))
    assert [each.text for each in shorter.conversation] == ["2"]
    assert replace(window) == window
