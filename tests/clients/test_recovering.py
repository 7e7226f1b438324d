"""What a refusal, and an answer that is none, become under ``wrap``."""

from __future__ import annotations

import copy
import logging
from typing import Any

import openai
import pytest

from agentmaker import ContextOverflow
from agentmaker.testing import RawStream, ServerError, error_body
from tests.clients.asking import QUESTION, Asked, talk, user

# The SDK leaves generators open, which trio does not let pass.
pytestmark = [
    pytest.mark.anyio,
    pytest.mark.parametrize("anyio_backend", ["asyncio"]),
    pytest.mark.usefixtures("by_the_rule"),
]

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


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits before a request is sent again."""
    monkeypatch.setattr("agentmaker.calls.retry.FIRST_WAIT", 0)


def patient(asked: Asked) -> Asked:
    """*asked* with as many retries as the SDK's clients have by default."""
    asked.client = asked.client.with_options(max_retries=openai.DEFAULT_MAX_RETRIES)
    return asked


@pytest.fixture(params=[False, True], ids=["plain", "stream"])
def stream(request: pytest.FixtureRequest) -> dict[str, Any]:
    usage = {"stream_options": {"include_usage": True}}
    return {"stream": True, **usage} if request.param else {}


@pytest.mark.parametrize(
    "silent",
    [
        finished("model_context_window_exceeded", 1, 0),
        finished("length", 2_048, 0),
    ],
)
async def test_case_56_a_full_prompt_is_sent_again_smaller(silent, stream):
    asked = Asked([silent, "Fine."])
    assert await text_of(await asked(LONG, **stream)) == "Fine."
    first, second = asked.server.requests
    assert second.prompt_tokens < first.prompt_tokens


async def test_so_is_one_that_left_room_for_thoughts_only():
    asked = Asked([finished("length", 7_700, 300, reasoning_content="hm"), "Fine."])
    assert await text_of(await asked(LONG)) == "Fine."
    first, second = asked.server.requests
    assert second.prompt_tokens < first.prompt_tokens


async def test_thoughts_that_were_streamed_already_are_all_there_is():
    asked = Asked(finished("length", 7_700, 300, reasoning_content="hm"))
    assert await text_of(await asked(LONG, stream=True)) == ""
    assert len(asked.sent) == 1


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


async def test_one_that_stays_empty_is_what_it_is_and_no_overflow():
    asked = Asked(RawStream([]))
    with pytest.raises(openai.APIConnectionError, match="ended before it began"):
        await asked(LONG, stream=True)
    assert len(asked.sent) == 2


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
    assert [record.outcome for record in asked.sink] == ["ContextOverflow", "ok"]


async def test_a_refusal_that_came_with_a_success_is_recovered_from(stream):
    words = "This endpoint's maximum context length is 3000 tokens, you requested about 9000"
    asked = Asked([ServerError(200, {"error": {"message": words, "code": 400}}), "Fine."])
    assert await text_of(await asked(LONG, **stream)) == "Fine."
    assert len(asked.sent) == 2


async def test_case_49_the_first_size_is_never_sent_again_though_the_smaller_one_meets_a_failure(
    at_once,
):
    refusal = ServerError(500, {"error": {"message": "the context size has been exceeded"}})
    asked = Asked([refusal, ServerError(503, error_body("busy")), "Fine."])
    asked.client = asked.client.with_options(max_retries=2)
    assert await text_of(await asked(LONG)) == "Fine."
    first, second, third = asked.sent
    assert len(second) < len(first)
    assert second == third


KEPT = "cannot keep the prompt, greater than the context length (n_keep: 13055>= n_ctx: 4096)"
COUNTED = "The input token count (2) exceeds the maximum number of tokens allowed (1)."
GOOGLES = {"code": 400, "message": COUNTED, "status": "INVALID_ARGUMENT"}


@pytest.mark.parametrize(
    "body",
    [{"error": KEPT}, [{"error": GOOGLES}], {"error": {"message": f'{{"error": "{KEPT}"}}'}}],
    ids=["a string", "a list", "json in a message"],
)
async def test_case_43_an_overflow_is_seen_whatever_the_shape_of_the_body(body, stream):
    asked = Asked([ServerError(400, body), "Fine."])
    assert await text_of(await asked(LONG, **stream)) == "Fine."
    first, second = asked.server.requests
    assert second.prompt_tokens < first.prompt_tokens


@pytest.mark.parametrize("body", [None, "", {}, [], {"error": None}])
async def test_case_43_a_body_that_says_nothing_is_no_overflow(body, stream):
    asked = Asked(ServerError(400, body))
    with pytest.raises(openai.BadRequestError) as error:
        await asked(LONG, **stream)
    assert not isinstance(error.value, ContextOverflow)
    assert len(asked.sent) == 1


@pytest.mark.parametrize(
    ("code", "requests"),
    [(400, 1), ("400", 1), (None, 1), (3051, 1), ("3051", 1), ("context_length_exceeded", 2)],
)
async def test_case_44_only_a_code_that_says_so_makes_an_overflow(code, requests, stream):
    asked = Asked(ServerError(400, {"error": {"message": "no", "code": code}}))
    with pytest.raises(openai.BadRequestError) as error:
        await asked(LONG, **stream)
    assert isinstance(error.value, ContextOverflow) is (requests == 2)
    assert len(asked.sent) == requests


