from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai.types.chat import ChatCompletion, ChatCompletionChunk

from agentmaker.calls.call import Reply, Usage
from agentmaker.calls.sdk.gathering import Gathering
from agentmaker.calls.sdk.reading import reply_from_completion, says_something, text_in


def chunk(delta: Any = None, **choice: Any) -> Any:
    raw = {"choices": [{"index": 0, "delta": delta, **choice}], "model": "m"}
    return ChatCompletionChunk.construct(**raw)


@pytest.mark.parametrize(
    "delta",
    [
        {"content": "a"},
        {"tool_calls": [{"index": 0, "id": "c"}]},
        {"refusal": "no"},
        {"reasoning": "hm"},
    ],
)
def test_a_chunk_with_a_piece_of_the_answer_says_something(delta):
    assert says_something(chunk(delta))


@pytest.mark.parametrize(
    "silent",
    [chunk({"role": "assistant", "content": ""}), chunk({}), chunk(None), None, "text", []],
)
def test_a_chunk_without_one_does_not(silent):
    assert not says_something(silent)
    assert text_in(silent) == ""


def test_a_finish_says_something():
    assert says_something(chunk({}, finish_reason="length"))


odd = st.recursive(
    st.sampled_from([None, "", "text", 5, True]),
    lambda inner: st.one_of(
        st.lists(inner, max_size=2),
        st.dictionaries(
            st.sampled_from(
                ["choices", "delta", "message", "content", "tool_calls", "function", "index", "id",
                 "name", "arguments", "usage", "finish_reason", "custom", "model", "reasoning"]
            ),
            inner,
            max_size=4,
        ),
    ),
    max_leaves=12,
)  # fmt: skip
choices = st.fixed_dictionaries(
    {}, optional={"delta": odd, "message": odd, "finish_reason": odd, "index": odd}
)
bodies = st.one_of(odd, st.fixed_dictionaries({"choices": st.lists(choices, max_size=2)}))


@given(st.lists(bodies, max_size=4))
def test_case_73_no_chunk_is_too_odd_to_be_read(raw):
    chunks = [
        ChatCompletionChunk.construct(**each) if isinstance(each, dict) else each for each in raw
    ]
    for each in chunks:
        says_something(each)
        text_in(each)
    gathering = Gathering(Reply())
    for each in chunks:
        gathering.add(each)
    reply = gathering.reply
    assert reply.content is None or isinstance(reply.content, str)


@given(bodies)
def test_no_completion_is_too_odd_to_be_read(raw):
    made = ChatCompletion.construct(**raw) if isinstance(raw, dict) else raw
    reply = reply_from_completion(made)
    assert reply.raw is made
    assert isinstance(reply.tool_calls, tuple)


def test_a_completion_is_read():
    function = {"name": "f", "arguments": {"a": 1}}
    message = {
        "role": "assistant",
        "content": None,
        "reasoning_content": "hm",
        "tool_calls": [{"id": "c", "type": "function", "function": function, "extra": 1}],
    }
    reply = reply_from_completion(
        ChatCompletion.construct(
            model="m",
            choices=[{"index": 0, "message": message, "finish_reason": "tool_calls"}],
            usage={"prompt_tokens": 5, "total_tokens": 6},
        )
    )
    assert (reply.content, reply.reasoning, reply.finish_reason) == (None, "hm", "tool_calls")
    assert reply.usage == Usage(prompt_tokens=5, total_tokens=6)
    assert reply.tool_calls[0].to_wire() == message["tool_calls"][0]


def test_a_whole_reply_may_be_in_parts_and_a_refusal():
    parts = [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]
    reply = reply_from_completion({"choices": [{"message": {"content": parts}}]})
    assert (reply.content, reply.refusal) == ("one\ntwo", "")

    reply = reply_from_completion({"choices": [{"message": {"content": None, "refusal": "No."}}]})
    assert (reply.content, reply.refusal) == (None, "No.")


@pytest.mark.parametrize("kind", ["function", "custom"])
@pytest.mark.parametrize("body", ["", "look", 5, [], None, {}])
def test_a_call_whose_function_is_no_object_is_one_without_a_name(kind, body):
    call = {"id": "c1", "type": kind, kind: body}
    reply = reply_from_completion({"choices": [{"message": {"tool_calls": [call]}}]})
    (read,) = reply.tool_calls
    assert (read.id, read.name) == ("c1", "")
    assert read.to_wire()[kind]["name"] == ""
