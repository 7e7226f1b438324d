from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmaker.calls.forms.repair import repair
from agentmaker.calls.memory.conversations import Conversations
from agentmaker.calls.window import question_index
from agentmaker.messages import Message, read_messages
from agentmaker.prompts import DEFAULT_PROMPTS
from tests.calls.talk import assistant, calls, result, user

TALK = [user("q"), calls("a", "b"), result("b"), result("a"), assistant("done"), user("next")]

pieces = st.one_of(
    st.sampled_from(["x", "", "long " * 20]).map(lambda text: [user(text)]),
    st.sampled_from(["x", "", None]).map(lambda text: [assistant(text)]),
    st.sampled_from(["a", "b", ""]).map(lambda id: [calls(id), result(id)]),
    st.sampled_from(["a", "b"]).map(lambda id: [calls(id)]),
    st.sampled_from(["a", "b"]).map(lambda id: [result(id)]),
)
talks = st.lists(pieces, min_size=1, max_size=8).map(
    lambda found: [each for piece in found for each in piece]
)


def read(known: Conversations, given_messages: Any) -> Any:
    return known.read(given_messages, DEFAULT_PROMPTS)


@given(talks)
def test_a_conversation_that_grows_is_read_as_it_would_be_at_once(talk: list[Any]) -> None:
    known = Conversations()
    for end in range(1, len(talk) + 1):
        assert read(known, talk[:end]).messages == repair(read_messages(talk[:end])).messages


@given(talks, talks)
def test_one_conversation_never_changes_how_another_is_read(
    one: list[Any], other: list[Any]
) -> None:
    known = Conversations()
    read(known, one)
    assert read(known, other) == repair(read_messages(other))


def test_what_was_read_before_is_the_same_object() -> None:
    known = Conversations()
    first = read(known, TALK[:5]).messages
    again = read(known, TALK).messages
    assert all(one is two for one, two in zip(first, again, strict=False))
    assert len(again) == len(TALK)


def test_a_message_changed_in_place_is_read_anew() -> None:
    known, talk = Conversations(), copy.deepcopy(TALK)
    read(known, talk)
    talk[0]["content"] = "another question"
    assert read(known, talk).messages[0].content == "another question"


def test_a_message_changed_later_does_not_change_what_was_read() -> None:
    talk = [user([{"type": "text", "text": "one"}])]
    (message,) = read(Conversations(), talk).messages
    talk[0]["content"][0]["text"] = "two"
    assert message.text == "one"


def test_a_call_answered_later_takes_the_place_of_its_stand_in() -> None:
    known = Conversations()
    assert read(known, TALK[:2]).defects
    assert read(known, TALK).messages == read_messages(TALK)


def test_an_id_used_again_is_renamed_across_calls() -> None:
    known, turns = Conversations(), [calls("c"), result("c"), user("more")]
    read(known, turns)
    assert read(known, [*turns, *turns]) == repair(read_messages([*turns, *turns]))


def test_a_fault_names_its_place_in_the_whole_list() -> None:
    known = Conversations()
    read(known, TALK)
    with pytest.raises(TypeError, match=rf"messages\[{len(TALK)}\]"):
        read(known, [*TALK, None])


def test_what_cannot_be_copied_is_read_all_the_same() -> None:
    class Odd(dict[str, Any]):
        def __deepcopy__(self, memo: Any) -> Any:
            raise RuntimeError("not me")

    assert read(Conversations(), [Odd(user("q"))]).messages == (Message("q"),)


def test_huge_messages_cannot_fill_the_memory() -> None:
    known = Conversations()
    known._known.most_characters = 1_000_000
    for index in range(20):
        read(known, [user(f"{index}" + "x" * 100_000), calls("c", arguments="y" * 100_000)])
        read(known, [user(f"{index}" + "x" * 100_000)])
    assert len(known._known) <= 10


def test_the_question_is_known_without_a_search() -> None:
    known = Conversations()
    for end in range(1, len(TALK) + 1):
        done = read(known, TALK[:end])
        expected = question_index(done.messages)
        assert done.asked == (None if done.defects else expected)


def test_the_memory_is_bounded() -> None:
    known = Conversations(maximum=3)
    for index in range(20):
        read(known, [user(str(index))])
    assert len(known._known) == 3


def test_messages_that_cannot_change_are_not_copied() -> None:
    known, talk = Conversations(), read_messages(TALK)
    assert read(known, talk[:5]).messages is not talk
    assert read(known, talk).messages is talk


def test_a_message_in_the_place_of_another_is_read_anew() -> None:
    known, talk = Conversations(), read_messages(TALK)
    read(known, talk)
    changed = (talk[0], talk[1], Message("b too", role="tool", tool_call_id="b"), *talk[3:])
    assert read(known, changed).messages == changed != talk


def test_the_equals_of_messages_are_known_as_those() -> None:
    known = Conversations()
    first = read(known, read_messages(TALK[:5])).messages
    again = read(known, read_messages(copy.deepcopy(TALK))).messages
    assert all(one is two for one, two in zip(first, again, strict=False))


def test_a_message_of_parts_changed_in_place_is_read_anew_among_those_that_cannot_change() -> None:
    known, talk = Conversations(), (Message("one"), Message([{"type": "text", "text": "two"}]))
    read(known, talk)
    talk[1].content[0]["text"] = "three"
    assert read(known, talk).messages[1].text == "three"


@pytest.mark.parametrize("last", [user("last"), Message("last")])
def test_dictionaries_behind_messages_are_read_behind_them(last: Any) -> None:
    known, talk = Conversations(), read_messages(TALK)
    first = read(known, talk).messages
    longer = read(known, (*talk, user("more"), last)).messages
    assert longer == (*talk, Message("more"), Message("last"))
    assert all(one is two for one, two in zip(first, longer, strict=False))
    again = read(known, (*talk, user("more"), last, user("end"))).messages
    assert all(one is two for one, two in zip(longer, again, strict=False))
