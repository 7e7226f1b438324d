from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmaker.calls.forms.repair import UNNAMED, repair
from agentmaker.messages import Message, ToolCall, read_messages
from agentmaker.prompts import DEFAULT_PROMPTS
from agentmaker.testing import violations
from tests.calls.talk import assistant, calls, result, roles, system, user

MISSING = "no result"
EMPTY = "nothing was said"
PROMPTS = DEFAULT_PROMPTS.with_overrides(
    {"wire.missing_result": MISSING, "wire.empty_message": EMPTY}
)


def mend(*messages: dict[str, Any]) -> list[dict[str, Any]]:
    repaired = repair(read_messages(messages), PROMPTS)
    return [message.to_wire() for message in repaired.messages]


def defects(*messages: dict[str, Any]) -> str:
    return "\n".join(repair(read_messages(messages), PROMPTS).defects)


def test_case_4_a_healthy_batch_is_left_alone_whatever_order_its_results_come_in():
    healthy = [user(), calls("A", "B"), result("B"), result("A"), assistant()]
    assert mend(*healthy) == healthy
    assert defects(*healthy) == ""


def test_case_5_an_id_used_again_is_paired_by_position_and_renamed():
    mended = mend(calls("call_0"), result("call_0", "first"), calls("call_0"), user("next"))
    assert mended[1]["content"] == "first"
    assert mended[2]["tool_calls"][0]["id"] == mended[3]["tool_call_id"] == "call_0_2"
    assert mended[3]["content"] == MISSING


def test_case_5_renaming_does_not_depend_on_what_comes_later():
    turns = [calls("c"), result("c"), calls("c"), result("c"), calls("c"), result("c")]
    assert mend(*turns)[:4] == mend(*turns[:4])


def test_one_id_twice_in_a_batch_is_told_apart():
    mended = mend(calls("c", "c"), result("c", "one"), result("c", "two"))
    assert [each["id"] for each in mended[0]["tool_calls"]] == ["c", "c_2"]
    assert mended[1:] == [result("c", "one"), result("c_2", "two")]


def test_case_7_the_first_result_of_a_call_wins_and_the_drop_is_said_with_its_id():
    twice = [calls("c1"), result("c1", "one"), result("c1", "two")]
    assert mend(*twice)[1:] == [result("c1", "one")]
    assert defects(*twice) == "results dropped whose call is missing or answered: c1"


@pytest.mark.parametrize("empty", ["", None])
def test_case_8_an_empty_id_is_invented_once_for_both_sides(empty):
    mended = mend(calls(empty), result(empty))
    assert mended[0]["tool_calls"][0]["id"] == mended[1]["tool_call_id"] == "call_1"
    assert mended[1]["content"] == "ok"


def test_case_10_a_call_that_was_interrupted_gets_a_stand_in():
    mended = mend(user(), calls("c1"), user("never mind"))
    assert mended[2:] == [result("c1", MISSING), user("never mind")]


def test_case_10_the_results_a_batch_does_have_stay():
    mended = mend(calls("a", "b", "c"), result("b", "B"), user("stop"))
    assert mended[1:4] == [result("b", "B"), result("a", MISSING), result("c", MISSING)]


def test_case_14_a_note_with_an_invented_id_does_not_leave_as_a_result():
    assert mend(user(), result("system", "output cut"), assistant()) == [user(), assistant()]


def test_results_before_any_call_are_dropped():
    assert mend(result("c"), user()) == [user()]


def test_a_result_behind_another_message_moves_next_to_its_call():
    mended = mend(calls("c"), user("meanwhile"), result("c", "late"))
    assert roles(mended) == ["assistant", "tool", "user"]
    assert mended[1]["content"] == "late"


def test_calls_split_over_two_messages_keep_their_results():
    mended = mend(calls("A"), calls("B"), result("A", "a"), result("B", "b"))
    assert [message["content"] for message in mended] == [None, "a", None, "b"]


def test_valid_arguments_keep_their_spelling():
    spelled = calls("c", arguments='{ "a":1.0 }')
    assert mend(spelled, result("c"))[0] == spelled


def custom(given_input: Any) -> dict[str, Any]:
    call = {"id": "c", "type": "custom", "custom": {"name": "sh", "input": given_input}}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def test_a_custom_tool_keeps_its_free_text():
    assert mend(custom("ls -l"), result("c")) == [custom("ls -l"), result("c")]


@pytest.mark.parametrize(("odd", "text"), [(None, ""), (5, "5"), ("\ud83d", "\ufffd")])
def test_what_a_custom_tool_was_given_leaves_as_text(odd, text):
    assert mend(custom(odd), result("c"))[0] == custom(text)


def test_a_call_without_type_or_name_gets_both():
    bare = {"id": "c", "function": {"name": "", "arguments": "{}"}}
    (call,) = mend({**assistant(None), "tool_calls": [bare]}, result("c"))[0]["tool_calls"]
    assert (call["type"], call["function"]["name"]) == ("function", UNNAMED)


