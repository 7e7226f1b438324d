from __future__ import annotations

from collections import OrderedDict

import openai
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmaker.messages import Message, ToolCall, begin_of_newest, units


def test_a_message_may_hold_what_can_be_gone_through_once():
    parts = [{"type": "text", "text": "a", "extra": openai.omit}]
    message = Message.from_wire({"role": "user", "content": iter(parts), "name": openai.NOT_GIVEN})
    sent = {"role": "user", "content": [{"type": "text", "text": "a"}]}
    assert (message.content, message.to_wire(), message.to_wire()) == (sent["content"], sent, sent)


def test_messages_read_from_the_sdk_share_their_keys_and_short_words():
    def message() -> Message:
        function = {"name": "look", "arguments": "{}"}
        raw = {"role": "assistant", "tool_calls": [{"id": "a", "function": function}]}
        return Message.from_wire(openai.types.chat.ChatCompletionMessage.model_construct(**raw))

    one, other = message().wire, message().wire
    assert one == other
    assert all(mine is theirs for mine, theirs in zip(one, other, strict=True))
    assert one["role"] is other["role"]


@pytest.mark.parametrize(
    ("value", "other"), [(True, 1), (0.0, -0.0), ([OrderedDict(b=False)], [{"b": 0}])]
)
def test_messages_are_equal_only_where_they_are_written_alike(value, other):
    assert Message([value]) != Message([other])
    assert Message("a", extra={"n": value}) != Message("a", extra={"n": other})
    calls = [(ToolCall(id="a", name="f", wire={"n": each}),) for each in (value, other)]
    assert Message("a", tool_calls=calls[0]) != Message("a", tool_calls=calls[1])


def test_a_message_is_equal_to_one_with_another_class_of_dictionary_and_to_nothing_else():
    assert Message([{"a": 1}]) == Message([OrderedDict(a=1)])
    assert Message("a") != "a"


TALK = {
    "question": Message("q"),
    "calls": Message(None, "assistant", tool_calls=(ToolCall(id="c", name="f"),)),
    "result": Message("r", "tool", tool_call_id="c"),
}


@given(st.lists(st.sampled_from(sorted(TALK)), max_size=12), st.integers(0, 14))
def test_the_newest_units_begin_where_those_of_the_whole_say(kinds: list[str], count: int) -> None:
    talk = [TALK[kind] for kind in kinds]
    older = units(talk)[: max(0, len(units(talk)) - count)]
    assert begin_of_newest(talk, count) == sum(map(len, older))
