"""What a client remembers cannot be seen: its requests are those of one that never saw a message.

Conversations of every kind of message grow, fork and are edited in place between the requests.
"""

from __future__ import annotations

import copy
import itertools
import re
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openai import BaseModel
from openai.types.chat import ChatCompletionMessage

from agentmaker.messages import Message
from agentmaker.plain import dumps
from tests.calls.sdk.test_ready import Posted
from tests.calls.talk import assistant, calls, result, user

Talk: TypeAlias = list[Any]


class Derived(dict[str, Any]):
    """A dictionary of the caller's own class."""


def part(text: str, value: Any) -> dict[str, Any]:
    return {"type": "text", "text": text, "n": value}


def odd_object(text: str, value: Any) -> Any:
    return ChatCompletionMessage.construct(role="assistant", content=text, n=value)


FORMS: tuple[Callable[[str, Any], Talk], ...] = (
    lambda text, value: [user(text)],
    lambda text, value: [assistant(text)],
    lambda text, value: [Message(text)],
    lambda text, value: [{**user(text), "meta": {"n": value}}],
    lambda text, value: [Derived(assistant(text), n=value)],
    lambda text, value: [user([part(text, value)])],
    lambda text, value: [user(text), assistant("seen"), Message([part(text, value)])],
    lambda text, value: [Message(text, "assistant", extra={"n": value})],
    lambda text, value: [odd_object(text, value)],
    lambda text, value: [calls(text), result(text, [part(text, value)]), user("a picture")],
    lambda text, value: [user([Derived(part(text, value))])],
)
VALUES = st.sampled_from([True, 1, 1.0, 0, False, -0.0, 0.0, "a"])
PIECES = st.tuples(st.sampled_from(FORMS), VALUES)
NUMBERS = st.integers(0, 40)

numbers_of_texts = itertools.count(10**6)  # of one length, so that a failure comes again


def made(piece: Any) -> Talk:
    form, value = piece
    return form(f"text-{next(numbers_of_texts)}-", value)


def holders(said: Any) -> Iterator[Any]:
    """The dictionaries in a message that hold a value."""
    if isinstance(said, BaseModel):
        said = said.model_extra
    if isinstance(said, Message):
        said = [said.content, said.extra]
    if isinstance(said, dict) and "n" in said:
        yield said
    for each in said.values() if isinstance(said, dict) else said:
        if isinstance(each, (dict, list)):
            yield from holders(each)


def say_otherwise(talk: Talk, place: int, value: Any) -> None:
    found = [each for message in talk for each in holders(message)]
    if found:
        found[place % len(found)]["n"] = value


def change_text(talk: Talk, place: int, value: Any) -> None:
    message = talk[place % len(talk)]
    if isinstance(message, dict) and isinstance(message["content"], str):
        message["content"] = f"text-{next(numbers_of_texts)}-"


def swap(talk: Talk, place: int, value: Any) -> None:
    talk[place % len(talk)], talk[0] = talk[0], talk[place % len(talk)]


def take_away(talk: Talk, place: int, value: Any) -> None:
    del talk[1:][place % len(talk) :]


def show_twice(talk: Talk, place: int, value: Any) -> None:
    talk.append(talk[place % len(talk)])


EDITS = (say_otherwise, say_otherwise, change_text, swap, take_away, show_twice)
STEPS = st.one_of(
    st.tuples(st.just("go on"), st.lists(PIECES, min_size=1, max_size=3)),
    st.tuples(st.just("edit"), st.tuples(st.sampled_from(EDITS), NUMBERS, VALUES)),
    st.tuples(st.just("edit"), st.tuples(st.just(say_otherwise), NUMBERS, VALUES)),
    st.tuples(st.just("fork"), st.booleans()),
)
TALKS = st.tuples(st.lists(PIECES, min_size=1, max_size=8), st.lists(STEPS, max_size=12))


def stages(begun: list[Any], steps: list[Any]) -> Iterator[Talk]:
    """What is sent, in order: of two talks in turn where one was forked."""
    talk, other = [each for piece in begun for each in made(piece)], None
    yield talk
    for step, how in steps:
        if step == "go on":
            talk += [each for piece in how for each in made(piece)]
        elif step == "fork":
            other = list(talk) if how else copy.deepcopy(talk)
        else:
            change, place, value = how
            change(talk, place, value)
        yield talk
        talk, other = (other, talk) if other is not None else (talk, None)


@settings(max_examples=100)
@given(TALKS, st.sampled_from(["lenient", "strict"]), st.sampled_from(["auto", "body"]))
def test_a_request_is_what_a_client_that_saw_none_before_would_send(
    talks: Any, dialect: str, send: str
) -> None:
    known = Posted(send=send, dialect=dialect)
    for talk in stages(*talks):
        assert known.create([*talk, user("now")]) == Posted(send=send, dialect=dialect).create(
            [*talk, user("now")]
        )


@settings(max_examples=50)
@given(TALKS)
def test_what_is_cut_shows_nothing_that_was_said_before_an_edit(talks: Any) -> None:
    known = Posted(window=1_000)
    before = [each for nth in range(20) for each in (user(f"{nth} so? " * 9), assistant("yes" * 9))]
    for talk in stages(*talks):
        sent = known.create([*before, *talk, user("now")])
        said = dumps([Message.from_wire(each).to_wire() for each in talk])
        assert set(re.findall(r"text-\d+-", sent.decode())) <= set(re.findall(r"text-\d+-", said))


@pytest.mark.parametrize("value", [1, True])
def test_so_it_is_with_tools_of_a_class_of_the_caller_s(value: Any) -> None:
    known, parameters = Posted(), {"type": "object", "default": 1.0}
    tool = Derived(type="function", function={"name": "f", "parameters": parameters})
    known.create(tools=[tool])
    parameters["default"] = value
    assert known.create(tools=[tool]) == Posted().create(tools=[tool])