def test_calls_and_results_of_the_retired_kind_pass():
    call = {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": ""}}
    answer = {"role": "function", "name": "f", "content": "ok"}
    assert mend(user(), call, answer) == [user(), call, answer]


def test_a_user_message_that_is_empty_has_the_same_bytes_now_and_later():
    later = mend(user("hi"), assistant(), user(" "), assistant(), user("so?"))
    assert later[:3] == mend(user("hi"), assistant(), user(" "))
    assert later[2] == user(EMPTY)


def test_case_103_and_104_unknown_keys_survive_a_repair():
    odd = {**calls("c"), "content": "", "reasoning_content": "r"}
    odd["tool_calls"][0]["extra_content"] = {"signature": "s"}
    assert mend(odd, user())[0] == {**odd, "content": None}


def test_calls_made_by_hand_are_healthy():
    call = ToolCall(id="c", name="f", arguments="{}")
    made = [Message(None, "assistant", tool_calls=(call,)), Message("ok", "tool", tool_call_id="c")]
    repaired = repair(made)
    assert repaired.defects == ()
    assert all(new is old for new, old in zip(repaired.messages, made, strict=True))


def test_every_message_says_where_it_came_from():
    repaired = repair(read_messages([assistant(""), calls("a", "b"), user(), result("b")]))
    assert [each.role for each in repaired.messages] == ["assistant", "tool", "tool", "user"]
    assert repaired.origins == (1, 3, 1, 2)


ids = st.sampled_from(["a", "b", "call_0", "", None, 5, "\ud83d"])
contents = st.sampled_from(
    ["text", "", " ", None, [], ["part"], [{"type": "text", "text": "t"}], 5, {"a": 1}, "\ud83d",
     [None, 3, {"text": "a"}, {"type": "refusal"}], [{"type": "image_url", "image_url": "\ud83d"}]]
)  # fmt: skip
arguments = st.sampled_from(
    ["{}", '{"x": 1}', "", None, {"y": 2}, 7, "{broken", "[]", '{"a": NaN}']
)


@st.composite
def tool_calls(draw: st.DrawFn) -> dict[str, Any]:
    said = {"name": draw(st.sampled_from(["f", "", None, 5])), "arguments": draw(arguments)}
    plain = {"id": draw(ids), "type": "function", "function": said}
    free = {"id": draw(ids), "type": "custom", "custom": {"name": "f", "input": draw(arguments)}}
    untyped = {"id": draw(ids), "function": said, "extra": draw(st.sampled_from(["x", "\ud83d"]))}
    return draw(st.sampled_from([plain, free, untyped]))


@st.composite
def random_messages(draw: st.DrawFn) -> dict[str, Any]:
    role = draw(st.sampled_from(["user", "assistant", "system", "developer", "tool", "function"]))
    message: dict[str, Any] = {"role": role, "content": draw(contents)}
    if role == "tool":
        message["tool_call_id"] = draw(ids)
    extras = {
        "tool_calls": st.one_of(st.none(), st.lists(tool_calls(), max_size=3)),
        "name": st.sampled_from(["", "n", None, "\ud83d"]),
        "reasoning_content": st.sampled_from(["r", "r\ud83d", ""]),
    }
    return message | draw(st.fixed_dictionaries({}, optional=extras))


conversations = st.lists(random_messages(), min_size=1, max_size=10)


@given(conversations)
def test_whatever_is_mended_is_valid_and_the_caller_s_list_is_not_touched(messages):
    before = copy.deepcopy(messages)
    mended = mend(*messages)
    assert messages == before
    if mended:
        assert violations({"messages": mended}) == []


@given(conversations)
def test_mending_twice_is_mending_once(messages):
    once = repair(read_messages(messages), PROMPTS)
    twice = repair(once.messages, PROMPTS)
    assert twice.defects == ()
    assert all(new is old for new, old in zip(twice.messages, once.messages, strict=True))
    wire = [each.to_wire() for each in once.messages]
    assert mend(*wire) == wire


@given(conversations)
def test_a_conversation_that_grows_by_whole_turns_keeps_its_bytes(messages):
    later = mend(*messages, user("and now?"), system("note"), assistant("so"))
    assert later[: len(mend(*messages))] == mend(*messages)


def test_a_result_that_had_to_move_is_said_and_one_in_another_order_is_not():
    late = [calls("c"), user("meanwhile"), result("c")]
    assert any("moved" in line for line in repair(read_messages(late)).defects)
    swapped = [user("q"), calls("A", "B"), result("B"), result("A")]
    assert repair(read_messages(swapped)).defects == ()


@pytest.mark.parametrize("kind", ["function", "custom"])
@pytest.mark.parametrize("body", ["", "look", 5, [], [1], None])
def test_a_call_whose_function_is_no_object_becomes_one_that_can_be_sent(kind, body):
    call = {"id": "c1", "type": kind, kind: body}
    asked = {"role": "assistant", "content": None, "tool_calls": [call]}
    answered = {"role": "tool", "tool_call_id": "c1", "content": "no such tool"}
    repaired = repair(read_messages([asked, answered]))
    (sent,) = repaired.messages[0].to_wire()["tool_calls"]
    assert sent[kind]["name"]
    assert repaired.messages[1].tool_call_id == sent["id"] == "c1"
