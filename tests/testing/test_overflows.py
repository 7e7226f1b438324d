from __future__ import annotations

import json

import openai
import pytest

from agentmaker.testing import OVERFLOWS, ModelServer

SAYS_LITTLE = {
    "dashscope",
    "empty-stream",
    "finish-reason",
    "llama.cpp-500",
    "ollama",
    "ollama-truncated",
    "responses-event",
}
LONG = [{"role": "user", "content": "word " * 40}]


@pytest.mark.parametrize("name", OVERFLOWS)
def test_every_wording_is_json_with_a_status(name):
    status, body = OVERFLOWS[name](9_000, 8_000, 512)

    assert status in (200, 400, 500)
    assert json.loads(json.dumps(body)) == body


@pytest.mark.parametrize("name", sorted(set(OVERFLOWS) - SAYS_LITTLE))
def test_the_numbers_stated_are_the_real_ones(name):
    text = json.dumps(OVERFLOWS[name](9_123, 8_000, 512)[1])

    assert "9123" in text
    assert "8000" in text


def test_a_prompt_that_fits_alone_is_refused_for_what_it_asks():
    _, body = OVERFLOWS["openai"](7_900, 8_000, 512)

    assert "you requested 8412 tokens (7900 in the messages, 512 in the completion)" in str(body)


def test_ollama_says_by_how_much():
    assert "by 1512 tokens" in str(OVERFLOWS["ollama"](9_000, 8_000, 512))


def test_the_chinese_words_count_the_output_only_where_a_cap_was_set():
    assert "输出 512 tokens" in str(OVERFLOWS["chinese"](9_000, 8_000, 512))
    assert "输出" not in str(OVERFLOWS["chinese"](9_000, 8_000, 0))


def test_a_relay_carries_the_host_s_answer_as_text():
    _, body = OVERFLOWS["relay"](9_000, 8_000, 0)

    raw = json.loads(body["error"]["metadata"]["raw"])
    assert "maximum context length is 8000" in raw["error"]["message"]


@pytest.fixture
def anyio_backend():
    """The SDK leaves its generators to the garbage collector, which trio reports as a fault."""
    return "asyncio"


async def ask(name, *, stream):
    server = ModelServer(window=12, overflow=name)
    async with server.client(max_retries=0) as client:
        answer = await client.chat.completions.create(model="m", messages=LONG, stream=stream)
        return [chunk async for chunk in answer] if stream else answer


@pytest.mark.anyio
async def test_an_empty_stream_has_no_chunks():
    assert await ask("empty-stream", stream=True) == []


@pytest.mark.anyio
async def test_an_event_of_the_other_api_is_the_only_chunk():
    (chunk,) = await ask("responses-event", stream=True)

    assert chunk.code == "context_length_exceeded"
    assert chunk.choices is None


@pytest.mark.anyio
@pytest.mark.parametrize("stream", [False, True])
async def test_the_end_of_an_answer_without_a_word_gives_the_reason(stream):
    answer = await ask("finish-reason", stream=stream)

    last = answer[-1] if stream else answer
    assert last.choices[0].finish_reason == "model_context_window_exceeded"


@pytest.mark.anyio
async def test_plain_text_is_sent_as_it_is():
    with pytest.raises(openai.BadRequestError) as caught:
        await ask("plain-text", stream=False)

    assert caught.value.response.headers["content-type"].startswith("text/plain")
    assert caught.value.response.text.startswith("ValueError: Request length")
