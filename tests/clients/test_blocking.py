"""A client that blocks, wrapped: the same engine behind the SDK's sync resources."""

from __future__ import annotations

import gc
import signal
import sys
import threading
import warnings
from typing import Any

import anyio
import openai
import pydantic
import pytest

import agentmaker
from agentmaker import sync
from agentmaker.calls.sdk.blocking import THREADS
from agentmaker.testing import (
    BrokenStream,
    Delay,
    Gate,
    MemorySink,
    ModelServer,
    ServerError,
    error_body,
)
from tests.clients.asking import QUESTION, TOOL, talk, user

pytestmark = pytest.mark.usefixtures("by_the_rule")


class Answer(pydantic.BaseModel):
    number: int


class Blocked:
    """A server on loopback, a wrapped client that blocks, and what was recorded."""

    def __init__(self, server: ModelServer, **wrapped: Any) -> None:
        self.sink = MemorySink()
        self.server = server
        self.plain = openai.OpenAI(base_url=server.base_url, api_key="k", max_retries=0)
        given = {"window": 8_000, "sinks": [self.sink], **wrapped}
        self.client: Any = agentmaker.wrap(self.plain, **given)

    def __call__(self, messages: Any = QUESTION, **params: Any) -> Any:
        arguments = {"model": "m", "messages": messages, **params}
        return self.client.chat.completions.create(**arguments)


class Late:
    """Sees a response, and the thread that waits for it."""

    def __init__(self) -> None:
        self.seen = threading.Event()

    def __call__(self, response: Any) -> None:
        self.response, self._thread = response, threading.current_thread()
        self.seen.set()

    def thread(self) -> threading.Thread:
        assert self.seen.wait(20)
        return self._thread


@pytest.fixture
def served():
    """Makes servers and clients of them, and closes them all."""
    running: list[Any] = []

    def serve(replies: Any = "Fine.", *, server: dict[str, Any] | None = None, **wrapped: Any):
        at = ModelServer(replies, **{"window": 8_000, **(server or {})}).start()
        blocked = Blocked(at, **wrapped)
        running.append(blocked)
        return blocked

    yield serve
    for blocked in running:
        blocked.client.close()
        blocked.server.stop()


def test_a_wrapped_client_is_of_the_class_it_was(served):
    client = served().client
    assert isinstance(client, openai.OpenAI)
    assert type(client).__name__ == "OpenAI"
    azure = openai.AzureOpenAI(
        api_key="k", api_version="v", azure_endpoint="https://x.openai.azure.com"
    )
    assert isinstance(agentmaker.wrap(azure), openai.AzureOpenAI)


def test_what_does_not_fit_is_cut_and_recorded_once(served):
    asked = served()
    completion = asked([*talk(120), *QUESTION])
    assert completion.choices[0].message.content == "Fine."
    assert asked.server.requests[0].prompt_tokens < 8_000
    assert asked.sink.last.ledger.dropped > 0
    assert (len(asked.sink), asked.sink.last.outcome) == (1, "ok")
    assert asked.sink.last.usage.prompt_tokens == asked.server.requests[0].prompt_tokens


def test_the_client_that_was_wrapped_stays_as_it_is(served):
    asked = served()
    asked.plain.chat.completions.create(model="m", messages=QUESTION)
    assert len(asked.server.requests) == 1
    assert len(asked.sink) == 0


def test_parse_and_the_raw_response_are_budgeted_too(served):
    asked = served('{"number": 4}')
    completions = asked.client.chat.completions
    parsed = completions.parse(model="m", messages=QUESTION, response_format=Answer)
    assert parsed.choices[0].message.parsed == Answer(number=4)
    raw = completions.with_raw_response.create(model="m", messages=QUESTION, tools=[TOOL])
    assert raw.parse().choices[0].message.content == '{"number": 4}'
    assert [record.usage.prompt_tokens for record in asked.sink] == [
        request.prompt_tokens for request in asked.server.requests
    ]


