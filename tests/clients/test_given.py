from __future__ import annotations

import openai
import pytest
from openai.types.chat import ChatCompletionFunctionTool

from agentmaker.clients.given import Given, checked_schemas, schemas
from tests.clients.asking import QUESTION, TOOL


def test_arguments_are_told_apart():
    given = Given.from_arguments(
        {
            "model": "m",
            "messages": QUESTION,
            "tools": [TOOL],
            "response_format": {"type": "text"},
            "seed": 3,
            "extra_headers": {"a": "b"},
            "timeout": 5.0,
        }
    )
    assert given == Given(
        messages=QUESTION,
        model="m",
        tools=[TOOL],
        response_format={"type": "text"},
        params={"seed": 3},
        options={"extra_headers": {"a": "b"}, "timeout": 5.0},
    )


@pytest.mark.parametrize("absent", [openai.NOT_GIVEN, openai.omit])
def test_what_was_not_given_is_not_there(absent):
    given = Given.from_arguments({"messages": QUESTION, "model": absent, "timeout": absent})
    assert given == Given(messages=QUESTION)


def test_no_timeout_at_all_is_something_said():
    given = Given.from_arguments({"timeout": None, "extra_query": None, "extra_body": None})
    assert given.options == {"timeout": None}


def test_an_extra_body_wins_as_in_the_sdk():
    body = {"messages": QUESTION, "model": "m", "seed": 3}
    given = Given.from_body(body, {"extra_body": {"model": "other", "seed": 4, "top_k": 5}})
    assert (given.model, given.params) == ("other", {"seed": 4, "top_k": 5})
    assert given.options == {}


def test_what_the_sdk_posts_is_read_by_the_names_of_create():
    given = Given.from_request(
        {"messages": QUESTION, "model": "m"},
        {"headers": {"a": "b"}, "extra_json": {"top_k": 5}, "idempotency_key": "k"},
    )
    assert given.params == {"top_k": 5}
    assert given.options == {"extra_headers": {"a": "b"}, "idempotency_key": "k"}


def test_what_the_caller_gave_is_not_changed():
    options = {"extra_body": {"top_k": 5}}
    body = {"messages": QUESTION, "model": "m"}
    Given.from_body(body, options)
    assert (body, options) == (
        {"messages": QUESTION, "model": "m"},
        {"extra_body": {"top_k": 5}},
    )


def test_schemas_may_be_objects_of_the_sdk():
    tool = ChatCompletionFunctionTool.model_validate(TOOL)
    assert schemas("tools", [tool, TOOL]) == [TOOL, TOOL]
    assert schemas("tools", checked_schemas("tools", iter([TOOL]))) == [TOOL]
