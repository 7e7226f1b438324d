from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agentmaker.calls.forms.dialects import Dialect
from agentmaker.calls.forms.ids import short_id
from tests.calls.dialogue import sent
from tests.calls.talk import calls, result, user


def test_ids_become_short_on_both_sides_and_those_that_are_short_stay():
    messages = [user(), calls("call_1", "abcDEF123"), result("abcDEF123"), result("call_1")]
    _, called, first, second = sent(Dialect(ids="short"), *messages)
    assert [each["id"] for each in called["tool_calls"]] == [short_id("call_1"), "abcDEF123"]
    assert [first["tool_call_id"], second["tool_call_id"]] == ["abcDEF123", short_id("call_1")]


@given(st.sets(st.text(max_size=30), max_size=60))
def test_short_ids_are_nine_letters_and_digits_and_tell_ids_apart(ids):
    short = {short_id(id) for id in ids}
    assert len(short) == len(ids)
    assert all(len(id) == 9 and id.isascii() and id.isalnum() for id in short)