def test_a_stream_is_the_sdks_own_and_read_in_the_thread_of_its_reader(served):
    settled: list[int] = []
    asked = served("one two three four", sinks=[lambda _: settled.append(threading.get_ident())])
    stream = asked(stream=True)
    assert isinstance(stream, openai.Stream)
    said = [chunk.choices[0].delta.content or "" for chunk in stream]
    assert "".join(said) == "one two three four"
    assert settled == [threading.get_ident()]
    assert stream.response.is_closed


@pytest.mark.parametrize("leave", ["close", "with"])
def test_a_reader_may_leave_a_stream_early(served, leave):
    asked = served("one two three four five six seven")
    stream = asked(stream=True)
    if leave == "close":
        next(stream)
        stream.close()
    else:
        with stream:
            next(iter(stream))
    assert stream.response.is_closed
    assert [record.outcome for record in asked.sink] == ["ok"]
    stream.close()
    assert len(asked.sink) == 1


def test_a_stream_left_by_its_reader_is_recorded_all_the_same(served):
    recorded = threading.Event()
    stream = served(sinks=[lambda _: recorded.set()])(stream=True)
    next(stream)
    # Past the stream, which would be told.
    type(stream.response).close(stream.response)
    assert not recorded.is_set()
    del stream
    # The thread that opened it may still be on its way out.
    assert any(gc.collect() < 0 or recorded.wait(0.01) for _ in range(1_000))


def test_a_stream_that_breaks_is_recorded_with_its_error(served):
    asked = served(BrokenStream(after=2, then="one two three four five"))
    stream = asked(stream=True)
    with pytest.raises(openai.APIConnectionError):
        list(stream)
    assert [record.outcome for record in asked.sink] == ["APIConnectionError"]
    assert stream.response.is_closed


def test_the_sdks_stream_helper_left_early_is_recorded_at_once(served):
    asked = served("one two three four")
    manager = asked.client.chat.completions.stream(model="m", messages=QUESTION)
    with manager as stream:
        next(iter(stream))
    assert [record.outcome for record in asked.sink] == ["ok"]


def test_the_sdks_stream_helper_is_budgeted(served):
    asked = served("one two three four")
    with asked.client.chat.completions.stream(model="m", messages=QUESTION) as stream:
        kinds = {event.type for event in stream}
        final = stream.get_final_completion()
    assert "content.delta" in kinds
    assert final.choices[0].message.content == "one two three four"
    assert len(asked.sink) == 1


@pytest.mark.parametrize("stream", [False, True])
def test_an_overflow_is_recovered_from(served, stream):
    asked = served(server={"window": 1_500, "overflow": "llama.cpp"}, output_tokens=300)
    answer = asked([*talk(60), *QUESTION], stream=stream)
    assert len(list(answer)) > 1 if stream else answer.choices[0].message.content
    assert [request.status for request in asked.server.requests] == [400, 200]


def test_an_overflow_is_a_bad_request_to_whoever_catches_those(served):
    asked = served(server={"window": 1_000})
    with pytest.raises(openai.BadRequestError) as refused:
        asked([user("word " * 2_000)])
    assert isinstance(refused.value, agentmaker.ContextOverflow)


def test_it_tries_as_often_as_its_client(served):
    busy = ServerError(503, error_body("busy"), {"retry-after-ms": "1"})
    asked = served([busy, busy, "Fine.", busy])
    patient = asked.client.with_options(max_retries=2)
    completion = patient.chat.completions.create(model="m", messages=QUESTION)
    assert completion.choices[0].message.content == "Fine."
    with pytest.raises(openai.InternalServerError):
        asked()
    assert len(asked.server.requests) == len(asked.sink) == 4


def test_summaries_go_through_the_same_client(served):
    asked = served(summarizer="writer")
    asked([*talk(120), *QUESTION])
    assert [record.purpose for record in asked.sink][-1] == "request"
    models = [request.body["model"] for request in asked.server.requests]
    assert set(models[:-1]) == {"writer"}
    assert models[-1] == "m"


@pytest.mark.anyio
async def test_a_client_that_blocks_may_summarise_for_one_that_awaits(served):
    writer = served("A recap.").plain
    server = ModelServer()
    async with agentmaker.wrap(
        server.client(), window=8_000, sinks=(), summarizer=writer
    ) as client:
        await client.chat.completions.create(model="m", messages=[*talk(120), *QUESTION])
    assert "A recap." in str(server.requests[-1].messages)


