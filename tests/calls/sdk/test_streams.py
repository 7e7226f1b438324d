from __future__ import annotations

import asyncio
from typing import Any

import anyio
import httpx
import openai
import pytest

import agentmaker
from agentmaker import Dialect, Reply
from agentmaker.testing import (
    BrokenStream,
    Delay,
    Gate,
    MemorySink,
    ModelServer,
    RawStream,
    ServerError,
    error_body,
)

# The SDK leaves generators open, which trio does not let pass.
pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("anyio_backend", ["asyncio"])]

# openai 2 lets through, as they come, errors from within a stream.
BROKEN = (openai.APIConnectionError, httpx.RemoteProtocolError)
ASK = [{"role": "user", "content": "hi"}]
WORDS = "The answer is forty-two, as everybody knows by now."


class Line:
    """A wrapped client in front of a server, and what it records."""

    def __init__(self, replies: Any, *, dialect: Any = None, **options: Any) -> None:
        self.server = ModelServer(replies)
        self.sink = MemorySink()
        raw = self.server.client(**{"max_retries": 0, **options})
        self.client = agentmaker.wrap(raw, window=8_000, sinks=[self.sink], dialect=dialect)

    async def stream(self, **params: Any) -> Any:
        return await self.client.chat.completions.create(
            model="m", messages=ASK, stream=True, **params
        )

    @property
    def outcomes(self) -> list[str]:
        return [record.outcome for record in self.sink]


def text_of(chunks: list[Any]) -> str:
    return "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)


async def read(stream: Any) -> None:
    async for _ in stream:
        pass


async def test_a_stream_is_the_sdk_s_own_and_every_chunk_comes_as_it_was():
    line = Line(WORDS)
    stream = await line.stream()
    assert isinstance(stream, openai.AsyncStream)
    chunks = [chunk async for chunk in stream]
    assert text_of(chunks) == WORDS
    assert chunks[0].choices[0].delta.role == "assistant"
    assert chunks[-1].choices[0].finish_reason == "stop"


async def test_it_is_recorded_once_when_it_is_read_to_its_end():
    line = Line(WORDS)
    stream = await line.stream(stream_options={"include_usage": True})
    assert line.outcomes == []
    async for _ in stream:
        assert line.outcomes == []
    await stream.close()
    (record,) = line.sink
    assert (record.outcome, record.stream, record.finish_reason) == ("ok", True, "stop")
    assert record.usage is not None
    assert record.usage.prompt_tokens == line.server.requests[0].prompt_tokens


async def test_case_79_no_usage_is_asked_for_and_none_is_recorded():
    line = Line(WORDS)
    await read(await line.stream())
    assert "stream_options" not in line.server.requests[0].body
    (record,) = line.sink
    assert record.usage is None
    assert record.fields()["prompt_tokens"] is None


@pytest.mark.parametrize("leave", ["close", "aclose"])
async def test_case_77_leaving_early_gives_the_connection_back_and_records_once(leave):
    line = Line(WORDS)
    stream = await line.stream()
    async for _ in stream:
        break
    assert not stream.response.is_closed
    await getattr(stream, leave)()
    await stream.close()
    assert stream.response.is_closed
    assert line.outcomes == ["ok"]


async def test_case_77_so_does_the_end_of_a_block():
    line = Line(WORDS)
    async with await line.stream() as stream:
        await anext(stream)
    assert stream.response.is_closed
    assert line.outcomes == ["ok"]


async def test_case_77_a_reader_may_stop_and_go_on():
    stream = await Line(WORDS).stream()
    first = []
    async for chunk in stream:
        first.append(chunk)
        if len(first) == 3:
            break
    rest = [chunk async for chunk in stream]
    assert text_of([*first, *rest]) == WORDS


async def test_case_77_a_cancelled_reader_gives_the_connection_back_and_stays_cancelled():
    line = Line(Delay(Gate(), then=WORDS, after=2))
    stream = await line.stream()
    with anyio.move_on_after(0.01) as scope:
        await read(stream)
    assert scope.cancelled_caught
    assert stream.response.is_closed
    assert line.outcomes == ["CancelledError"]


async def test_case_77_so_does_one_that_is_cancelled_by_its_task():
    line = Line(Delay(Gate(), then=WORDS, after=2))
    stream, started = await line.stream(), asyncio.Event()

    async def pull() -> None:
        async for _ in stream:
            started.set()

    task = asyncio.ensure_future(pull())
    await started.wait()
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert stream.response.is_closed
    assert line.outcomes == ["CancelledError"]


async def test_case_77_no_task_is_left_running():
    before = asyncio.all_tasks()
    stream = await Line(WORDS).stream()
    async for _ in stream:
        break
    await stream.close()
    assert asyncio.all_tasks() == before


async def test_one_that_is_cancelled_before_its_first_word_is_recorded():
    line = Line(Delay(Gate(), then=WORDS))
    with anyio.move_on_after(0.01) as scope:
        await line.stream()
    assert scope.cancelled_caught
    assert line.outcomes == ["CancelledError"]


