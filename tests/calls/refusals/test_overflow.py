"""The wordings of the test server, through the real SDK."""

from __future__ import annotations

import openai
import pytest

from agentmaker.calls.refusals.faults import fault_in
from agentmaker.calls.refusals.overflow import Overflow, PromptRefused
from agentmaker.testing import OVERFLOWS, ModelServer

NO_ERROR = {"empty-stream", "finish-reason", "ollama-truncated"}
UNREAD = {"openrouter-200", "responses-event"}
"""Successes to the SDK, whose body says otherwise."""

WINDOW = 4_096

pytestmark = pytest.mark.anyio


def overflow_in(error):
    fault = fault_in(error)
    return fault.overflow if fault else None


async def refusal(name, words, **params):
    server = ModelServer(window=WINDOW, overflow=name, counter=lambda text: len(text.split()))
    async with server.client(max_retries=0) as client:
        messages = [{"role": "user", "content": "word " * words}]
        with pytest.raises(openai.APIStatusError) as caught:
            await client.chat.completions.create(model="m", messages=messages, **params)
    return caught.value, server.requests[0].prompt_tokens


@pytest.mark.parametrize("name", sorted(OVERFLOWS.keys() - NO_ERROR - UNREAD))
@pytest.mark.parametrize(("words", "params"), [(9_000, {}), (4_000, {"max_tokens": 512})])
async def test_the_sizes_that_a_server_states_are_those_it_has(name, words, params):
    error, prompt = await refusal(name, words, **params)

    found = overflow_in(error)
    output = params.get("max_tokens", 0)
    assert found is not None
    assert found.limit in (WINDOW, None)
    assert found.prompt in (prompt, None)
    assert found.output in (output, None)
    assert found.total in (prompt + output, None)
    assert found.excess in (prompt + output - WINDOW, None)


@pytest.mark.parametrize("name", sorted(OVERFLOWS.keys() - NO_ERROR))
def test_every_wording_is_an_overflow_as_the_event_of_a_stream(name):
    _, body = OVERFLOWS[name](9_000, WINDOW, 0)
    found = overflow_in(openai.APIError("no", None, body=body))

    assert found is not None
    assert found.limit in (WINDOW, None)


def test_what_no_server_sent_is_none():
    assert overflow_in(ValueError("the prompt is too long")) is None


def test_a_refused_prompt_says_what_the_server_said():
    error = ValueError("no")
    refused = PromptRefused(Overflow(message="too long"), None, error)

    assert str(refused) == "too long"
    assert refused.error is error
