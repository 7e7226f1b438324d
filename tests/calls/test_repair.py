from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmaker.calls.repair import EMPTY, encodable, repair
from agentmaker.messages import Message, read_messages

MISSING = "no result"


def mend(*messages: dict[str, Any]) -> list[dict[str, Any]]:
    repaired = repair(read_messages(messages), missing=MISSING)
    return [message.to_wire() for message in repaired.messages]


def defects(*messages: dict[str, Any]) -> tuple[str, ...]:
    return repair(read_messages(messages), missing=MISSING).defects


def calls(*ids: Any, arguments: Any = "{}") -> dict[str, Any]:
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": id, "type": "function", "function": {"name": "f", "arguments": arguments}}
            for id in ids
        ],
    }


def result(id: Any, content: Any = "ok") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": id, "content": content}


def user(content: Any = "q") -> dict[str, Any]:
    return {"role": "user", "content": content}


def assistant(content: Any = "a") -> dict[str, Any]:
    return {"role": "assistant", "content": content}


def test_case_4_a_healthy_batch_is_left_alone_whatever_order_its_results_come_in() -> None:
    healthy = [user(), calls("A", "B"), result("B"), result("A"), assistant()]
    assert mend(*healthy) == healthy
    assert defects(*healthy) == ()


def test_case_5_an_id_used_again_is_paired_by_position_and_renamed() -> None:
    mended = mend(calls("call_0"), result("call_0", "first"), calls("call_0"), user("next"))
    assert mended[1]["content"] == "first"
    assert mended[2]["tool_calls"][0]["id"] == mended[3]["tool_call_id"] == "call_0_2"
    assert mended[3]["content"] == MISSING


def test_case_5_renaming_does_not_depend_on_what_comes_later() -> None:
    turns = [calls("c"), result("c"), calls("c"), result("c"), calls("c"), result("c")]
    assert mend(*turns)[:4] == mend(*turns[:4])


def test_case_7_a_second_result_for_one_call_is_dropped_and_said() -> None:
    assert mend(calls("c1"), result("c1", "one"), result("c1", "two"))[1:] == [result("c1", "one")]
    assert any("dropped" in line for line in defects(calls("c1"), result("c1"), result("c1")))


@pytest.mark.parametrize("empty", ["", None])
def test_case_8_an_empty_id_is_invented_once_for_both_sides(empty: str | None) -> None:
    mended = mend(calls(empty), result(empty))
    assert mended[0]["tool_calls"][0]["id"] == mended[1]["tool_call_id"] == "call_1"
    assert mended[1]["content"] == "ok"


def test_case_10_a_call_that_was_interrupted_gets_a_stand_in() -> None:
    mended = mend(user(), calls("c1"), user("never mind"))
    assert mended[2] == result("c1", MISSING)
    assert mended[3] == user("never mind")


@pytest.mark.parametrize(
    ("given_arguments", "sent"),
    [
        (None, {}),
        ("", {}),
        ({"a": 1}, {"a": 1}),
        (5, {"value": 5}),
        ("[1]", {"value": [1]}),
        ('{"path": "/a', {"arguments": '{"path": "/a'}),
    ],
)
def test_case_13_arguments_leave_as_a_json_object(given_arguments: Any, sent: Any) -> None:
    mended = mend(calls("c", arguments=given_arguments), result("c"))
    assert json.loads(mended[0]["tool_calls"][0]["function"]["arguments"]) == sent


def test_case_14_a_note_with_an_invented_id_does_not_leave_as_a_result() -> None:
    assert mend(user(), result("system", "output cut"), assistant()) == [user(), assistant()]


def test_valid_arguments_keep_their_spelling() -> None:
    spelled = calls("c", arguments='{ "a":1.0 }')
    assert mend(spelled, result("c"))[0] == spelled


def test_a_result_behind_another_message_moves_next_to_its_call() -> None:
    mended = mend(calls("c"), user("meanwhile"), result("c", "late"))
    assert [message["role"] for message in mended] == ["assistant", "tool", "user"]
    assert mended[1]["content"] == "late"


