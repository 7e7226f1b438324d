"""A list that its caller goes on changing: every request says what it holds by then."""

from __future__ import annotations

from collections.abc import Callable
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