def test_what_surrounds_the_call_holds_and_so_does_what_it_is_scoped_with(served):
    asked = served()
    alice = asked.client.scoped(agentmaker.Scope(user="alice"), window=4_000)
    with agentmaker.using(run=agentmaker.RunPolicy(calls=1)) as run:
        alice.chat.completions.create(model="m", messages=QUESTION)
        with pytest.raises(agentmaker.RunLimitExceeded):
            alice.chat.completions.create(model="m", messages=QUESTION)
    assert run is not None
    assert run.tokens > 0
    assert asked.sink.last.ledger.window == 4_000


def test_async_middleware_and_sources_work(served):
    async def renamed(call, next):
        completion = await next(call)
        completion.raw.model = "renamed"
        return completion

    asked = served(middleware=[renamed])
    assert asked().model == "renamed"


def test_closing_the_wrapped_client_closes_the_connections_both_share(served):
    asked = served()
    with asked.client as client:
        assert client is asked.client
    assert asked.plain.is_closed()


def test_responses_pass_with_one_warning_at_the_line_that_asked(served):
    asked = served()
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        for client in (asked.client, asked.client.with_options(timeout=5)):
            with pytest.raises(openai.NotFoundError):
                client.responses.create(model="m", input="x")
    assert [each.filename for each in seen if "budgeted" in str(each.message)] == [__file__]


@pytest.mark.parametrize("missing", ["model", "messages"])
def test_the_sdk_says_what_is_missing(served, missing):
    arguments = {"model": "m", "messages": QUESTION}
    del arguments[missing]
    with pytest.raises(TypeError, match="Missing required arguments"):
        served().client.chat.completions.create(**arguments)


def test_fifty_threads_may_ask_at_once(served):
    gate, arrived = Gate(), threading.Semaphore(0)

    def held(body: Any) -> Any:
        arrived.release()
        return Delay(gate, then=body["messages"][-1]["content"])

    asked = served(held)
    answers: dict[int, str] = {}

    def ask(number: int) -> None:
        completion = asked([user(f"I am {number}")], stream=bool(number % 2))
        chunks = list(completion) if number % 2 else []
        texts = [chunk.choices[0].delta.content or "" for chunk in chunks]
        answers[number] = "".join(texts) or completion.choices[0].message.content

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(50)]
    for thread in threads:
        thread.start()
    assert all(arrived.acquire(timeout=20) for _ in threads)
    gate.open()
    for thread in threads:
        thread.join(20)
    assert answers == {number: f"I am {number}" for number in range(50)}
    assert len(asked.sink) == 50


@pytest.mark.usefixtures("ctrl_c")
@pytest.mark.skipif(sys.platform == "win32", reason="needs a signal for one thread")
@pytest.mark.parametrize("stream", [False, True])
def test_ctrl_c_ends_a_call_at_once_and_what_comes_late_is_closed(served, stream):
    gate, main = Gate(), threading.get_ident()

    def interrupt(body: Any) -> Any:
        signal.pthread_kill(main, signal.SIGINT)
        return Delay(gate, then="one two three")

    asked, late = served(interrupt), Late()
    asked.plain._client.event_hooks["response"].append(late)
    with pytest.raises(KeyboardInterrupt):
        asked(stream=stream)
    assert [record.outcome for record in asked.sink] == ["CancelledError"]
    assert THREADS.hanging == 1
    gate.open()
    late.thread().join(20)
    assert late.response.is_closed
    assert (len(asked.sink), THREADS.hanging) == (1, 0)


@pytest.mark.anyio
@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_inside_a_running_loop_it_blocks_and_warns_once_with_the_form_to_await(served):
    sync._warn_once.cache_clear()
    asked = served()
    with pytest.warns(UserWarning, match=r"await AsyncOpenAI\(\.\.\.\)\.chat") as seen:
        asked()
    assert seen[0].filename.endswith("test_blocking.py")
    assert asked().choices[0].message.content == "Fine."
    await anyio.lowlevel.checkpoint()
