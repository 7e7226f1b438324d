"""What a refusal, and an answer that is none, become under ``wrap``."""

from __future__ import annotations

from typing import Any

import openai
import pytest

from agentmaker import ContextOverflow
from agentmaker.testing import RawStream, ServerError, error_body
from tests.clients.asking import QUESTION, Asked, talk, user

# The SDK leaves generators open, which trio does not let pass.
pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("anyio_backend", ["asyncio"])]

LONG = [*talk(20), user("and now?")]


def finished(reason: str, prompt: int, spent: int, **message: Any) -> dict[str, Any]:
    """A completion that ended before it said anything."""
    said = {"role": "assistant", "content": "", **message}
    return {
        "choices": [{"index": 0, "message": said, "finish_reason": reason}],
        "usage": {"prompt_tokens": prompt, "completion_tokens": spent},
    }


async def text_of(answer: Any) -> str:
    if isinstance(answer, openai.AsyncStream):
        chunks = [chunk async for chunk in answer]
        return "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    return str(answer.choices[0].message.content)


@pytest.fixture(params=[False, True], ids=["plain", "stream"])
def stream(request: pytest.FixtureRequest) -> dict[str, Any]:
    usage = {"stream_options": {"include_usage": True}}
    return {"stream": True, **usage} if request.param else {}


@pytest.mark.parametrize(
    "silent",
    [
        finished("model_context_window_exceeded", 1, 0),
        finished("length", 2_048, 0),
        finished("length", 7_700, 300, reasoning_content="hm"),
    ],
)
async def test_case_56_a_full_prompt_is_sent_again_smaller(silent, stream):
    asked = Asked([silent, "Fine."])
    if stream and silent["choices"][0]["message"].get("reasoning_content"):
        pytest.skip("thoughts were handed on by then")
    assert await text_of(await asked(LONG, **stream)) == "Fine."
    first, second = asked.server.requests
    assert second.prompt_tokens < first.prompt_tokens


async def test_case_56_one_that_stays_full_is_an_overflow(stream):
    asked = Asked(finished("model_context_window_exceeded", 1, 0))
    with pytest.raises(openai.BadRequestError) as error:
        await asked(LONG, **stream)
    assert isinstance(error.value, ContextOverflow)
    assert len(asked.sent) == 2


async def test_a_starved_reply_is_asked_for_again_with_more_output(stream):
    asked = Asked([finished("length", 900, 300), "Fine."], server={"window": 64_000}, window=64_000)
    assert await text_of(await asked(LONG, max_tokens=300, **stream)) == "Fine."
    first, second = asked.bodies
    assert (first["max_tokens"], second["max_tokens"]) == (300, 4_096)
    assert first["messages"] == second["messages"]


async def test_one_that_stays_starved_is_the_caller_s_to_read(stream):
    asked = Asked(finished("length", 900, 300))
    answer = await asked(LONG, max_tokens=300, **stream)
    assert await text_of(answer) == ""
    assert len(asked.sent) == 2


async def test_a_starved_reply_is_kept_where_asking_again_fails():
    down = ServerError(503, error_body("down"))
    asked = Asked([finished("length", 900, 300), down])
    assert (await asked(LONG, max_tokens=300)).choices[0].finish_reason == "length"


async def test_an_empty_stream_behind_a_long_prompt_is_an_overflow():
    asked = Asked([RawStream([]), "Fine."])
    assert await text_of(await asked(LONG, stream=True)) == "Fine."
    first, second = asked.server.requests
    assert second.prompt_tokens < first.prompt_tokens


async def test_one_behind_a_short_prompt_is_a_broken_connection():
    asked = Asked(RawStream([]))
    with pytest.raises(openai.APIConnectionError):
        await asked(QUESTION, stream=True)
    assert len(asked.sent) == 1


async def test_a_refusal_in_a_stream_event_is_recovered_from():
    words = "Your input exceeds the context window of this model."
    event = {"type": "error", "code": "context_length_exceeded", "message": words, "param": None}
    asked = Asked([RawStream([event]), "Fine."])
    assert await text_of(await asked(LONG, stream=True)) == "Fine."
    assert [record.outcome for record in asked.sink] == ["PromptRefused", "ok"]


async def test_a_refusal_that_came_with_a_success_is_recovered_from(stream):
    words = "This endpoint's maximum context length is 3000 tokens, you requested about 9000"
    asked = Asked([ServerError(200, {"error": {"message": words, "code": 400}}), "Fine."])
    assert await text_of(await asked(LONG, **stream)) == "Fine."
    assert len(asked.sent) == 2


async def test_case_49_the_first_size_is_never_sent_again_though_the_smaller_one_meets_a_failure(
    monkeypatch,
):
    monkeypatch.setattr("agentmaker.calls.retry.FIRST_WAIT", 0)
    refusal = ServerError(500, {"error": {"message": "the context size has been exceeded"}})
    asked = Asked([refusal, ServerError(503, error_body("busy")), "Fine."])
    asked.client = asked.client.with_options(max_retries=2)
    assert await text_of(await asked(LONG)) == "Fine."
    first, second, third = asked.sent
    assert len(second) < len(first)
    assert second == third
