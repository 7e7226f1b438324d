from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmaker.testing import Violation, violations

USER = {"role": "user", "content": "q"}


def call(id="c1", name="f", arguments="{}"):
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def asks(*calls, **extra):
    return {"role": "assistant", "content": None, "tool_calls": list(calls), **extra}


def result(id="c1", content="ok"):
    return {"role": "tool", "tool_call_id": id, "content": content}


def codes(*messages, **body):
    return [found.code for found in violations({"messages": list(messages), **body})]


@pytest.mark.parametrize(
    "messages",
    [
        [USER],
        [{"role": "system", "content": "s"}, USER, {"role": "assistant", "content": "a"}, USER],
        [{"role": "developer", "content": "s"}, USER],
        [USER, asks(call("A"), call("B")), result("B"), result("A"), USER],
        [USER, asks(call("A")), result("A"), asks(call("B")), result("B")],
        [USER, asks(call()), result(content="")],
        [USER, asks(call()), result(content=[{"type": "text", "text": "x"}])],
        [USER, {"role": "assistant", "content": None, "refusal": "no"}],
        [USER, {"role": "assistant", "audio": {"id": "a"}}],
        [USER, {"role": "assistant", "function_call": {"name": "f", "arguments": "{}"}}],
        [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://e/i"}}]}],
        [
            USER,
            asks({"id": "c1", "type": "custom", "custom": {"name": "f", "input": "free text"}}),
            result(),
        ],
        [USER, asks(call(), reasoning_content="r", anything={"kept": True}), result()],
    ],
)
def test_healthy_conversations_pass(messages):
    assert codes(*messages) == []


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ([USER, asks(call("A"), call("B")), result("A")], "unanswered_call"),
        ([USER, asks(call("A"))], "unanswered_call"),
        ([result("A"), USER], "orphan_result"),
        ([USER, result("A")], "orphan_result"),
        ([USER, asks(call("A")), result("A"), result("A")], "duplicate_result"),
        ([USER, asks(call("A")), result("A"), result("system")], "orphan_result"),
        ([USER, asks(call("A"), call("A")), result("A")], "duplicate_call_id"),
        ([USER, asks(call("A")), result("A"), asks(call("A")), result("A")], "duplicate_call_id"),
    ],
)
def test_pairing_is_positional(messages, expected):
    assert codes(*messages) == [expected]


def test_a_result_behind_another_message_is_no_answer():
    found = codes(USER, asks(call("A")), USER, result("A"))

    assert found == ["unanswered_call", "orphan_result"]


def test_an_unanswered_second_use_of_an_id_is_seen():
    found = codes(asks(call("call_0")), result("call_0"), asks(call("call_0")), USER)

    assert found == ["unanswered_call", "duplicate_call_id"]


@pytest.mark.parametrize("id", ["", None, 7])
def test_ids_must_be_filled_on_both_sides(id):
    assert codes(USER, asks(call(id)), result(id)) == ["empty_id", "empty_id"]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ({"role": "robot", "content": "x"}, "unknown_role"),
        ({"content": "x"}, "unknown_role"),
        ({"role": "assistant"}, "empty_message"),
        ({"role": "assistant", "content": None, "tool_calls": None}, "empty_message"),
        ({"role": "user"}, "empty_message"),
        ({"role": "system", "content": None}, "empty_message"),
        ({"role": "user", "content": ""}, "empty_content"),
        ({"role": "user", "content": " \n"}, "empty_content"),
        ({"role": "assistant", "content": ""}, "empty_content"),
        ({"role": "user", "content": []}, "empty_content"),
        ({"role": "user", "content": 5}, "bad_content"),
        ({"role": "user", "content": {"type": "text"}}, "bad_content"),
        ({"role": "user", "content": ["bare"]}, "bad_part"),
        ({"role": "user", "content": [{"text": "a"}]}, "bad_part"),
        ({"role": "user", "content": [{"type": "text", "text": ""}]}, "empty_part"),
        ({"role": "user", "content": [{"type": "text"}]}, "empty_part"),
        ({"role": "user", "content": "x", "name": ""}, "empty_name"),
        ("just text", "bad_message"),
    ],
)
def test_messages_that_say_nothing_or_rubbish_are_refused(message, expected):
    assert codes(USER, message)[0] == expected


def test_blank_text_beside_calls_is_refused():
    assert codes(USER, asks(call(), content=""), result()) == ["empty_content"]


@pytest.mark.parametrize("arguments", [None, {"a": 1}, 5, "", "[]", '"x"', '{"a"', "[" * 9_999])
def test_arguments_must_be_a_json_object_in_a_string(arguments):
    assert codes(USER, asks(call(arguments=arguments)), result()) == ["bad_arguments"]


def test_a_custom_call_takes_a_string_and_nothing_else():
    broken = {"id": "c1", "type": "custom", "custom": {"name": "f", "input": None}}

    assert codes(USER, asks(broken), result()) == ["bad_arguments"]