async def test_case_46_throttling_is_waited_out_and_nothing_is_cut_or_summarised(at_once, stream):
    summaries: list[str] = []
    slow = ServerError(429, {"message": "Too many tokens, please wait before trying again."})
    asked = patient(Asked([slow, slow, "Fine."], summarizer=lambda text, _: summaries.append(text)))
    assert await text_of(await asked(LONG, **stream)) == "Fine."
    assert [record.outcome for record in asked.sink] == ["RateLimitError", "RateLimitError", "ok"]
    assert asked.bodies == asked.bodies[:1] * 3
    assert summaries == []


async def test_case_49_one_smaller_attempt_is_all_whatever_the_client_s_retries(at_once, stream):
    words = "Context size has been exceeded."
    asked = patient(Asked(ServerError(500, {"error": {"message": words}})))
    with pytest.raises(ContextOverflow) as error:
        await asked(LONG, **stream)
    first, second = asked.server.requests
    assert second.prompt_tokens < first.prompt_tokens
    assert error.value.provider_message == words
    assert isinstance(error.value, openai.BadRequestError)
    assert isinstance(error.value.__cause__, openai.InternalServerError)


async def test_case_49_a_request_above_the_rate_limit_is_sent_once_and_its_error_says_why(
    at_once, stream
):
    words = "Request too large on tokens per min (TPM): Limit 3000, Requested 4400. Reduce it."
    refusal = ServerError(429, error_body(words, type="tokens", code="rate_limit_exceeded"))
    asked = patient(Asked(refusal))
    with pytest.raises(openai.RateLimitError) as error:
        await asked(LONG, **stream)
    assert not isinstance(error.value, ContextOverflow)
    assert "4,400 tokens is larger than the 3,000" in error.value.__notes__[0]
    assert len(asked.sent) == 1


@pytest.mark.parametrize("name", ["max_tokens", "max_completion_tokens"])
@pytest.mark.parametrize(("prompt", "lowered"), [(6_000, 1_999), (7_900, 512)])
async def test_case_50_the_cap_gives_way_first_and_the_messages_only_where_it_cannot(
    name, prompt, lowered, stream
):
    words = f"maximum context length is 8000 tokens, you requested {prompt + 3_000} tokens "
    words += f"({prompt} in the messages, 3000 in the completion)"
    refusal = ServerError(400, error_body(words, code="context_length_exceeded"))
    asked = Asked([refusal, "Fine."], window=16_000, server={"window": None})
    before = copy.deepcopy(LONG)
    assert await text_of(await asked(LONG, **{name: 3_000}, **stream)) == "Fine."
    first, second = asked.bodies
    assert (first[name], second[name]) == (3_000, lowered)
    assert (first["messages"] == second["messages"]) is (lowered > 512)
    assert before == LONG


@pytest.mark.parametrize(("code", "requests"), [(502, 2), (429, 2), (400, 1), ("400", 1)])
async def test_case_53_an_error_in_the_guise_of_an_answer_is_retried_by_its_own_status(
    code, requests, at_once, stream
):
    body = {"id": "g", "error": {"message": "Upstream error: overloaded", "code": code}}
    asked = Asked(ServerError(200, body))
    asked.client = asked.client.with_options(max_retries=1)
    with pytest.raises(openai.APIError, match="overloaded") as error:
        await asked(**stream)
    # Of an event the SDK itself makes the plain error, with the server's words as its body.
    assert error.value.body["code"] == code
    assert getattr(error.value, "status_code", int(code)) == int(code)
    assert len(asked.sent) == len(asked.sink) == requests


async def test_case_55_a_prompt_that_seems_to_be_cut_is_warned_of_once_and_not_sent_again(
    caplog, stream
):
    said = finished("stop", 2_051, 60, content="Fine.")
    asked = Asked(said, window=64_000, server={"window": None})
    with caplog.at_level(logging.DEBUG, "agentmaker"):
        for _ in range(3):
            assert await text_of(await asked([user("word " * 20_000)], **stream)) == "Fine."
    assert len(caplog.records) == 1
    assert [record.truncated for record in asked.sink] == [True] * 3
    assert len({record.ledger.estimate for record in asked.sink}) == 1


RAW = [
    ServerError(200, {"error": {"message": "the prompt is too long: 9000 tokens > 4096"}}),
    "Fine.",
]


async def test_case_53_a_raw_response_that_is_an_error_is_recovered_from():
    asked = Asked(RAW)
    raw = asked.client.chat.completions.with_raw_response
    answer = await raw.create(model="m", messages=LONG)
    assert answer.parse().choices[0].message.content == "Fine."
    assert [record.outcome for record in asked.sink] == ["ContextOverflow", "ok"]


async def test_case_53_one_that_is_another_error_is_raised():
    asked = Asked(ServerError(200, {"error": {"message": "no such model", "code": 404}}))
    with pytest.raises(openai.NotFoundError, match="no such model"):
        await asked.client.chat.completions.with_raw_response.create(model="m", messages=QUESTION)


async def test_what_else_a_post_makes_of_an_answer_is_the_caller_s():
    asked = Asked({"choices": [], "object": "list"})
    answer = await asked.client.post(
        "/chat/completions", body={"model": "m", "messages": QUESTION}, cast_to=object
    )
    assert answer["object"] == "list"
