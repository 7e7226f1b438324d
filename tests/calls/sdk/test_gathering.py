from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai.types.chat import ChatCompletionChunk

from agentmaker.calls.call import Reply, Usage
from agentmaker.calls.sdk.gathering import Gathering


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


def test_a_refusal_is_gathered_as_a_whole_reply_says_it():
    reply = gathered(chunk({"refusal": "I will "}), chunk({"refusal": "not."}))
    assert (reply.refusal, reply.content) == ("I will not.", None)


def test_content_in_parts_adds_up_to_text():
    thought = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}
    parts = [{"type": "text", "text": "Hel"}, {"type": "text", "text": "lo"}]
    reply = gathered(chunk({"content": [thought]}), chunk({"content": parts}), chunk({}))
    assert reply.content == "Hello"


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


def indexes(*chunks: Any) -> list[Any]:
    """The numbers of the pieces as they are handed on."""
    gathered(*chunks)
    return [call.index for each in chunks for call in each.choices[0].delta.tool_calls]


def test_case_74_whole_calls_without_indexes_and_ids_are_calls_of_their_own():
    chunks = [
        call_chunk(piece(name="look", arguments='{"at": 1}')),
        call_chunk(piece(name="look", arguments='{"at": 2}')),
    ]
    assert called(*chunks) == [("", "look", '{"at": 1}'), ("", "look", '{"at": 2}')]
    assert indexes(*chunks) == [0, 1]


def test_case_74_pieces_leave_with_the_index_that_they_came_without():
    assert indexes(
        call_chunk(piece(id="a", name="f", arguments='{"x"')),
        call_chunk(piece(arguments=": 1}")),
        call_chunk(piece(id="b", name="g", arguments="{}")),
    ) == [0, 0, 1]


@pytest.mark.parametrize("blank", ["", None])
def test_case_74_a_piece_that_leaves_its_type_blank_says_that_of_its_call(blank):
    chunks = [
        call_chunk({**piece(0, "a", "f", "{"), "type": blank}),
        call_chunk({**piece(0, arguments="}"), "type": blank}),
        call_chunk(piece(0, arguments=" ")),
    ]
    gathered(*chunks)
    kinds = [call.type for each in chunks for call in each.choices[0].delta.tool_calls]
    assert kinds == ["function", "function", None]


def test_calls_that_share_an_index_are_told_apart_by_their_ids():
    chunks = [
        call_chunk(piece(0, "a", "f", '{"x"')),
        call_chunk(piece(0, arguments=": 1}")),
        call_chunk(piece(0, "b", "f", "{")),
        call_chunk(piece(0, arguments="}")),
    ]
    assert called(*chunks) == [("a", "f", '{"x": 1}'), ("b", "f", "{}")]
    assert indexes(*chunks) == [0, 0, 1, 1]


def test_an_id_made_anew_for_every_piece_begins_no_call():
    for name in (None, "f"):
        assert called(
            call_chunk(piece(0, "a", "f", '{"x"')), call_chunk(piece(0, "b", name, ": 1}"))
        ) == [("a", "f", '{"x": 1}')]


def test_an_index_that_serves_is_left_as_it_came():
    assert indexes(call_chunk(piece(3, "a", "f", "{}")), call_chunk(piece(7, "b", "f", "{}"))) == [
        3, 7,
    ]  # fmt: skip


def test_the_reply_is_the_first_of_several_choices():
    def said(index: int, text: str) -> Any:
        return chunk({"content": text}, index=index)

    reply = gathered(said(0, "Hel"), said(1, "Good"), said(0, "lo"), said(1, "bye"))
    assert reply.content == "Hello"


def test_the_calls_of_several_choices_do_not_mix():
    def said(index: int, **of: Any) -> Any:
        return chunk({"tool_calls": [piece(0, **of)]}, index=index)

    reply = gathered(
        said(1, id="b", name="g", arguments="{"),
        said(0, id="a", name="f", arguments="{"),
        said(1, arguments="}"),
        said(0, arguments=" }"),
    )
    assert [(call.id, call.arguments) for call in reply.tool_calls] == [("a", "{ }")]


@given(st.data(), st.lists(st.sampled_from(["f", "g"]), min_size=1, max_size=4))
def test_calls_survive_however_their_server_cuts_and_numbers_them(data, names):
    numbering = data.draw(st.sampled_from(["each", "none", "same"]))
    chunks, wanted = [], []
    for nth, name in enumerate(names):
        arguments = f'{{"nth": {nth}}}'
        cut = data.draw(st.integers(1, len(arguments)))
        index = {"each": nth, "none": None, "same": 0}[numbering]
        chunks.append(call_chunk(piece(index, f"c{nth}", name, arguments[:cut])))
        chunks.append(call_chunk(piece(index, arguments=arguments[cut:])))
        wanted.append((f"c{nth}", name, arguments))
    assert called(*chunks) == wanted
    assert indexes(*chunks) == [nth for nth in range(len(names)) for _ in "ab"]
