from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmaker.context.elastic import shorten, unit_sizes
from agentmaker.context.measure import message_tokens, messages_tokens
from agentmaker.messages import Message, ToolCall, joined_units
from agentmaker.tokens import count_tokens


def marker(dropped: int) -> str:
    return f"[... {dropped} left out ...]"


def call(arguments: Any = "{}", **wire: Any) -> Message:
    return Message(
        None, "assistant", tool_calls=(ToolCall(id="c", name="f", arguments=arguments, wire=wire),)
    )


def result(text: str) -> Message:
    return Message(text, "tool", tool_call_id="c")


texts = st.text(max_size=400)
parts = st.lists(texts.map(lambda text: {"type": "text", "text": text}), max_size=3)
arguments = st.dictionaries(st.text(max_size=8), texts, max_size=4).map(json.dumps)
messages = st.one_of(
    st.builds(Message, st.one_of(texts, parts), st.sampled_from(["user", "assistant"])),
    arguments.map(call),
    texts.map(result),
)


@given(messages, st.integers(1, 120))
def test_a_shortened_message_is_no_larger_than_its_unit_says(message: Message, cap: int) -> None:
    (size,) = unit_sizes([message], [range(1)], count_tokens)
    short = shorten(message, cap, count_tokens, marker)
    assert message_tokens(short, count_tokens) <= size.within(cap)
    assert size.within() == message_tokens(message, count_tokens)


@given(st.lists(messages, max_size=12))
def test_the_sizes_of_the_units_add_up_to_the_messages(given_messages: list[Message]) -> None:
    sizes = unit_sizes(given_messages, joined_units(given_messages), count_tokens)
    assert len(sizes) == len(joined_units(given_messages))
    assert sum(size.within() for size in sizes) == messages_tokens(given_messages, count_tokens)


@given(arguments, st.integers(1, 60))
def test_shortened_arguments_are_still_a_json_object(text: str, cap: int) -> None:
    (short,) = shorten(call(text), cap, count_tokens, marker).tool_calls
    assert isinstance(json.loads(short.arguments), dict)


@pytest.mark.parametrize("depth", [400, 900, 100_000])
def test_case_13_arguments_nested_too_deep_to_be_cut_become_an_empty_object(depth: int) -> None:
    deep = call(f'{{"a": {"[" * depth}{"]" * depth}}}')
    short = shorten(deep, 40, count_tokens, marker).tool_calls[0]
    assert short.arguments == "{}"


def test_a_message_that_fits_is_itself() -> None:
    message = result("short")
    assert shorten(message, 100, count_tokens, marker) is message


def test_a_result_keeps_head_and_tail_around_the_marker() -> None:
    short = shorten(result("head " + "x" * 4_000 + " tail"), 40, count_tokens, marker)
    assert short.content.startswith("head ")
    assert short.content.endswith(" tail")
    assert "left out" in short.content


def test_pictures_are_not_touched() -> None:
    picture = {"type": "image_url", "image_url": {"url": "https://example.org/i.png"}}
    message = Message([{"type": "text", "text": "y" * 900}, picture], "user")
    assert shorten(message, 20, count_tokens, marker).content[1] == picture


def test_the_text_of_a_custom_tool_is_cut_as_text() -> None:
    message = call("ls " * 500, type="custom")
    (short,) = shorten(message, 20, count_tokens, marker).tool_calls
    assert count_tokens(short.arguments) <= 20


def test_a_user_message_behind_a_result_belongs_to_it_and_cannot_be_the_question() -> None:
    talk = [Message("q"), call(), result("r"), Message("picture")]
    sizes = unit_sizes(talk, joined_units(talk), count_tokens)
    assert [size.kind for size in sizes] == ["question", "work"]
