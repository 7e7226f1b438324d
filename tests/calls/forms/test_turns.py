from __future__ import annotations

from typing import Any

import pytest

from agentmaker.calls.forms.turns import in_turns, is_answer, joined
from agentmaker.messages import Message, read_messages
from tests.calls.talk import assistant, calls, result, system, user

OPENING, UNSAID = Message("(start)"), Message("(no reply)", "assistant")


def turned(*messages: dict[str, Any]) -> list[dict[str, Any]]:
    turns = in_turns(read_messages(messages), opening=OPENING, unsaid=UNSAID)
    return [turn.message.to_wire() for turn in turns]


def test_turns_that_alternate_are_left_alone_calls_and_results_between_them():
    talk = [system(), user(), calls("c"), result("c"), calls("d"), result("d"), assistant(), user()]
    assert turned(*talk) == talk


@pytest.mark.parametrize(
    ("given", "leave"),
    [
        ([user("1"), user("2")], [user("1\n\n2")]),
        ([user(), assistant("1"), assistant("2")], [user(), assistant("1\n\n2")]),
        ([user(), assistant("1"), calls("c"), result("c")],
         [user(), {**calls("c"), "content": "1"}, result("c")]),
        ([assistant(), user()], [user("(start)"), assistant(), user()]),
        ([system()], [system(), user("(start)")]),
        ([system("1"), system("2")], [system("1"), system("2"), user("(start)")]),
        ([], []),
        ([system(), calls("c"), result("c")],
         [system(), user("(start)"), calls("c"), result("c")]),
        ([user("1"), calls("c"), result("c"), user("2")],
         [user("1"), calls("c"), result("c"), assistant("(no reply)"), user("2")]),
        ([user("1"), calls("c"), result("c"), user("2"), user("3")],
         [user("1"), calls("c"), result("c"), assistant("(no reply)"), user("2\n\n3")]),
    ],
)  # fmt: skip
def test_texts_in_a_row_are_joined_and_a_missing_turn_gets_a_few_words(given, leave):
    assert turned(*given) == leave


def test_each_turn_knows_what_it_is_made_of():
    messages = read_messages([user("1"), user("2"), calls("c"), result("c"), user("3")])
    turns = in_turns(messages, opening=OPENING, unsaid=UNSAID)
    assert [turn.places for turn in turns] == [(0, 1), (2,), (3,), (), (4,)]


def test_pictures_and_thoughts_of_joined_messages_are_all_kept():
    image = {"type": "image_url", "image_url": {"url": "u"}}
    first = Message([image], extra={"reasoning_content": "a", "x": 1})
    both = joined(first, Message("t", extra={"reasoning_content": "b", "y": 2}))
    assert both.content == [image, {"type": "text", "text": "t"}]
    assert both.extra == {"reasoning_content": "a\n\nb", "x": 1, "y": 2}


def test_a_call_of_the_retired_kind_that_has_no_result_ends_as_an_answer_does():
    assert is_answer(Message(None, "assistant", extra={"function_call": {"name": "f"}}))


@pytest.mark.parametrize("key", ["prefix", "partial"])
def test_an_answer_that_is_to_be_gone_on_with_asks_for_something(key):
    assert is_answer(Message("a", "assistant"))
    assert not is_answer(Message("a", "assistant", extra={key: True}))
    assert not is_answer(Message("q"))
