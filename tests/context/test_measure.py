from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmaker.context.measure import (
    FRAMING,
    message_tokens,
    messages_tokens,
    tools_tokens,
)
from agentmaker.messages import Message
from agentmaker.plain import dumps
from agentmaker.tokens import CountMemo, MediaTokens, count_tokens

BLOB = "A" * 2_000_000
DEFAULT = MediaTokens()
MEDIA = MediaTokens(image=2_000, low_detail_image=7, audio=300, file=40)


def measured(**wire):
    return message_tokens(Message.from_wire({"role": "user", **wire}), count_tokens)


def call(arguments, name="f"):
    return {"id": "c", "type": "function", "function": {"name": name, "arguments": arguments}}


def test_text_costs_its_tokens_and_the_framing():
    assert measured(content="hello world") == FRAMING + 3
    assert measured(content="") == measured(content=None) == FRAMING


def test_a_name_is_counted():
    assert measured(content="hi", name="alice") == FRAMING + 1 + 2


def test_messages_are_added_up():
    pair = [Message("hello"), Message("world, hello", role="assistant")]
    assert messages_tokens(pair, count_tokens) == 2 * FRAMING + 2 + 3


def test_case_13_odd_arguments_are_counted():
    assert measured(content=None, tool_calls=[call(None)]) == FRAMING + 8 + 1 + 1
    assert measured(content=None, tool_calls=[call({"a": 1})]) == FRAMING + 8 + 1 + 2
    assert measured(content=None, tool_calls=[call(5)]) == FRAMING + 8 + 1 + 1


@pytest.mark.parametrize("place", ["user", "nested", "extra"])
def test_case_58_base64_costs_a_constant_wherever_it_sits(place):
    part = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{BLOB}"}}
    if place == "user":
        cost = measured(content=[part])
    elif place == "nested":
        cost = measured(content=[{"type": "tool_result", "content": [[part]]}])
    else:
        cost = measured(content="x", attachments=[part])
    assert DEFAULT.image <= cost <= DEFAULT.image + 60


def test_case_58_other_urls_do_not_count_as_text_of_their_length():
    part = {"type": "image_url", "image_url": {"url": "https://example.com/" + "a" * 9_000}}
    assert measured(content=[part]) == FRAMING + DEFAULT.image


def test_case_59_every_image_adds_to_the_count():
    image = {"type": "image_url", "image_url": {"url": "https://e/i.png"}}
    text = {"type": "text", "text": "x"}
    assert measured(content=[text, *[image] * 20]) == FRAMING + 1 + 20 * DEFAULT.image


def test_an_image_at_low_detail_is_cheap():
    image = {"type": "image_url", "image_url": {"url": "https://e/i.png", "detail": "low"}}
    assert measured(content=[image]) == FRAMING + DEFAULT.low_detail_image


IMAGE = {"type": "image_url", "image_url": {"url": "https://e/i.png"}}
SMALL = {"type": "image_url", "image_url": {"url": "https://e/i.png", "detail": "low"}}
AUDIO = {"type": "input_audio", "input_audio": {"data": "QUFB", "format": "wav"}}
FILE = {"type": "file", "file": {"file_id": "f"}}


@pytest.mark.parametrize("role", ["user", "tool", "system", "assistant"])
@pytest.mark.parametrize(("part", "tokens"), [(IMAGE, 2_000), (SMALL, 7), (AUDIO, 300), (FILE, 40)])
def test_cases_58_and_59_media_cost_what_the_counter_carries(role, part, tokens):
    counter = CountMemo(count_tokens, media=MEDIA)
    message = Message.from_wire({"role": role, "content": [part], "tool_call_id": ""})
    assert message_tokens(message, counter) == FRAMING + tokens


def test_case_59_images_count_in_lists_within_lists():
    one = [[[IMAGE]], {"type": "tool_result", "content": [IMAGE, {"text": "x"}]}]
    around = count_tokens(dumps({"type": "tool_result"}))
    assert measured(content=one) == FRAMING + 2 * DEFAULT.image + around + 1


@pytest.mark.parametrize(
    ("url", "tokens"),
    [("data:image/png;base64,", 2_000), ("data:audio/wav;base64,", 300), ("data:text/x,", 40)],
)
def test_case_58_data_in_other_json_costs_what_its_kind_does(url, tokens):
    message = Message.from_wire({"role": "user", "content": "x", "attachments": [url + BLOB]})
    counter = CountMemo(count_tokens, media=MEDIA)
    assert message_tokens(message, counter) == FRAMING + 1 + tokens + count_tokens('[""]')


def test_case_62_arguments_and_reasoning_are_counted():
    bare = {"role": "assistant", "content": None}
    argued = measured(**bare, tool_calls=[call('{"b":"' + "y" * 40_000 + '"}')])
    thought = measured(**bare, reasoning_content="r" * 4_000)
    assert argued >= 10_000
    assert thought >= 1_000
    both = measured(
        **bare, reasoning_content="r" * 4_000, tool_calls=[call('{"b":"' + "y" * 40_000 + '"}')]
    )
    assert both == argued + thought - FRAMING


def test_case_64_odd_parts_are_counted_each_for_itself():
    parts = [
        {"text": "a"},
        {"type": "input_audio", "input_audio": {"data": "QUFB", "format": "wav"}},
        {"type": "refusal", "refusal": "no"},
        "b",
        None,
        3,
    ]
    assert measured(content=parts) == FRAMING + 1 + DEFAULT.audio + 1 + 1 + 1 + 1


def test_case_64_a_text_part_dumped_with_all_that_it_is_not_counts_as_text():
    part = {"type": "text", "text": "y" * 40_000, "image_url": None, "refusal": None}
    assert measured(content=[part]) == FRAMING + 10_000


def test_a_file_costs_a_constant():
    assert measured(content=[{"type": "file", "file": {"file_data": BLOB}}]) == (
        FRAMING + DEFAULT.file
    )


def test_empty_extras_are_not_counted():
    assert measured(content="hi", refusal=None, annotations=[], audio={}) == FRAMING + 1


def test_what_is_no_json_is_bounded_and_does_not_raise():
    circle: list[object] = []
    circle.append(circle)
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    for odd in (circle, deep, {("a", "b"): 1}):
        assert measured(content=[odd]) == FRAMING + DEFAULT.file
    while deep:  # or its own destructor would recurse
        deep = deep.pop()


def test_tools_cost_the_json_that_is_sent():
    tools = [{"type": "function", "function": {"name": "f", "parameters": {}}}]
    assert tools_tokens(tools, count_tokens) == count_tokens(dumps(tools))
    assert tools_tokens([], count_tokens) == tools_tokens(None, count_tokens) == 0


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.integers(), inner),
    max_leaves=10,
)


@given(content=JSON, arguments=JSON, name=JSON, extra=JSON)
def test_no_content_whatever_makes_counting_raise(content, arguments, name, extra):
    tokens = measured(
        content=content,
        name=name,
        tool_calls=[call(arguments)],
        custom=extra,
    )
    assert tokens >= FRAMING
