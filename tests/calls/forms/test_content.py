from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai.types.chat import ChatCompletionMessage
from pydantic import BaseModel

from agentmaker.calls.forms.content import encodable, encodable_in, json_object, mended
from agentmaker.messages import Message
from tests.calls.talk import assistant, calls, result, user

EMPTY = "nothing was said"


def mend(message: Any) -> Any:
    kept = mended(Message.from_wire(message), empty=EMPTY)
    return kept and kept.to_wire()


@pytest.mark.parametrize(
    "healthy",
    [
        user(),
        assistant("\U0001f600 a"),
        calls("c"),
        result("c", ""),
        user([{"type": "text", "text": "t"}, {"type": "image_url", "image_url": {"url": "u"}}]),
        {"role": "function", "name": "f", "content": "ok"},
        {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
        {"role": "assistant", "content": None, "refusal": "no"},
        {"role": "assistant", "content": None, "audio": {"id": "a"}},
    ],
)
def test_a_healthy_message_is_the_same_object(healthy):
    message = Message.from_wire(healthy)
    assert mended(message, empty=EMPTY) is message


@pytest.mark.parametrize("blank", [None, "", " \n", [], [None], [{"type": "text", "text": " "}]])
def test_case_103_an_assistant_that_says_nothing_is_not_sent(blank):
    assert mend(assistant(blank)) is None
    assert mend({**assistant(blank), "reasoning_content": "so"}) is None


@pytest.mark.parametrize("blank", ["", " ", [], None])
def test_case_103_calls_without_text_leave_with_null(blank):
    assert mend({**calls("c"), "content": blank})["content"] is None


def test_a_user_who_says_nothing_still_asks():
    assert mend(user(" "))["content"] == EMPTY


def test_a_tool_may_print_nothing():
    assert mend(result("c", None)) == result("c", "")
    assert mend({"role": "function", "name": "f", "content": None})["content"] == ""


@pytest.mark.parametrize(
    ("part", "sent"),
    [
        ("b", {"type": "text", "text": "b"}),
        (3, {"type": "text", "text": "3"}),
        ({"text": "a"}, {"type": "text", "text": "a"}),
        ({"type": "", "text": "a"}, {"type": "text", "text": "a"}),
        ({"type": "text", "text": 5}, {"type": "text", "text": "5"}),
        ({"odd": 1}, {"type": "text", "text": '{"odd": 1}'}),
        ({"type": "input_audio", "input_audio": {}}, {"type": "input_audio", "input_audio": {}}),
    ],
)
def test_odd_parts_become_parts_a_server_takes(part, sent):
    assert mend(user([part]))["content"] == [sent]


@pytest.mark.parametrize("part", [None, "", {"type": "refusal"}, {"type": "text", "text": None}])
def test_parts_that_say_nothing_are_left_out(part):
    assert mend(user(["a", part]))["content"] == [{"type": "text", "text": "a"}]


def test_a_part_that_is_an_object_is_read():
    class Part(BaseModel):
        type: str = "text"
        text: str

    assert mend(user([Part(type="text", text="hi")]))["content"] == [{"type": "text", "text": "hi"}]


@pytest.mark.parametrize(
    ("content", "sent"),
    [
        (5, "5"),
        ({"a": 1}, '{"a": 1}'),
        ({"type": "text", "text": "t"}, [{"type": "text", "text": "t"}]),
    ],
)
def test_content_that_is_neither_text_nor_parts_is_written_out(content, sent):
    assert mend(user(content))["content"] == sent


def test_an_empty_name_is_left_out():
    assert mend({**user(), "name": ""}) == user()
    assert mend({**user(), "name": "ann"}) == {**user(), "name": "ann"}


def test_calls_of_a_user_are_left_out():
    assert mend({**user(), "tool_calls": calls("c")["tool_calls"]}) == user()


@pytest.mark.parametrize("none", [None, []])
def test_no_calls_are_no_key(none):
    assert mend({**assistant(), "tool_calls": none}) == assistant()


def test_a_message_of_the_sdk_dumped_whole_is_healthy():
    dumped = ChatCompletionMessage(role="assistant", content="a").model_dump()
    assert "tool_calls" not in mend(dumped)


@pytest.mark.parametrize(
    ("given_arguments", "sent"),
    [
        (None, {}),
        ("", {}),
        (" \n", {}),
        ({"a": 1}, {"a": 1}),
        (5, {"value": 5}),
        ("[1]", {"value": [1]}),
        ('"text"', {"value": "text"}),
        ('{"path": "/a', {"arguments": '{"path": "/a'}),
        ('{"a": NaN}', {"arguments": '{"a": NaN}'}),
        ("[" * 5_000, {"arguments": "[" * 5_000}),
    ],
)
def test_case_13_arguments_leave_as_a_json_object(given_arguments, sent):
    assert json.loads(json_object(given_arguments)) == sent


def test_case_13_arguments_that_no_json_can_hold_leave_as_text():
    around: dict[str, Any] = {}
    around["self"] = around
    assert set(json.loads(json_object(around))) == {"arguments"}
    assert set(json.loads(json_object({(1, 2): 3}))) == {"arguments"}


@given(st.dictionaries(st.text(), st.one_of(st.text(), st.integers(), st.none())))
def test_arguments_that_are_an_object_keep_their_spelling(value):
    spelled = json.dumps(value, indent=1)
    assert json_object(spelled) is spelled


@given(st.text(st.characters(exclude_categories=())))
def test_case_100_whatever_text_leaves_encodes_and_is_mended_once(text):
    mended_text = encodable(text)
    mended_text.encode()
    assert encodable(mended_text) is mended_text


def test_case_100_a_pair_of_surrogates_is_joined_and_a_stray_one_replaced():
    assert encodable("\ud83d\ude00") == "\U0001f600"
    assert encodable("a\ud83db") == "a\ufffdb"


def test_case_100_every_string_of_a_message_encodes():
    odd = {**assistant("a\ud83d"), "reasoning_content": "r\ud83d", "extra": [{"k": "v\ud83d"}]}
    json.dumps(mend(odd), ensure_ascii=False).encode()


def test_what_encodes_is_not_copied():
    value = {"a": ["b", ("c",)], "d": 1}
    assert encodable_in(value) is value


def test_a_stray_half_of_a_character_is_found_among_many_strings():
    many = {"items": [{"text": "x"}] * 500, "last": "half \ud83d"}
    assert encodable_in(many) == {**many, "last": "half \ufffd"}
    assert encodable_in(many)["items"] is many["items"]
