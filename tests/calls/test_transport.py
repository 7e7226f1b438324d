from __future__ import annotations

from dataclasses import replace
from typing import Any

import openai
import pytest

from agentmaker import LLMRequestError, Usage
from agentmaker.calls.call import Call
from agentmaker.calls.refusals.overflow import PromptRefused
from agentmaker.calls.sdk.posted import body_of, options_of
from agentmaker.calls.translation import translated
from agentmaker.calls.transport import Transport
from agentmaker.testing import ModelServer, ServerError, error_body
from tests.calls.talk import call_of, ledger_of, user

pytestmark = pytest.mark.anyio


def fitted(**given: Any) -> Call:
    return replace(call_of(user(), model="m", **given), messages=(user("hi"),))


async def test_what_is_sent_is_the_call_and_nothing_else():
    server = ModelServer("Hello")
    reply = await Transport(server.client())(fitted(params={"temperature": 0.5, "seed": None}))
    assert server.requests[0].body == {
        "model": "m", "temperature": 0.5, "seed": None, "messages": [user("hi")],
    }  # fmt: skip
    assert (reply.content, reply.finish_reason, reply.settled) == ("Hello", "stop", True)
    assert isinstance(reply.usage, Usage)


async def test_case_113_tools_leave_in_the_order_they_were_given():
    tools = tuple({"type": "function", "function": {"name": name}} for name in "bac")
    call = fitted()
    call = replace(call, window=replace(call.window, tools=tools, response_format={"type": "json"}))
    body = body_of(call)
    assert [tool["function"]["name"] for tool in body["tools"]] == ["b", "a", "c"]
    assert body["response_format"] == {"type": "json"}
    assert "tools" not in body_of(fitted())


async def test_how_to_send_it_goes_along_in_the_sdk_s_own_terms():
    server = ModelServer("Hello")
    options = {"extra_headers": {"X-Team": "a"}, "extra_query": {"v": "2"}, "timeout": 5.0}
    await Transport(server.client())(fitted(options={**options, "other": 1}))
    assert server.requests[0].headers["x-team"] == "a"
    assert options_of(fitted(options=options)) == {
        "max_retries": 0,
        "security": {"bearer_auth": True},
        "headers": {"X-Team": "a"},
        "params": {"v": "2"},
        "timeout": 5.0,
    }


async def test_the_administrator_s_key_is_not_sent_with_a_prompt():
    server = ModelServer("Hello", strict=True)
    client = server.client(admin_api_key="sk-admin")
    seen: list[str] = []

    async def look(request: Any) -> None:
        seen.append(request.headers["authorization"])

    client._client.event_hooks["request"].append(look)
    await Transport(client)(fitted())
    assert seen == ["Bearer test"]


async def test_the_sdk_does_not_retry_below_us():
    server = ModelServer(ServerError(500, error_body("down")))
    with pytest.raises(openai.InternalServerError):
        await Transport(server.client(max_retries=5))(fitted())
    assert len(server.requests) == 1


async def test_an_overflow_is_refused_with_the_ledger_of_its_call():
    server = ModelServer(window=1)
    call = replace(fitted(), ledger=ledger_of(8_000, 9))
    with pytest.raises(PromptRefused) as refused:
        await Transport(server.client())(call)
    assert refused.value.ledger is call.ledger
    assert refused.value.overflow.limit == 1
    assert refused.value.__cause__ is refused.value.error
    assert isinstance(refused.value.error, openai.BadRequestError)


async def test_an_answer_without_a_message_is_an_empty_reply_and_the_caller_s_object():
    server = ModelServer(ServerError(200, {"choices": [{"message": None}]}))
    reply = await Transport(server.client())(fitted())
    assert (reply.content, reply.tool_calls) == (None, ())
    assert isinstance(reply.raw, openai.types.chat.ChatCompletion)


@pytest.mark.parametrize("body", [{}, {"choices": None}, {"choices": []}, {"id": "x"}, "<html>"])
async def test_case_53_an_answer_without_choices_is_none(body):
    server = ModelServer(ServerError(200, body))
    with pytest.raises(openai.APIResponseValidationError, match="without a reply"):
        await Transport(server.client())(fitted())


@pytest.mark.parametrize(
    ("code", "kind"),
    [(502, openai.InternalServerError), (429, openai.RateLimitError), ("400", openai.APIError)],
)
async def test_case_53_an_error_that_came_with_a_success_is_raised_as_what_it_is(code, kind):
    body = {"id": "g", "error": {"message": "Upstream is unwell", "code": code}}
    with pytest.raises(kind, match="Upstream is unwell") as error:
        await Transport(ModelServer(ServerError(200, body)).client())(fitted())
    assert error.value.body["code"] == code


async def test_who_uses_a_client_in_a_second_event_loop_is_told_what_to_do():
    class OfClosedLoop:
        async def post(self, *args: Any, **options: Any) -> None:
            raise RuntimeError("Event loop is closed")

    with pytest.raises(RuntimeError) as error:
        await Transport(OfClosedLoop())(fitted())
    assert "make the client within each asyncio.run()" in error.value.__notes__[0]


async def test_a_request_above_the_rate_limit_is_a_rate_limit_that_says_so():
    words = "Request too large on tokens per minute (TPM): Limit 6000, Requested 14810"
    body = error_body(words, type="tokens", code="rate_limit_exceeded")
    with pytest.raises(openai.APIStatusError) as error:
        await Transport(ModelServer(ServerError(413, body)).client())(fitted())
    assert "14,810 tokens is larger than the 6,000" in error.value.__notes__[0]
    ours = translated(error.value)
    assert isinstance(ours, LLMRequestError)
    assert "no wait lets it through" in str(ours)
    assert not ours.retryable
