from __future__ import annotations

from dataclasses import replace
from inspect import signature
from typing import Any

import pytest
from openai.resources.chat.completions import AsyncCompletions, Completions

from agentmaker.calls.sdk.created import arguments_of, by_create, parameters
from tests.calls.talk import call_of, user


@pytest.mark.parametrize("resource", [AsyncCompletions, Completions])
def test_the_names_that_create_takes_are_known(resource):
    assert parameters() == signature(resource.create).parameters.keys() - {"self"}


def test_a_call_is_said_in_the_arguments_of_create():
    tool = {"type": "function", "function": {"name": "look"}}
    call = call_of(
        user("q"),
        model="m",
        params={"seed": 3, "top_k": 5, "stream": True},
        options={"extra_headers": {"a": "b"}, "timeout": None, "trace_name": "mine"},
    )
    call = replace(call, messages=(user("q"),), window=replace(call.window, tools=(tool,)))
    assert arguments_of(call) == {
        "model": "m",
        "messages": [user("q")],
        "tools": [tool],
        "seed": 3,
        "stream": True,
        "extra_headers": {"a": "b"},
        "timeout": None,
        "trace_name": "mine",
        "extra_body": {"top_k": 5},
    }


def test_who_stands_in_the_place_of_create_is_looked_up_for_each_call():
    asked: list[Any] = []
    call = replace(call_of(user("q"), model="m"), messages=(user("q"),))
    for answer in ("one", "two"):
        given = by_create(lambda: lambda **said: asked.append(said) or answer, call, None)  # noqa: B023
        assert given == answer
    assert asked == [{"model": "m", "messages": [user("q")]}] * 2
