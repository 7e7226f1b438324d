"""A list that its caller goes on changing: every request says what it holds by then."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import agentmaker
from agentmaker.testing import ModelServer
from tests.calls.talk import assistant, calls, result, user

pytestmark = pytest.mark.anyio

Talk = list[dict[str, Any]]


def talk() -> Talk:
    """Questions and answers, and work with results, beyond the least that leaves as bytes."""
    said = [
        message
        for nth in range(8)
        for message in (
            user(f"question {nth}"),
            calls(f"c{nth}"),
            result(f"c{nth}", f"found {nth}"),
            assistant(f"answer {nth}"),
        )
    ]
    return [*said, user("and now?")]


def say_otherwise(messages: Talk) -> None:
    messages[4]["content"] = "another question"


def call_otherwise(messages: Talk) -> None:
    messages[5]["tool_calls"][0]["function"]["arguments"] = '{"id": "other"}'


def say_more(messages: Talk) -> None:
    messages[7]["name"] = "helper"


def say_in_parts(messages: Talk) -> None:
    messages[8]["content"] = [{"type": "text", "text": "in parts"}]


def take_away(messages: Talk) -> None:
    del messages[4:8]


def put_between(messages: Talk) -> None:
    messages[8:8] = [user("by the way"), assistant("yes")]


def change_places(messages: Talk) -> None:
    messages[3], messages[7] = messages[7], messages[3]


CHANGES = (
    say_otherwise,
    call_otherwise,
    say_more,
    say_in_parts,
    take_away,
    put_between,
    change_places,
)


@pytest.mark.parametrize("dialect", ["lenient", "strict"])
@pytest.mark.parametrize("change", CHANGES)
async def test_what_changed_in_the_same_list_is_sent_as_if_never_seen_before(
    change: Callable[[Talk], None], dialect: str
) -> None:
    messages, server = talk(), ModelServer(window=100_000)
    client = agentmaker.wrap(server.client(), window=100_000, dialect=dialect)
    for _ in range(2):
        await client.chat.completions.create(model="gpt-4o", messages=messages)
        messages += [assistant("so far"), user("go on")]
    change(messages)
    await client.chat.completions.create(model="gpt-4o", messages=messages)
    fresh = agentmaker.wrap(server.client(), window=100_000, dialect=dialect)
    await fresh.chat.completions.create(model="gpt-4o", messages=messages)
    before, changed, anew = (request.messages for request in server.requests[-3:])
    assert changed == anew
    assert changed[: len(before)] != before


NUMBERS = [(True, 1), (1, 1.0), (0.0, -0.0), (False, 0)]


def noted(value: object) -> dict[str, Any]:
    return {"role": "user", "content": "hi", "meta": {"values": [value]}}


@pytest.mark.parametrize(("before", "after"), NUMBERS)
async def test_a_number_changed_to_one_that_python_calls_equal_is_sent_as_it_is(
    before: object, after: object
) -> None:
    server, message = ModelServer(window=100_000), noted(before)
    client = agentmaker.wrap(server.client(), window=100_000)
    await client.chat.completions.create(model="gpt-4o", messages=[message])
    message["meta"]["values"][0] = after
    await client.chat.completions.create(model="gpt-4o", messages=[message])
    assert repr(server.requests[-1].messages[0]["meta"]) == repr({"values": [after]})


@pytest.mark.parametrize(("before", "after"), NUMBERS)
async def test_so_it_is_in_tools(before: object, after: object) -> None:
    server = ModelServer(window=100_000)
    client = agentmaker.wrap(server.client(), window=100_000)
    tool = {"type": "function", "function": {"name": "f", "parameters": {"default": before}}}
    await client.chat.completions.create(model="gpt-4o", messages=[user("hi")], tools=[tool])
    tool["function"]["parameters"]["default"] = after
    await client.chat.completions.create(model="gpt-4o", messages=[user("hi")], tools=[tool])
    sent = server.requests[-1].body["tools"][0]["function"]["parameters"]
    assert repr(sent) == repr({"default": after})


class Touchy:
    """Cannot be compared, as arrays cannot."""

    def __eq__(self, other: object) -> bool:
        raise ValueError("the truth value is ambiguous")

    __hash__ = None  # type: ignore[assignment]

    def __iter__(self) -> Iterator[int]:
        return iter((1, 2))


async def test_what_cannot_be_compared_is_read_anew() -> None:
    server = ModelServer(window=100_000)
    client = agentmaker.wrap(server.client(), window=100_000)
    messages = [{"role": "user", "content": "hi", "meta": Touchy()}]
    for _ in range(2):
        await client.chat.completions.create(model="gpt-4o", messages=messages)
    assert [request.messages[0]["meta"] for request in server.requests] == [[1, 2]] * 2


@pytest.mark.parametrize("change", CHANGES)
async def test_parts_of_a_list_changed_in_place_and_back_are_what_they_were(
    change: Callable[[Talk], None],
) -> None:
    server = ModelServer(window=100_000)
    client = agentmaker.wrap(server.client(), window=100_000)
    changed = talk()
    change(changed)
    for messages in (talk(), changed, talk()):
        await client.chat.completions.create(model="gpt-4o", messages=messages)
    first, other, last = (request.messages for request in server.requests)
    assert first == last != other