@pytest.mark.parametrize(
    ("calls", "expected"),
    [
        ([], ["bad_calls"]),
        ("f()", ["bad_calls"]),
        (["f()"], ["bad_call"]),
        ([{"id": "x", "type": "other"}], ["bad_call", "unanswered_call"]),
        ([{"id": "x", "type": "function"}], ["bad_call", "unanswered_call"]),
        ([call("x", name="")], ["empty_name", "unanswered_call"]),
    ],
)
def test_calls_must_have_their_shape(calls, expected):
    assert codes(USER, {"role": "assistant", "content": "a", "tool_calls": calls}) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"tools": [{"type": "function", "function": {"name": "a-b_C9"}}]}, []),
        ({"tools": [{"type": "web_search"}]}, []),
        ({"tools": [{"type": "function", "function": {"name": "a" * 64}}]}, []),
        ({"tools": [{"type": "function", "function": {"name": "a" * 65}}]}, ["bad_tool_name"]),
        ({"tools": [{"type": "function", "function": {"name": "a.b"}}]}, ["bad_tool_name"]),
        ({"tools": [{"type": "function", "function": {"name": "a\n"}}]}, ["bad_tool_name"]),
        ({"tools": [{"type": "function"}]}, ["bad_tool_name"]),
        ({"tools": [{}]}, ["bad_tool"]),
        ({"tools": []}, ["bad_tools"]),
        ({"tool_choice": "auto"}, ["choice_without_tools"]),
        ({"tool_choice": None, "max_tokens": None}, []),
        ({"max_tokens": 1, "max_completion_tokens": 1}, []),
        ({"max_tokens": 0}, ["bad_cap"]),
        ({"max_completion_tokens": -5}, ["bad_cap"]),
        ({"max_tokens": True}, ["bad_cap"]),
        ({"max_tokens": "9"}, ["bad_cap"]),
    ],
)
def test_tools_and_caps_keep_their_rules(body, expected):
    assert codes(USER, **body) == expected


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "object"}, []),
        (None, []),
        ({}, ["bad_schema"]),
        ({"type": "array", "items": {}}, ["bad_schema"]),
        ({"$ref": "#/$defs/A", "$defs": {"A": {"type": "object"}}}, ["bad_schema"]),
        ({"type": "object", "anyOf": [{}]}, ["bad_schema"]),
        ([], ["bad_schema"]),
    ],
)
def test_the_schema_of_an_answer_is_that_of_an_object(schema, expected):
    given = {"type": "json_schema", "json_schema": {"name": "x", "schema": schema}}

    assert codes(USER, response_format=given) == expected


@pytest.mark.parametrize("given", [None, {"type": "text"}, {"type": "json_object"}, "text"])
def test_an_answer_without_a_schema_has_none_to_refuse(given):
    assert codes(USER, response_format=given) == []


@pytest.mark.parametrize("messages", [None, [], "text", {}])
def test_a_request_has_messages(messages):
    assert [found.code for found in violations({"messages": messages})] == ["no_messages"]


def test_text_that_is_no_utf8_is_found_where_it_is():
    found = violations(
        {"messages": [USER, {"role": "user", "content": "\ud83d"}], "user": "\ud83d", "model": "m"}
    )

    assert [(each.code, each.param) for each in found] == [
        ("not_utf8", "messages[1]"),
        ("not_utf8", "user"),
    ]


def test_a_violation_reads_as_where_and_what():
    (found,) = violations({"messages": [USER, {"role": "robot", "content": "x"}]})

    assert isinstance(found, Violation)
    assert str(found).startswith("messages[1].role: 'robot' is not one of user, assistant")


SYSTEM = {"role": "system", "content": "s"}
ANSWER = {"role": "assistant", "content": "a"}


@pytest.mark.parametrize(
    ("messages", "fine"),
    [
        ([SYSTEM, USER, ANSWER, USER], True),
        ([USER, asks(call()), result(), ANSWER, USER], True),
        ([USER, asks(call()), result()], True),
        ([USER, USER], False),
        ([ANSWER, USER], False),
        ([USER, ANSWER, ANSWER], False),
    ],
)
def test_alternation_is_asked_for_by_name(messages, fine):
    body = {"messages": messages}

    assert violations(body) == []
    assert (violations(body, alternation=True) == []) is fine


@pytest.mark.parametrize(
    ("messages", "fine"),
    [
        ([SYSTEM, USER], True),
        ([USER], True),
        ([SYSTEM, SYSTEM, USER], False),
        ([USER, SYSTEM], False),
    ],
)
def test_system_first_is_asked_for_by_name(messages, fine):
    body = {"messages": messages}

    assert violations(body) == []
    assert (violations(body, system_first=True) == []) is fine


ids = st.sampled_from(["a", "b", "c", ""])
histories = st.lists(
    st.one_of(
        st.just(USER),
        st.just(ANSWER),
        st.just(SYSTEM),
        st.lists(ids, min_size=1, max_size=3).map(lambda each: asks(*map(call, each))),
        ids.map(result),
        ids.map(result),
    ),
    min_size=1,
    max_size=8,
)


@given(histories)
def test_what_turnsafe_refuses_is_refused(messages):
    turnsafe = pytest.importorskip("turnsafe")
    try:
        accepted = bool(turnsafe.validate(messages, provider="openai"))
    except ValueError:
        accepted = False

    if not accepted:
        assert violations({"messages": messages})


@given(histories)
def test_what_passes_here_passes_turnsafe(messages):
    turnsafe = pytest.importorskip("turnsafe")

    if not violations({"messages": messages}):
        assert turnsafe.validate(messages, provider="openai")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)
keys = st.sampled_from(["messages", "tools", "tool_choice", "max_tokens", "user"])
odd_messages = st.lists(
    st.dictionaries(
        st.sampled_from(["role", "content", "tool_calls", "tool_call_id", "name"]),
        json_values | st.sampled_from(["user", "assistant", "tool"]),
    )
    | json_values,
    max_size=4,
)


@given(st.dictionaries(keys, json_values), odd_messages)
def test_no_json_makes_it_raise(body, messages):
    violations(body)
    violations({**body, "messages": messages}, alternation=True, system_first=True)