async def test_one_that_breaks_is_closed_and_recorded_with_its_error():
    line = Line(BrokenStream(after=3, then=WORDS))
    stream = await line.stream()
    with pytest.raises(BROKEN):
        await read(stream)
    assert stream.response.is_closed
    assert line.outcomes in (["APIConnectionError"], ["RemoteProtocolError"])


async def test_one_that_breaks_before_its_first_word_is_tried_again(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr("agentmaker.calls.retry.FIRST_WAIT", 0.0)
    line = Line([BrokenStream(after=0, then=WORDS), WORDS], max_retries=1)
    chunks = [chunk async for chunk in await line.stream()]
    assert text_of(chunks) == WORDS
    assert line.outcomes[1:] == ["ok"]


async def test_an_error_in_the_stream_reaches_the_reader_and_the_record():
    broken = BrokenStream(after=2, then=WORDS, error=error_body("overloaded"))
    line = Line(broken)
    with pytest.raises(openai.APIError, match="overloaded"):
        await read(await line.stream())
    assert line.outcomes == ["APIError"]


async def test_one_that_is_refused_is_recorded_once():
    line = Line(ServerError(401, error_body("no")))
    with pytest.raises(openai.AuthenticationError):
        await line.stream()
    assert line.outcomes == ["AuthenticationError"]


@pytest.mark.parametrize("chunks", [[], [{"choices": [{"delta": {"role": "assistant"}}]}]])
async def test_one_that_ends_without_a_word_is_a_broken_connection(chunks):
    line = Line(RawStream(chunks))
    with pytest.raises(openai.APIConnectionError, match="ended before it began"):
        await line.stream()
    assert line.outcomes == ["APIConnectionError"]


async def test_one_that_finishes_without_a_word_is_an_empty_answer():
    chunks = [
        {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
        {"choices": [], "usage": {"prompt_tokens": 3}},
    ]
    line = Line(RawStream(chunks))
    assert len([chunk async for chunk in await line.stream()]) == 2
    assert line.outcomes == ["ok"]
    assert line.sink.last.usage.prompt_tokens == 3


async def test_case_73_odd_chunks_leave_as_the_sdk_s_types_promise():
    odd = [
        {"id": "1", "object": "chat.completion.chunk"},
        {"choices": None},
        {"choices": []},
        {"choices": [{"index": 0, "delta": None}]},
        {"choices": [{"index": 0}]},
        [],
        "text",
        {"choices": [{"index": 0, "delta": {"content": "Hi"}}]},
    ]
    line = Line(RawStream(odd))
    chunks = [chunk async for chunk in await line.stream()]
    assert [len(chunk.choices) for chunk in chunks] == [0, 0, 0, 1, 1, 1]
    assert text_of(chunks) == "Hi"
    assert line.outcomes == ["ok"]


async def test_a_chunk_that_is_no_json_is_a_fault_of_the_answer():
    line = Line(RawStream([{"choices": [{"delta": {"content": "Hi"}}]}, b"data: {half\n\n"]))
    with pytest.raises(openai.APIResponseValidationError, match="no JSON"):
        await read(await line.stream())
    assert line.outcomes == ["APIResponseValidationError"]


@pytest.mark.parametrize(
    "event",
    [
        {"type": "error", "code": "server_error", "message": "the worker died", "param": None},
        {"error": {"message": "the worker died", "code": 502}, "choices": []},
    ],
)
async def test_an_error_event_after_the_first_word_reaches_the_reader_once(event):
    line = Line(RawStream([{"choices": [{"delta": {"content": "Hi"}}]}, event]))
    stream = await line.stream()
    with pytest.raises(openai.APIError, match="the worker died"):
        await read(stream)
    assert stream.response.is_closed
    assert line.outcomes == ["APIError"]


async def answered(response: httpx.Response, **wrapped: Any) -> Any:
    """A stream whose server answers with *response*."""
    transport = httpx.MockTransport(lambda request: response)
    raw = openai.AsyncOpenAI(
        api_key="k", max_retries=0, http_client=httpx.AsyncClient(transport=transport)
    )
    client = agentmaker.wrap(raw, window=8_000, **{"sinks": (), **wrapped})
    return await client.chat.completions.create(model="m", messages=ASK, stream=True)


async def streamed(body: Any) -> tuple[Any, MemorySink]:
    """A stream whose server answers in one piece, and its records."""
    sink = MemorySink()
    return await answered(httpx.Response(200, json=body), sinks=[sink]), sink


async def test_an_answer_in_one_piece_is_a_stream_of_one_chunk():
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    message = {"role": "assistant", "content": "Whole", "tool_calls": [call]}
    stream, sink = await streamed({
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}],
        "usage": {"prompt_tokens": 4, "completion_tokens": 1, "total_tokens": 5},
    })  # fmt: skip
    (chunk,) = [chunk async for chunk in stream]
    assert (chunk.choices[0].delta.content, chunk.choices[0].delta.tool_calls[0].index) == (
        "Whole", 0,
    )  # fmt: skip
    assert stream.response.is_closed
    assert (sink.last.outcome, sink.last.usage.prompt_tokens) == ("ok", 4)