def test_calls_split_over_two_messages_keep_their_results() -> None:
    mended = mend(calls("A"), calls("B"), result("A", "a"), result("B", "b"))
    assert [message.get("content") for message in mended] == [None, "a", None, "b"]


def test_a_custom_tool_keeps_its_free_text() -> None:
    custom = {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c", "type": "custom", "custom": {"name": "sh", "input": "ls -l"}}],
    }
    assert mend(custom, result("c"))[0] == custom


def test_case_103_a_message_that_says_nothing_is_not_sent() -> None:
    mended = mend(user(), assistant(""), {**calls("c"), "content": ""}, result("c"))
    assert [message["role"] for message in mended] == ["user", "assistant", "tool"]
    assert mended[1]["content"] is None


@pytest.mark.parametrize("spoken", [{"refusal": "no"}, {"audio": {"id": "a"}}])
def test_a_refusal_or_audio_alone_is_a_message(spoken: dict[str, Any]) -> None:
    message = {"role": "assistant", "content": None, **spoken}
    assert mend(user(), message)[1] == message


def test_the_last_user_message_is_never_lost_even_when_it_is_empty() -> None:
    assert mend(user("hi"), assistant(), user("  "))[-1] == user(EMPTY)


def test_blank_and_odd_content_parts_are_mended() -> None:
    parts = ["b", None, 3, {"text": "a"}, {"type": "text", "text": " "}, {"type": "refusal"}]
    assert mend(user(parts))[0]["content"] == [
        {"type": "text", "text": "b"},
        {"type": "text", "text": "3"},
        {"type": "text", "text": "a"},
        {"type": "refusal"},
    ]


def test_a_surrogate_pair_is_joined_and_a_stray_one_replaced() -> None:
    assert encodable("\ud83d\ude00") == "\U0001f600"
    assert encodable("a\ud83db") == "a\ufffdb"
    assert mend(user("x\ud83d"))[0]["content"] == "x\ufffd"


def test_unknown_keys_survive_a_repair() -> None:
    odd = {**calls("c"), "reasoning_content": "r"}
    odd["tool_calls"][0]["extra_content"] = {"signature": "s"}
    mended = mend(odd, user())
    assert mended[0] == odd


ids = st.sampled_from(["a", "b", "c", "", None])
contents = st.sampled_from(["text", "", " ", None, [], ["part"], [{"type": "text", "text": "t"}]])
arguments = st.sampled_from(["{}", '{"x": 1}', "", None, {"y": 2}, 7, "{broken", "[]"])
random_messages = st.lists(
    st.one_of(
        st.builds(user, contents),
        st.builds(assistant, contents),
        st.builds(lambda given, args: calls(*given, arguments=args), st.lists(ids, min_size=1, max_size=3), arguments),
        st.builds(result, ids, contents),
        st.builds(lambda content: {"role": "system", "content": content}, contents),
    ),
    max_size=12,
)


@given(random_messages)
def test_whatever_is_mended_is_valid_and_mending_it_again_changes_nothing(
    messages: list[dict[str, Any]],
) -> None:
    before = copy.deepcopy(messages)
    once = mend(*messages)
    assert messages == before
    assert mend(*once) == once
    assert_paired(once)


def assert_paired(messages: list[dict[str, Any]]) -> None:
    seen: set[str] = set()
    index = 0
    while index < len(messages):
        message = messages[index]
        index += 1
        assert message["role"] != "tool"
        waiting = {call["id"] for call in message.get("tool_calls") or ()}
        assert len(waiting) == len(message.get("tool_calls") or ())
        assert not waiting & seen
        seen |= waiting
        while waiting:
            assert messages[index]["role"] == "tool"
            waiting.remove(messages[index]["tool_call_id"])
            index += 1


def test_messages_that_are_no_dictionaries_are_read_too() -> None:
    repaired = repair([Message("hi")], missing=MISSING)
    assert repaired.messages[0].content == "hi"
    assert repaired.defects == ()
