from __future__ import annotations

import copy
import json
from collections import OrderedDict
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmaker.calls.memory.copied import Copied, copies_of, is_ambiguous
from agentmaker.messages import Message

TEXTS = st.sampled_from(["", "a", "b"])
PLAIN = st.fixed_dictionaries({"role": TEXTS, "content": TEXTS})
VALUES = st.sampled_from([None, True, 1, 1.0, 0, False, "a", ["a"], {"a": [1]}])
OTHERS = st.fixed_dictionaries({"role": TEXTS}, optional={"content": VALUES, "name": VALUES})
TALKS = st.lists(st.one_of(PLAIN, PLAIN, OTHERS), max_size=5)


def copied(*talks):
    found = Copied()
    for talk in talks:
        found = found.and_then(copies_of(talk))
    return found


@given(TALKS, TALKS, TALKS)
def test_a_talk_begins_with_its_copies(first, second, later):
    known = copied(first, second)
    assert len(known.items) == len(first + second)
    assert known.begin([*first, *second, *later])


@given(TALKS, TALKS)
def test_another_begins_with_them_only_where_it_says_the_same_json(one, other):
    start = other[: len(one)]
    alike = json.dumps(one, sort_keys=True) == json.dumps(start, sort_keys=True)
    assert alike or not copied(one).begin(other)
    assert copied(one).begin(other) or repr(one) != repr(start)


@given(TALKS.filter(bool), st.data())
def test_what_is_changed_in_place_is_seen(talk, data):
    known = copied(talk)
    message = data.draw(st.sampled_from(talk))
    key, value = data.draw(st.sampled_from([("role", "c"), ("content", "c"), ("other", "a")]))
    message[key] = value
    assert not known.begin(talk)


def test_a_copy_does_not_change_with_what_was_copied():
    talk = [{"role": "user", "content": [{"type": "text", "text": "a"}]}]
    known, before = copied(talk), copy.deepcopy(talk)
    talk[0]["content"][0]["text"] = "b"
    assert not known.begin(talk)
    assert known.begin(before)


@pytest.mark.parametrize("odd", [object(), None, 3, [1, 2]])
def test_what_is_no_message_any_more_is_another(odd):
    assert not copied([{"role": "user", "content": "a"}]).begin([odd])


def test_the_first_to_go_on_shares_what_another_does_not_see():
    first = copied([{"role": "user", "content": "a"}])
    one, other = (first.and_then([{"role": "user", "content": text}]) for text in "bc")
    talk = [{"role": "user", "content": text} for text in "ab"]
    assert first.begin(talk)
    assert one.begin(talk)
    assert not other.begin(talk)


def test_a_message_of_text_is_its_own_copy_and_one_of_parts_is_not():
    said, shown = Message("Hello"), Message([{"type": "text", "text": "Hello"}])
    copies = copies_of([said, shown])
    assert copies == [said, shown]
    assert [one is other for one, other in zip(copies, (said, shown), strict=True)] == [True, False]


def test_what_may_be_written_otherwise_is_found_at_any_depth():
    assert is_ambiguous({"a": [{"b": [1]}]})
    assert is_ambiguous({"a": OrderedDict(b=(False,))})
    assert is_ambiguous({1: "a"})
    assert is_ambiguous([datetime(2024, 5, 1, tzinfo=UTC)])
    assert not is_ambiguous({"a": ["1", None, {"b": []}]})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (OrderedDict(n=1), OrderedDict(n=True)),
        ({"n": [OrderedDict(n=1)], "m": 1}, {"n": [OrderedDict(n=True)], "m": 1}),
        ({"n": {1: "a"}}, {"n": {True: "a"}}),
        (
            {"n": datetime(2024, 5, 1, tzinfo=UTC)},
            {"n": datetime(2024, 5, 1, 2, tzinfo=timezone(timedelta(hours=2)))},
        ),
        (Message([{"n": 1}]), Message([{"n": True}])),
        (Message("a", extra={"n": 1}), Message("a", extra={"n": True})),
    ],
)
def test_what_python_calls_equal_is_another_where_it_is_written_otherwise(one, other):
    assert copied([one]).begin([one])
    assert not copied([one]).begin([other])
