"""A server that calls a history malformed, met through a wrapped client."""

from __future__ import annotations

import copy
from typing import Any

import openai
import pytest

from agentmaker.testing import ServerError, violations
from agentmaker.testing.errors import error_body
from agentmaker.testing.strict import Violation
from tests.clients.asking import Asked, assistant, step, talk, user

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("by_the_rule")]

SYSTEM = {"role": "system", "content": "Be brief."}
ODD = [SYSTEM, user("1"), user("2"), *step(1), user("3")]


def alternating(body: Any) -> list[Violation]:
    """A template that wants one system message, and turns."""
    if not violations(body, alternation=True, system_first=True):
        return []
    return [Violation("template", "messages", "conversation roles must alternate user/assistant")]


class Template:
    """A server whose template raises, with the status and in the words of llama.cpp."""

    def __init__(self, status: int = 500) -> None:
        self.status = status

    def __call__(self, body: Any) -> Any:
        found = alternating(body)
        words = f"Jinja Exception: {found[0].message}" if found else ""
        return ServerError(self.status, error_body(words, code=self.status)) if found else "Fine."


@pytest.mark.parametrize("status", [400, 500])
async def test_it_is_mended_and_sent_once_more_and_both_are_recorded(status):
    asked = Asked(Template(status), server={"strict": False})
    messages = copy.deepcopy(ODD)
    reply = await asked(messages)
    assert reply.choices[0].message.content == "Fine."
    assert messages == ODD
    assert [received.status for received in asked.server.requests] == [status, 200]
    assert [record.outcome == "ok" for record in asked.sink.records] == [False, True]
    assert alternating(asked.bodies[-1]) == []
    (repair,) = asked.sink.last.ledger.repairs
    assert repair.startswith("refused for roles that do not alternate")


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_stream_is_refused_before_it_begins_and_begins_as_it_should():
    asked = Asked(Template(), server={"strict": False})
    stream = await asked(ODD, stream=True)
    text = "".join([chunk.choices[0].delta.content or "" async for chunk in stream])
    assert text == "Fine."
    assert [received.status for received in asked.server.requests] == [500, 200]


async def test_the_next_call_begins_anew_unless_the_dialect_learns():
    plain, learning = (
        Asked(Template(), server={"strict": False}),
        Asked(Template(), server={"strict": False}, dialect="learning"),
    )
    for asked in (plain, learning):
        for _ in range(2):
            await asked(ODD)
    assert [received.status for received in plain.server.requests] == [500, 200, 500, 200]
    assert [received.status for received in learning.server.requests] == [500, 200, 200]


async def test_an_error_that_no_dialect_answers_passes_after_one_request():
    words = error_body("conversation roles must alternate user/assistant")
    asked = Asked(ServerError(400, words))
    with pytest.raises(openai.BadRequestError, match="alternate"):
        await asked([user("1"), assistant("a"), user("2")])
    assert len(asked.sent) == 1


async def test_a_named_dialect_spares_the_refusal():
    asked = Asked(Template(), server={"strict": False}, dialect="mistral")
    await asked(ODD)
    assert [received.status for received in asked.server.requests] == [200]


async def test_what_was_cut_stays_cut_where_only_the_form_changes():
    asked = Asked(Template(), server={"strict": False}, window=2_000, output_tokens=200)
    messages = [SYSTEM, *talk(40), user("last"), user("question")]
    await asked(messages)
    first, second = ([each["content"] for each in body["messages"]] for body in asked.bodies)
    assert "recap" in first[1]
    assert second == ["\n\n".join(first[:2]), *first[2:-2], "last\n\nquestion"]


def gemma(body: Any) -> Any:
    """The answer of a model that knows no system role."""
    roles = [each["role"] for each in body["messages"]]
    refused = ServerError(400, error_body("System role not supported"))
    return refused if "system" in roles else "It went well."


async def test_a_summary_is_said_in_the_dialect_too():
    asked = Asked(gemma, server={"strict": False}, window=2_000, output_tokens=200, summarizer="m")
    await asked([SYSTEM, *talk(40), user("question")])
    purposes = [(record.purpose, record.outcome) for record in asked.sink.records]
    assert ("summary", "ok") in purposes
    assert purposes[-1] == ("request", "ok")


async def test_a_summary_is_said_in_the_dialect_of_the_model_that_writes_it():
    given = {"window": 2_000, "output_tokens": 200, "summarizer": "gemma-2-9b-it"}
    asked = Asked("It went well.", **given)
    await asked([*talk(40), user("question")])
    written = [body for body in asked.bodies if body["model"] == "gemma-2-9b-it"]
    assert written
    assert all({each["role"] for each in body["messages"]} == {"user"} for body in written)
