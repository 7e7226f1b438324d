from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmaker.errors import ConfigError
from agentmaker.memory.records import SessionState
from agentmaker.memory.sql.codec import (
    from_microseconds,
    message_from_json,
    message_to_json,
    scope_from_json,
    scope_to_json,
    state_from_json,
    state_to_json,
    to_json,
    to_microseconds,
)
from agentmaker.memory.sql.tables import escaped, key_of, unescaped
from agentmaker.messages import Message, ToolCall
from agentmaker.scope import Scope

anything = st.text(st.characters())  # with lone surrogates and NUL
parts = st.none() | st.text(st.sampled_from('a"\\,[]null\x00\x1a\ud83d\ude00😀 /:'), max_size=6)
scopes = st.builds(Scope, parts, parts, parts, parts, parts)

WIRE = {
    "content": None,
    "role": "assistant",
    "refusal": None,
    "tool_calls": [
        {"index": 0, "id": "1", "type": "function", "function": {"arguments": "{", "name": "f"}}
    ],
    "reasoning_content": "hm \ud83d",
}


def same(message: Message) -> Message:
    return message_from_json(message_to_json(message))


def test_a_message_that_was_read_comes_back_as_it_was_read() -> None:
    message = Message.from_wire(WIRE)
    kept = same(message)
    assert kept == message
    assert list(kept.wire.items()) == list(WIRE.items()), "the order of keys is the prompt's"
    assert kept.wire is kept.wire


def test_a_message_that_was_made_comes_back_with_all_its_parts() -> None:
    message = Message(
        [{"type": "text", "text": "你好"}],
        role="assistant",
        tool_calls=(ToolCall(id="1", name="f", arguments="not JSON"),),
        name="Ann",
        extra={"reasoning": "so"},
        timestamp=datetime(2026, 5, 1, 12, tzinfo=timezone(timedelta(hours=8))),
        metadata={"step": 3, "client": object(), "tags": ["a"]},
    )
    kept = same(message)
    assert kept == message
    assert kept.timestamp == message.timestamp
    assert kept.timestamp.utcoffset() == timedelta(hours=8)
    assert kept.metadata == {"step": 3, "tags": ["a"]}
    result = Message("42", role="tool", tool_call_id="1")
    assert same(result) == result


@given(anything, anything)
def test_every_text_of_a_message_comes_back_exactly(content: str, key: str) -> None:
    message = Message(content, extra={key: content}, metadata={key: content})
    text = unescaped(escaped(message_to_json(message)))
    assert message_from_json(text) == message
    assert message_from_json(text).metadata == message.metadata


@given(anything)
def test_every_text_is_escaped_into_one_that_a_database_takes(text: str) -> None:
    assert "\x00" not in escaped(text)
    escaped(text).encode()
    assert unescaped(escaped(text)) == text


@given(scopes, scopes)
def test_two_scopes_never_have_the_same_key(one: Scope, other: Scope) -> None:
    assert (escaped(scope_to_json(one)) == escaped(scope_to_json(other))) is (one == other)
    assert scope_from_json(scope_to_json(one)) == one


@given(st.text(max_size=3), st.integers(0, 3))
def test_long_texts_have_short_keys_of_their_own(text: str, times: int) -> None:
    long = text * 100 + "x" * 300 * times
    assert len(key_of(long)) <= 264
    assert key_of(long + "!") != key_of(long)


def test_a_state_comes_back_with_its_views_and_memo() -> None:
    state = SessionState(version=3, upto=4, full=(Message("a"),), window=(), memo=[None, {"a": 1}])
    assert state_from_json(state_to_json(state), 3) == state
    bare = SessionState(version=1)
    assert state_from_json(state_to_json(bare), 1) == bare
    assert replace(bare, memo=None) == bare


def test_times_are_kept_to_the_microsecond() -> None:
    when = datetime(2026, 2, 28, 23, 59, 59, 999_999, tzinfo=UTC)
    assert from_microseconds(to_microseconds(when)) == when
    assert (
        from_microseconds(to_microseconds(when.astimezone(timezone(timedelta(hours=-7))))) == when
    )


@pytest.mark.parametrize("value", [object(), {"a": {1, 2}}, b"bytes"])
def test_what_is_no_json_is_refused_in_words(value: object) -> None:
    with pytest.raises(ConfigError, match="only JSON can be kept"):
        to_json(value)