async def test_an_error_in_one_piece_is_an_error():
    with pytest.raises(openai.APIError, match="no worker is free"):
        await streamed({"error": {"message": "no worker is free"}})


async def test_case_74_a_call_without_indexes_comes_together():
    pieces = [
        {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a"'}},
        {"id": "", "type": "", "function": {"arguments": ":1}"}},
    ]
    chunks = [{"choices": [{"index": 0, "delta": {"tool_calls": [each]}}]} for each in pieces]
    line = Line(RawStream(chunks))
    reply = await line.client.chat(ASK, model="m", stream=True)
    await read(reply)
    assert [(call.id, call.name, call.arguments) for call in reply.tool_calls] == [
        ("c1", "f", '{"a":1}')
    ]


async def test_a_reply_gives_its_text_as_it_comes():
    reply = await Line(WORDS).client.chat(ASK, model="m", stream=True)
    assert not reply.settled
    assert "".join([delta.content async for delta in reply]) == WORDS
    assert (reply.settled, reply.content, reply.finish_reason) == (True, WORDS, "stop")


async def test_leaving_a_reply_early_gives_the_connection_back_and_records_once():
    line = Line(WORDS)
    async with await line.client.chat(ASK, model="m", stream=True) as reply:
        assert isinstance(reply, Reply)
        async for _ in reply:
            break
    await reply.aclose()
    assert reply.settled
    assert reply.raw.response.is_closed
    assert line.outcomes == ["ok"]


async def test_a_sink_that_raises_does_not_harm_the_stream():
    def fails(record: Any) -> None:
        raise ValueError

    client = agentmaker.wrap(ModelServer(WORDS).client(), window=8_000, sinks=[fails])
    stream = await client.chat.completions.create(model="m", messages=ASK, stream=True)
    assert text_of([chunk async for chunk in stream]) == WORDS


async def test_the_raw_response_of_a_stream_is_the_caller_s():
    line = Line(WORDS)
    raw = await line.client.chat.completions.with_raw_response.create(
        model="m", messages=ASK, stream=True
    )
    assert raw.http_response.status_code == 200
    assert text_of([chunk async for chunk in raw.parse()]) == WORDS
    assert line.outcomes == ["ok"]


async def with_usage(**params: Any) -> tuple[Line, list[Any]]:
    line = Line(WORDS, dialect=Dialect(usage="ask"))
    return line, [chunk async for chunk in await line.stream(**params)]


async def test_usage_is_asked_for_where_the_server_gives_it_and_its_chunk_is_not_handed_on():
    line, chunks = await with_usage()
    assert line.server.requests[0].body["stream_options"] == {"include_usage": True}
    assert all(chunk.choices for chunk in chunks)
    assert line.sink.last.usage.prompt_tokens == line.server.requests[0].prompt_tokens


@pytest.mark.parametrize("asks", [True, False])
async def test_what_the_caller_says_of_usage_holds(asks):
    line, chunks = await with_usage(stream_options={"include_usage": asks})
    assert line.server.requests[0].body["stream_options"] == {"include_usage": asks}
    assert (not chunks[-1].choices) is asks


async def test_a_caller_who_reads_the_response_itself_gets_what_it_asked_for():
    line = Line(WORDS, dialect=Dialect(usage="ask"))
    raw = line.client.chat.completions.with_raw_response
    answer = await raw.create(model="m", messages=ASK, stream=True)
    await read(answer.parse())
    assert "stream_options" not in line.server.requests[0].body


async def test_case_77_the_sdk_s_helper_left_early_gives_the_connection_back_and_records_once():
    line = Line(WORDS)
    async with line.client.chat.completions.stream(model="m", messages=ASK) as stream:
        async for _ in stream:
            break
    assert line.outcomes == ["ok"]


@pytest.mark.parametrize(
    "label", ["application/json", "application/x-ndjson", "text/event-stream; charset=json"]
)
async def test_a_stream_of_events_is_one_however_its_server_labels_it(label):
    body = b'data: {"choices": [{"delta": {"content": "Hi"}}]}\n\ndata: [DONE]\n\n'
    stream = await answered(httpx.Response(200, content=body, headers={"content-type": label}))
    assert text_of([chunk async for chunk in stream]) == "Hi"


async def test_an_event_that_is_a_list_with_an_error_is_an_error():
    line = Line(RawStream([[{"error": {"message": "the worker died", "code": 500}}]]))
    with pytest.raises(openai.InternalServerError, match="the worker died"):
        await line.stream()


@pytest.mark.parametrize(
    "last",
    [
        {"choices": [{"index": 0, "delta": {"refusal": "No"}, "finish_reason": "length"}]},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": "length"},
                     {"index": 1, "delta": {"content": "B"}, "finish_reason": "stop"}]},
    ],
)  # fmt: skip
async def test_a_finish_beside_a_piece_of_an_answer_is_no_empty_one(last):
    line = Line(RawStream([last]))
    await read(await line.stream())
    assert len(line.server.requests) == 1
