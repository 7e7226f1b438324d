from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai.types.chat import ChatCompletion, ChatCompletionChunk

from agentmaker.calls.call import Reply, Usage
from agentmaker.calls.reading import Gathering, reply_from_completion, says_something, text_in


def chunk(delta: Any = None, **choice: Any) -> Any:
    raw = {"choices": [{"index": 0, "delta": delta, **choice}], "model": "m"}
    return ChatCompletionChunk.construct(**raw)


def gathered(*chunks: Any) -> Reply:
    gathering = Gathering(Reply())
    for each in chunks:
        gathering.add(each)
    return gathering.reply


def call_chunk(*pieces: dict[str, Any]) -> Any:
    return chunk({"tool_calls": list(pieces)})


def piece(index: Any = None, id: Any = None, name: Any = None, arguments: Any = None) -> Any:
    found = {"index": index, "id": id, "function": {"name": name, "arguments": arguments}}
    return {key: value for key, value in found.items() if value is not None}


def called(*chunks: Any) -> list[tuple[str, str, Any]]:
    return [(call.id, call.name, call.arguments) for call in gathered(*chunks).tool_calls]


def test_a_stream_adds_up_to_its_reply():
    reply = gathered(
        chunk({"role": "assistant", "content": ""}),
        chunk({"content": "Hel"}),
        chunk({"content": "lo"}),
        chunk({}, finish_reason="stop"),
        ChatCompletionChunk.construct(choices=[], usage={"prompt_tokens": 5}),
    )
    assert (reply.content, reply.finish_reason, reply.model) == ("Hello", "stop", "m")
    assert reply.usage == Usage(prompt_tokens=5)


@pytest.mark.parametrize("key", ["reasoning_content", "reasoning"])
def test_what_the_model_thinks_is_gathered_apart(key):
    reply = gathered(chunk({key: "let "}), chunk({key: "me"}), chunk({"content": "a"}))
    assert (reply.reasoning, reply.content) == ("let me", "a")


def test_calls_are_put_together_by_their_index():
    assert called(
        call_chunk(piece(0, "a", "f", "")),
        call_chunk(piece(1, "b", "g", ""), piece(0, arguments='{"x"')),
        call_chunk(piece(0, arguments=": 1}"), piece(1, arguments="{}")),
    ) == [("a", "f", '{"x": 1}'), ("b", "g", "{}")]


@pytest.mark.parametrize("again", [{}, {"id": "", "type": ""}, {"id": "c1"}, {"type": "function"}])
def test_case_74_pieces_without_an_index_go_on_with_the_last_call(again):
    assert called(
        call_chunk(piece(id="c1", name="f", arguments='{"a"')),
        call_chunk({**piece(arguments=":1}"), **again}),
    ) == [("c1", "f", '{"a":1}')]


def test_case_74_a_new_id_without_an_index_begins_a_call():
    assert called(call_chunk(piece(id="a", name="f"), piece(id="b", name="g"))) == [
        ("a", "f", ""), ("b", "g", ""),
    ]  # fmt: skip


def test_an_index_is_a_name_and_not_a_place():
    assert called(call_chunk(piece(10**9, "a", "f", "{}"))) == [("a", "f", "{}")]


def test_a_name_said_again_with_every_piece_is_said_once():
    first, again = piece(0, "a", "look", "{"), piece(0, "a", "look", "}")
    assert called(call_chunk(first), call_chunk(again)) == [("a", "look", "{}")]


def test_a_name_in_pieces_is_put_together():
    assert called(call_chunk(piece(0, "a", "lo")), call_chunk(piece(0, name="ok"))) == [
        ("a", "look", "")
    ]


def test_case_76_unknown_keys_of_a_streamed_call_survive():
    (call,) = gathered(
        call_chunk({**piece(0, "c", "f", "{}"), "extra_content": {"signature": "s"}})
    ).tool_calls
    assert call.to_wire() == {
        "id": "c",
        "type": "function",
        "function": {"name": "f", "arguments": "{}"},
        "extra_content": {"signature": "s"},
    }


def test_a_custom_tool_s_input_is_streamed_too():
    first = {"index": 0, "id": "c", "type": "custom", "custom": {"name": "sh", "input": "ls"}}
    (call,) = gathered(
        call_chunk(first), call_chunk({"index": 0, "custom": {"input": " -l"}})
    ).tool_calls
    assert call.to_wire()["custom"] == {"name": "sh", "input": "ls -l"}


@pytest.mark.parametrize(
    "delta",
    [{"content": "a"}, {"tool_calls": [piece(0, "c")]}, {"refusal": "no"}, {"reasoning": "hm"}],
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
    reply = gathered(*chunks)
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
