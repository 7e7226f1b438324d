"""Chunks that only some servers send, read in each of the SDK's ways, by both of its clients."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import anyio.to_thread
import httpx
import openai
import pytest

import agentmaker
from agentmaker.testing import MemorySink, RawStream
from tests.clients.asking import QUESTION, Asked, assistant, user

# The SDK leaves generators open, which trio does not let pass.
pytestmark = [
    pytest.mark.anyio,
    pytest.mark.parametrize("anyio_backend", ["asyncio"]),
    pytest.mark.usefixtures("by_the_rule"),
]

TOOL = {"type": "function", "function": {"name": "f", "strict": True, "parameters": {}}}
FIRST = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a"'}}
NEXT = {"function": {"arguments": ":1}"}}
ODD = [
    {"id": "1", "object": "chat.completion.chunk"},
    {"choices": None},
    {"choices": [{"index": 0, "delta": None}]},
]
USAGE = {"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 1, "total_tokens": 8}}


def delta(**said: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": said}]}


def finish(reason: str) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}


class Streamed:
    """Clients of both colours whose server streams *chunks*, and what was recorded."""

    def __init__(self, chunks: list[Any]) -> None:
        self.sink = MemorySink()
        events = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks)
        headers = {"content-type": "text/event-stream"}
        content = f"{events}data: [DONE]\n\n".encode()
        answer = httpx.Response(200, content=content, headers=headers)
        self.transport = httpx.MockTransport(lambda request: answer)
        self.given = {"base_url": "http://server.invalid/v1", "api_key": "k", "max_retries": 0}

    def awaiting(self) -> Any:
        http = httpx.AsyncClient(transport=self.transport)
        return self._wrapped(openai.AsyncOpenAI(**self.given, http_client=http))

    def blocking(self) -> Any:
        http = httpx.Client(transport=self.transport)
        return self._wrapped(openai.OpenAI(**self.given, http_client=http))

    def _wrapped(self, client: Any) -> Any:
        return agentmaker.wrap(client, window=8_000, sinks=[self.sink])


ASK = {"model": "m", "messages": QUESTION}


async def pulled(streamed: Streamed, **params: Any) -> Any:
    """The answer put together from chunks, as callers do it by hand."""
    stream = await streamed.awaiting().chat.completions.create(**ASK, stream=True, **params)
    return together([chunk async for chunk in stream])


async def pulled_in_a_thread(streamed: Streamed, **params: Any) -> Any:
    def pull() -> Any:
        create = streamed.blocking().chat.completions.create
        return together(list(create(**ASK, stream=True, **params)))

    return await anyio.to_thread.run_sync(pull)


async def helped(streamed: Streamed, **params: Any) -> Any:
    """The answer that the SDK's own helper puts together."""
    async with streamed.awaiting().chat.completions.stream(**ASK, **params) as stream:
        async for _ in stream:
            pass
        return as_said(await stream.get_final_completion())


async def helped_in_a_thread(streamed: Streamed, **params: Any) -> Any:
    def pull() -> Any:
        with streamed.blocking().chat.completions.stream(**ASK, **params) as stream:
            for _ in stream:
                pass
            return as_said(stream.get_final_completion())

    return await anyio.to_thread.run_sync(pull)


def together(chunks: list[Any]) -> tuple[str, list[tuple[str, str]]]:
    text, calls = "", {}
    for choice in (choice for chunk in chunks for choice in chunk.choices):
        text += choice.delta.content or ""
        for piece in choice.delta.tool_calls or ():
            id, arguments = calls.get(piece.index, ("", ""))
            calls[piece.index] = (id + (piece.id or ""), arguments + piece.function.arguments)
    return text, list(calls.values())


def as_said(completion: Any) -> tuple[str, list[tuple[str, str]]]:
    message = completion.choices[0].message
    calls = [(call.id, call.function.arguments) for call in message.tool_calls or ()]
    return message.content or "", calls


Way = Callable[..., Any]
ways = pytest.mark.parametrize("way", [pulled, pulled_in_a_thread, helped, helped_in_a_thread])


@ways
@pytest.mark.parametrize(
    "chunks",
    [
        [*ODD, delta(content="Hi"), finish("stop"), USAGE],
        [delta(content="H"), *ODD, delta(content="i"), finish("stop"), *ODD],
    ],
    ids=["before the first word", "after it"],
)
async def test_case_73_chunks_without_choices_or_deltas_are_no_trouble(
    way: Way, chunks: list[Any]
) -> None:
    streamed = Streamed(chunks)
    assert await way(streamed) == ("Hi", [])
    assert [record.outcome for record in streamed.sink] == ["ok"]


@ways
@pytest.mark.parametrize("finished", [[], [finish("stop")], [finish("tool_calls")]])
@pytest.mark.parametrize(
    "second", [NEXT, {"id": "", "type": "", **NEXT}, {"id": None, "type": None, **NEXT}]
)
async def test_case_74_a_call_whose_pieces_have_no_index_is_one_call(
    way: Way, second: dict[str, Any], finished: list[Any]
) -> None:
    chunks = [delta(role="assistant", tool_calls=[FIRST]), delta(tool_calls=[second])]
    said = await way(Streamed([*chunks, *finished]), tools=[TOOL])
    assert said == ("", [("c1", '{"a":1}')])


async def test_a_note_of_a_filter_is_still_passed_over_by_the_helpers() -> None:
    note = {"object": "", "choices": [{"index": 0, "content_filter_offsets": {}}]}
    chunks = [delta(content="Hi"), note, finish("stop")]
    assert await helped(Streamed(chunks)) == ("Hi", [])


SIGNED = {"extra_content": {"google": {"thought_signature": "s"}}}


async def test_case_76_a_call_is_one_whatever_the_finish_and_keeps_its_unknown_keys() -> None:
    call = {**FIRST, "function": {"name": "f", "arguments": "{}"}, **SIGNED}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    answer = {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
    asked = Asked(answer, server={"strict": False})
    reply = await asked.client.chat(QUESTION, model="m", tools=[TOOL])
    assert [each.id for each in reply.tool_calls] == ["c1"]

    said = (await asked(tools=[TOOL])).choices[0].message
    seen = {"role": "tool", "tool_call_id": "c1", "content": "seen " * 9_000}
    for each in (said, said.model_dump(exclude_none=True)):
        await asked([*QUESTION, each, seen], tools=[TOOL])
        assert asked.sink.last.ledger.dropped > 0
        assert asked.sent[-1][1]["tool_calls"] == [call]


async def test_case_79_where_a_stream_says_no_usage_the_estimate_says_when_to_cut() -> None:
    asked = Asked(RawStream([delta(content="Fine."), finish("stop")]))
    messages: list[Any] = []
    for turn in range(12):
        messages.append(user(f"{turn} " + "word " * 800))
        async for _ in await asked(messages, stream=True):
            pass
        messages.append(assistant("Fine."))
    assert all(request.status == 200 for request in asked.server.requests)
    assert asked.sink.last.ledger.dropped > 0
    assert {record.usage for record in asked.sink} == {None}
