"""The server's streams in process, through the real SDK."""

from __future__ import annotations

import json

import httpx
import openai
import pytest

from agentmaker.testing import (
    BrokenStream,
    Delay,
    Gate,
    ModelServer,
    RawStream,
    ScriptedLLM,
    error_body,
)

QUESTION = [{"role": "user", "content": "How are you?"}]
TOOLS = [{"type": "function", "function": {"name": "add", "parameters": {"type": "object"}}}]

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend():
    """The SDK leaves its generators to the garbage collector, which trio reports as a fault."""
    return "asyncio"


def words(text: str) -> int:
    """A counter whose sums can be checked by hand."""
    return len(text.split())


async def ask(server, messages=QUESTION, **params):
    async with server.client(max_retries=0) as client:
        return await client.chat.completions.create(model="m", messages=messages, **params)


async def stream(server, messages=QUESTION, **params):
    async with server.client(max_retries=0) as client:
        opened = await client.chat.completions.create(
            model="m", messages=messages, stream=True, **params
        )
        return [chunk async for chunk in opened]


def text_of(chunks):
    return "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)


async def test_a_stream_brings_the_same_text_in_several_deltas():
    chunks = await stream(ModelServer("The answer is forty-two."))

    assert text_of(chunks) == "The answer is forty-two."
    assert sum(bool(text_of([chunk])) for chunk in chunks) > 3
    assert chunks[0].choices[0].delta.role == "assistant"
    assert chunks[-1].choices[0].finish_reason == "stop"


async def test_a_stream_tells_its_usage_only_when_asked():
    server = ModelServer("hello you", counter=words)

    silent = await stream(server)
    telling = await stream(server, stream_options={"include_usage": True})

    assert all(chunk.usage is None for chunk in silent)
    assert [chunk.choices for chunk in telling if chunk.usage] == [[]]
    assert telling[-1].usage.completion_tokens == 2
    assert telling[-1].usage.prompt_tokens_details.cached_tokens == 10


async def test_a_scripted_tool_call_arrives_whole_and_in_deltas():
    answer = ScriptedLLM.tool_call("add", {"first": 1, "second": 2}, call_id="c7")
    server = ModelServer(answer)

    reply = await ask(server, tools=TOOLS)
    chunks = await stream(server, tools=TOOLS)

    (call,) = reply.choices[0].message.tool_calls
    assert (call.id, call.function.name) == ("c7", "add")
    assert json.loads(call.function.arguments) == {"first": 1, "second": 2}
    assert reply.choices[0].finish_reason == "tool_calls"
    parts = [part for chunk in chunks for part in chunk.choices[0].delta.tool_calls or ()]
    assert {part.index for part in parts} == {0}
    assert (parts[0].id, parts[0].function.name) == ("c7", "add")
    assert "".join(part.function.arguments for part in parts) == call.function.arguments
    assert len(parts) > 2
    assert chunks[-1].choices[0].finish_reason == "tool_calls"


async def test_the_sdk_puts_a_streamed_tool_batch_together_again():
    calls = [
        {"id": id, "type": "function", "function": {"name": "add", "arguments": '{"a": 1}'}}
        for id in ("c1", "c2")
    ]
    server = ModelServer({"role": "assistant", "content": "Adding.", "tool_calls": calls})

    async with (
        server.client() as client,
        client.chat.completions.stream(model="m", messages=QUESTION) as opened,
    ):
        final = await opened.get_final_completion()

    message = final.choices[0].message
    assert message.content == "Adding."
    assert [call.id for call in message.tool_calls] == ["c1", "c2"]
    assert [call.function.arguments for call in message.tool_calls] == ['{"a": 1}'] * 2


async def test_reasoning_and_unknown_keys_are_streamed_too():
    server = ModelServer(
        {"role": "assistant", "content": "a", "reasoning_content": "Let me think.", "extra": 1}
    )

    deltas = [chunk.choices[0].delta for chunk in await stream(server)]

    assert "".join(getattr(delta, "reasoning_content", "") for delta in deltas) == "Let me think."
    assert deltas[0].model_extra["extra"] == 1


async def test_an_overflow_can_hide_in_a_success():
    server = ModelServer(window=8, counter=words, overflow="ollama-truncated")

    reply = await ask(server)
    chunks = await stream(server, stream_options={"include_usage": True})

    assert reply.usage.prompt_tokens == 4
    assert chunks[-1].usage.prompt_tokens == 4
    assert (
        await ask(ModelServer(window=8, counter=words, overflow="openrouter-200"))
    ).choices is None


async def test_a_function_answers_from_the_body():
    server = ModelServer(lambda body: body["messages"][-1]["content"].upper())

    assert (await ask(server)).choices[0].message.content == "HOW ARE YOU?"
    assert text_of(await stream(server)) == "HOW ARE YOU?"


async def test_a_stream_can_pause_in_the_middle():
    gate = Gate()
    server = ModelServer(Delay(gate, then="one two three four", after=2))

    async with server.client() as client:
        opened = await client.chat.completions.create(model="m", messages=QUESTION, stream=True)
        seen = ""
        async with opened:
            async for chunk in opened:
                seen += text_of([chunk])
                if len(seen) == 8:
                    break
            assert not gate.is_open
            gate.open()
            seen += text_of([chunk async for chunk in opened])

    assert seen == "one two three four"


async def test_a_stream_can_break_after_some_deltas():
    server = ModelServer(BrokenStream(after=2, then="one two three four"))
    seen = []

    async def read(opened) -> None:
        async for chunk in opened:
            seen.append(chunk)

    async with server.client() as client:
        opened = await client.chat.completions.create(model="m", messages=QUESTION, stream=True)
        with pytest.raises((httpx.RemoteProtocolError, openai.APIConnectionError)):
            await read(opened)

    assert text_of(seen) == "one two "


async def test_a_stream_can_end_with_an_error_event():
    error = error_body("This model's maximum context length is 5 tokens.")
    server = ModelServer(BrokenStream(after=1, then="one two", error=error))

    with pytest.raises(openai.APIError, match="maximum context length is 5"):
        await stream(server)


async def test_raw_chunks_are_streamed_as_they_are():
    raw = [{"choices": None}, {"id": "x"}, {"choices": [{"index": 0, "delta": {"content": "Hi"}}]}]
    server = ModelServer(RawStream(raw))

    chunks = await stream(server)

    assert [chunk.choices for chunk in chunks[:2]] == [None, None]
    assert chunks[2].choices[0].delta.content == "Hi"
    with pytest.raises(openai.InternalServerError, match="stream=True"):
        await ask(server)


async def test_leaving_a_stream_early_closes_it():
    server = ModelServer(Delay(Gate(), then="one two three four", after=1))
    body = {"model": "m", "messages": QUESTION, "stream": True}
    request = httpx.Request("POST", "http://test/v1/chat/completions", json=body)

    response = await server.transport().handle_async_request(request)
    pieces = aiter(response.stream)
    await anext(pieces)
    await response.aclose()

    with pytest.raises(StopAsyncIteration):
        await anext(pieces)
