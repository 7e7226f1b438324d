from __future__ import annotations

from typing import Any

import openai
import pytest

from agentmaker import ContextOverflow, LLMRequestError, LLMResponseError
from agentmaker.calls.translation import as_bad_request, translated
from agentmaker.testing import ModelServer, ServerError, error_body
from tests.calls.talk import ledger_of, user

pytestmark = pytest.mark.anyio


async def raised(status: int) -> Exception:
    """What the SDK raises for an answer of *status*."""
    client = ModelServer(ServerError(status, error_body("no"))).client(max_retries=0)
    with pytest.raises(openai.APIStatusError) as error:
        await client.chat.completions.create(model="m", messages=[user("hi")])
    return error.value


@pytest.mark.parametrize(("status", "retryable"), [(400, False), (429, True), (503, True)])
async def test_errors_of_the_sdk_become_ours(status, retryable):
    error = translated(await raised(status))
    assert isinstance(error, LLMRequestError)
    assert (error.status, error.retryable) == (status, retryable)


async def test_so_do_those_without_a_status():
    error = translated(openai.APIConnectionError(request=None))  # type: ignore[arg-type]
    assert isinstance(error, LLMRequestError)
    assert (error.status, error.retryable) == (None, True)


async def test_an_answer_that_is_no_completion_is_a_fault_of_the_answer():
    refused: Any = await raised(400)
    odd = openai.APIResponseValidationError(response=refused.response, body="<html>")
    assert isinstance(translated(odd), LLMResponseError)


async def test_errors_of_others_stay():
    error = ValueError()
    assert translated(error) is error


async def test_an_overflow_is_also_a_bad_request_with_every_fact():
    cause: Any = await raised(400)
    ledger = ledger_of(9, 5)
    overflow = ContextOverflow("too long", needed=9, room=5, status=400, ledger=ledger)
    error: Any = as_bad_request(overflow, cause)
    assert isinstance(error, ContextOverflow)
    assert isinstance(error, openai.BadRequestError)
    assert (error.needed, error.room, error.ledger) == (9, 5, ledger)
    assert (error.status_code, error.response, error.body) == (400, cause.response, cause.body)
    assert str(error) == str(overflow)


async def test_so_is_one_that_came_in_a_stream_or_in_a_finish_reason():
    overflow = ContextOverflow("too long", needed=9, room=5)
    error: Any = as_bad_request(overflow, ValueError())
    assert isinstance(error, openai.BadRequestError)
    assert (error.status_code, error.response.status_code, error.body) == (400, 400, None)
