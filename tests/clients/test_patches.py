"""Clients whose ``create`` is not the SDK's own: instrumented, patched, faked."""

from __future__ import annotations

import functools
import subprocess
import sys
from types import SimpleNamespace
from typing import Any
from unittest.mock import AsyncMock, MagicMock, patch

import httpx
import openai
import pydantic
import pytest
from openai.resources.chat.completions import AsyncCompletions, Completions
from openai.types.chat import ChatCompletion

import agentmaker
from agentmaker.clients.patches import patch_of
from agentmaker.testing import MemorySink, ModelServer, ServerError, error_body
from tests.clients.asking import QUESTION, Asked, talk, user

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("by_the_rule")]

OWN = AsyncCompletions.create
BUSY = ServerError(503, error_body("busy"), {"retry-after-ms": "1"})
LONG = [*talk(120), *QUESTION]
COMPLETION = ChatCompletion.model_validate(
    {
        "id": "c",
        "object": "chat.completion",
        "created": 0,
        "model": "m",
        "choices": [
            {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Hi"}}
        ],
        "usage": {"prompt_tokens": 3, "completion_tokens": 1, "total_tokens": 4},
    }
)


class Answer(pydantic.BaseModel):
    number: int


class Tracer:
    """Keeps the arguments of each call, its reply, and how its stream ended."""

    def __init__(self) -> None:
        self.spans: list[dict[str, Any]] = []
        self.ended: list[str] = []

    async def traced(self, function: Any, *args: Any, **arguments: Any) -> Any:
        arguments.pop("trace_name", None)
        self.spans.append(arguments)
        given = await function(*args, **arguments)
        if arguments.get("stream"):
            given = TracedStream(given, self)
        return given


class TracedStream:
    """A stream of a tracer's own, as some of them make it: no stream of the SDK's."""

    def __init__(self, within: Any, tracer: Tracer) -> None:
        self.within, self.tracer = within, tracer

    def __aiter__(self) -> Any:
        return self

    async def __anext__(self) -> Any:
        try:
            return await self.within.__anext__()
        except StopAsyncIteration:
            self.tracer.ended.append("read")
            raise

    async def __aenter__(self) -> Any:
        return self

    async def __aexit__(self, *_: object) -> None:
        # It leaves the stream within open.
        self.tracer.ended.append("left")

    def __getattr__(self, name: str) -> Any:
        return getattr(self.within, name)


class Lying:
    """A wrapper that says it is the function it wraps, as those of wrapt do."""

    def __init__(self, function: Any, tracer: Tracer) -> None:
        self.__wrapped__, self.tracer = function, tracer

    @property
    def __class__(self) -> Any:
        return self.__wrapped__.__class__

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__wrapped__, name)

    def __get__(self, instance: Any, kind: Any) -> Any:
        return Lying(self.__wrapped__.__get__(instance, kind), self.tracer) if instance else self

    async def __call__(self, *args: Any, **arguments: Any) -> Any:
        return await self.tracer.traced(self.__wrapped__, *args, **arguments)


def lying(function: Any, tracer: Tracer) -> Any:
    return Lying(function, tracer)


def wrapping(function: Any, tracer: Tracer) -> Any:
    @functools.wraps(function)
    async def traced(*args: Any, **arguments: Any) -> Any:
        return await tracer.traced(function, *args, **arguments)

    return traced


@pytest.fixture(params=[lying, wrapping])
def tracer(request, monkeypatch):
    """Traces every ``create`` of the class."""
    tracer = Tracer()
    monkeypatch.setattr(AsyncCompletions, "create", request.param(OWN, tracer))
    return tracer


@pytest.fixture
def anyio_backend():
    """The SDK leaves its generators to the garbage collector, which trio reports as a fault."""
    return "asyncio"


WAITING = """
import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import PathFinder

import openai

from agentmaker.clients.patches import patch_of

CLASSES = sys.argv[1]


class Tracing(Loader):
    def __init__(self, within):
        self.create_module, self.within = within.create_module, within

    def exec_module(self, module):
        self.within.exec_module(module)
        module.AsyncCompletions.create = lambda *args, **arguments: None


class Hook(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name != CLASSES:
            return None
        spec = PathFinder.find_spec(name, path)
        spec.loader = Tracing(spec.loader)
        return spec


sys.meta_path.insert(0, Hook())
assert patch_of(openai.AsyncOpenAI(api_key="k")) == "class"
"""


@pytest.mark.parametrize("module", ["completions", "completions.completions"])
def test_a_tracer_that_waits_for_the_sdk_s_classes_is_not_passed_by(module):
    command = [sys.executable, "-c", WAITING, f"openai.resources.chat.{module}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_sdk_s_own_is_not_taken_for_a_patch():
    azure = {"api_key": "k", "api_version": "v", "azure_endpoint": "https://x.openai.azure.com"}
    clients = (
        openai.AsyncOpenAI(api_key="k"),
        openai.OpenAI(api_key="k"),
        openai.AsyncAzureOpenAI(**azure),
        openai.AzureOpenAI(**azure),
        type("Mine", (openai.AsyncOpenAI,), {})(api_key="k"),
    )
    assert [patch_of(client) for client in clients] == [None] * 5
    assert all(client.chat.completions for client in clients)
    assert [patch_of(client) for client in clients] == [None] * 5


async def test_what_the_span_shows_is_what_is_sent(tracer):
    asked = Asked()
    completion = await asked(LONG, temperature=0.5, extra_body={"top_k": 5})
    assert completion.choices[0].message.content == "Fine."
    (span,) = tracer.spans
    assert span["messages"] == asked.sent[0]
    assert len(span["messages"]) < len(LONG)
    assert (span["temperature"], span["extra_body"]) == (0.5, {"top_k": 5})
    assert asked.sink.last.usage.prompt_tokens == asked.server.requests[0].prompt_tokens


async def test_there_is_one_span_for_each_request_really_sent(tracer):
    server, sink = ModelServer([BUSY, "Fine."]), MemorySink()
    client = agentmaker.wrap(server.client(max_retries=5), window=8_000, sinks=[sink])
    await client.chat.completions.create(model="m", messages=QUESTION)
    assert len(tracer.spans) == len(server.requests) == len(sink) == 2
    small = Asked(server={"window": 1_500, "overflow": "llama.cpp"}, output_tokens=300)
    await small(talk(60) + QUESTION)
    assert [len(span["messages"]) for span in tracer.spans[2:]] == [
        len(each) for each in small.sent
    ]
    assert [received.status for received in small.server.requests] == [400, 200]


async def test_a_key_set_on_the_wrapped_client_is_the_one_sent(tracer):
    asked = Asked(server={"api_key": "right"})
    asked.client.api_key = "wrong"
    with pytest.raises(openai.AuthenticationError):
        await asked()


async def test_arguments_of_the_tracer_s_own_go_along(tracer):
    asked = Asked()
    await asked(trace_name="mine")
    assert asked.bodies == [{"model": "m", "messages": QUESTION}]


async def test_a_patch_that_comes_and_goes_is_seen_and_forgotten(monkeypatch):
    asked, tracer = Asked(), Tracer()
    await asked()
    with monkeypatch.context() as patched:
        patched.setattr(AsyncCompletions, "create", wrapping(OWN, tracer))
        await asked()
    await asked()
    assert (len(tracer.spans), len(asked.sink)) == (1, 3)


async def test_the_helpers_that_call_create_are_traced_once(tracer):
    asked = Asked('{"number": 4}')
    async with asked.client.chat.completions.stream(model="m", messages=LONG) as stream:
        async for _ in stream:
            pass
    raw = await asked.client.chat.completions.with_raw_response.create(model="m", messages=LONG)
    assert raw.parse().choices[0].message.content == '{"number": 4}'
    assert [span["messages"] for span in tracer.spans] == asked.sent
    assert asked.sink.last.usage.prompt_tokens == asked.server.requests[1].prompt_tokens
    parsed = await asked.client.chat.completions.parse(
        model="m", messages=QUESTION, response_format=Answer
    )
    assert parsed.choices[0].message.parsed == Answer(number=4)
    assert (len(tracer.spans), len(asked.sink)) == (2, 3)


async def test_copies_and_scoped_clients_are_traced(tracer):
    asked = Asked()
    for client in (asked.client.with_options(max_retries=1), asked.client.scoped(window=4_000)):
        await client.chat.completions.create(model="m", messages=QUESTION)
    assert len(tracer.spans) == len(asked.sink) == 2


async def test_a_stream_settles_through_the_tracer_s_own(tracer):
    asked = Asked("one two three four")
    stream = await asked(stream=True, stream_options={"include_usage": True})
    assert isinstance(stream, openai.AsyncStream)
    said = [chunk.choices[0].delta.content or "" async for chunk in stream if chunk.choices]
    assert "".join(said) == "one two three four"
    assert tracer.ended == ["read"]
    assert [record.usage.prompt_tokens for record in asked.sink] == [
        asked.server.requests[0].prompt_tokens
    ]
    assert stream.tracer is tracer


@pytest.mark.parametrize("leave", ["close", "with"])
async def test_leaving_a_stream_early_is_seen_by_the_tracer_and_closes_the_connection(
    tracer, leave
):
    asked = Asked("one two three four")
    stream = await asked(stream=True)
    if leave == "close":
        await anext(stream)
        await stream.close()
    else:
        async with stream:
            await anext(stream)
    assert tracer.ended == ["left"]
    assert stream.response.is_closed
    assert [record.outcome for record in asked.sink] == ["ok"]


async def test_case_77_the_sdk_s_helper_left_early_is_recorded_at_once(tracer):
    asked = Asked("one two three four")
    async with asked.client.chat.completions.stream(model="m", messages=QUESTION) as stream:
        async for _ in stream:
            break
    assert [record.outcome for record in asked.sink] == ["ok"]


async def test_an_overflow_in_a_traced_stream_is_recovered_from(tracer):
    asked = Asked(server={"window": 1_500, "overflow": "llama.cpp"}, output_tokens=300)
    stream = await asked(talk(60) + QUESTION, stream=True)
    assert [chunk async for chunk in stream]
    assert [received.status for received in asked.server.requests] == [400, 200]
    assert len(tracer.spans) == 2


async def test_one_on_the_instance_is_called_with_what_fits():
    server, sink, tracer = ModelServer("Fine."), MemorySink(), Tracer()
    plain = server.client()
    plain.chat.completions.create = wrapping(plain.chat.completions.create, tracer)
    client = agentmaker.wrap(plain, window=8_000, sinks=[sink])
    await client.chat.completions.create(model="m", messages=LONG)
    assert [span["messages"] for span in tracer.spans] == [server.requests[0].messages]
    assert len(tracer.spans[0]["messages"]) < len(LONG)
    assert len(sink) == 1


async def test_one_put_on_the_instance_later_is_called_too():
    asked, tracer = Asked(), Tracer()
    asked.plain.chat.completions.create = wrapping(asked.plain.chat.completions.create, tracer)
    await asked()
    await asked.client.scoped().chat.completions.create(model="m", messages=QUESTION)
    assert len(tracer.spans) == 2


async def test_the_retries_of_a_client_that_is_traced_itself_are_not_multiplied():
    server = ModelServer(BUSY)
    plain = server.client(max_retries=1)
    plain.chat.completions.create = wrapping(plain.chat.completions.create, Tracer())
    client = agentmaker.wrap(plain, window=8_000, sinks=())
    with pytest.raises(openai.InternalServerError):
        await client.chat.completions.create(model="m", messages=QUESTION)
    assert len(server.requests) == 2


async def test_one_that_traces_the_wrapped_client_is_called_by_its_user_only():
    asked, tracer = Asked(), Tracer()
    asked.client.chat.completions.create = wrapping(asked.client.chat.completions.create, tracer)
    await asked(LONG)
    assert [span["messages"] for span in tracer.spans] == [LONG]
    assert len(asked.sink) == 1


async def test_resources_of_a_user_s_own_class_are_asked():
    tracer = Tracer()

    class Mine(openai.AsyncOpenAI):
        @functools.cached_property
        def chat(self) -> Any:
            create = wrapping(super().chat.completions.create, tracer)
            return SimpleNamespace(completions=SimpleNamespace(create=create))

    server = ModelServer("Fine.")
    http_client = httpx.AsyncClient(transport=server.transport())
    mine = Mine(base_url=server.base_url, api_key="k", http_client=http_client)
    client = agentmaker.wrap(mine, window=8_000, sinks=())
    completion = await client.chat.completions.create(model="m", messages=QUESTION)
    assert completion.choices[0].message.content == "Fine."
    assert len(tracer.spans) == 1


@pytest.mark.parametrize("place", ["class", "instance"])
@pytest.mark.parametrize(
    "answer",
    [
        COMPLETION,
        COMPLETION.model_dump(),
        SimpleNamespace(choices=[SimpleNamespace(message=SimpleNamespace(content="Hi"))]),
        MagicMock(),
        object(),
    ],
    ids=["completion", "dictionary", "namespace", "mock", "object"],
)
async def test_what_a_mock_gives_is_handed_on(place, answer):
    asked = Asked()
    holder = AsyncCompletions if place == "class" else asked.plain.chat.completions
    with patch.object(holder, "create", AsyncMock(return_value=answer)) as mock:
        assert await asked(LONG, seed=3) is answer
        stream = await asked(QUESTION, stream=True)
    assert stream is answer
    first, _ = mock.await_args_list
    assert len(first.kwargs["messages"]) < len(LONG)
    assert first.kwargs["seed"] == 3
    assert len(asked.sink) == 2


async def test_a_mock_s_error_reaches_the_caller():
    asked = Asked()
    with (
        patch.object(AsyncCompletions, "create", AsyncMock(side_effect=ValueError("no"))),
        pytest.raises(ValueError, match="no"),
    ):
        await asked()
    assert [record.outcome for record in asked.sink] == ["ValueError"]


@pytest.mark.parametrize(
    "chunk",
    ["text", {"choices": [{"delta": {"content": "a"}}]}, COMPLETION],
    ids=["text", "dictionary", "object"],
)
async def test_a_fake_may_stream_whatever_it_likes(chunk):
    async def fake(**_: Any) -> Any:
        async def chunks() -> Any:
            yield chunk
            yield chunk

        return chunks()

    asked = Asked()
    asked.plain.chat.completions.create = fake
    stream = await asked(stream=True)
    assert isinstance(stream, openai.AsyncStream)
    assert [each async for each in stream] == [chunk, chunk]
    assert len(asked.sink) == 1


async def test_a_fake_that_streams_nothing_is_left_alone():
    async def fake(**_: Any) -> Any:
        async def chunks() -> Any:
            for nothing in ():
                yield nothing

        return chunks()

    asked = Asked()
    asked.plain.chat.completions.create = fake
    assert [each async for each in await asked(stream=True)] == []


@pytest.mark.parametrize("name", ["post", "request"])
async def test_one_that_patches_what_is_below_create_is_called(name):
    server, seen = ModelServer("Fine."), []
    plain = server.client(max_retries=3)
    own = getattr(plain, name)

    async def traced(*args: Any, **given: Any) -> Any:
        seen.append(args)
        return await own(*args, **given)

    setattr(plain, name, traced)
    client = agentmaker.wrap(plain, window=8_000, sinks=())
    await client.chat.completions.create(model="m", messages=LONG)
    await client.chat.completions.parse(model="m", messages=LONG)
    assert len(seen) == len(server.requests) == 2
    assert all(len(request.messages) < len(LONG) for request in server.requests)


async def test_so_is_a_post_put_on_the_wrapped_client():
    asked, seen = Asked(), []
    own = asked.client.post

    async def traced(*args: Any, **given: Any) -> Any:
        seen.append(args)
        return await own(*args, **given)

    asked.client.post = traced
    await asked(LONG)
    assert len(seen) == len(asked.sink) == 1
    assert len(asked.sent[0]) < len(LONG)


async def test_hooks_of_the_http_client_see_every_request():
    seen: list[Any] = []

    async def look(request: Any) -> None:
        seen.append(request)

    asked = Asked()
    asked.plain._client.event_hooks["request"].append(look)
    await asked(LONG)
    assert len(seen) == 1


def test_a_client_that_blocks_is_traced_too(monkeypatch):
    own, spans = Completions.create, []

    @functools.wraps(own)
    def traced(self: Any, **arguments: Any) -> Any:
        spans.append(arguments)
        return own(self, **arguments)

    monkeypatch.setattr(Completions, "create", traced)
    sink = MemorySink()
    with ModelServer([BUSY, "Fine.", "one two three"]) as server:
        plain = openai.OpenAI(base_url=server.base_url, api_key="k")
        with agentmaker.wrap(plain, window=8_000, sinks=[sink]) as client:
            client.chat.completions.create(model="m", messages=LONG)  # type: ignore[arg-type]
            stream = client.chat.completions.create(model="m", messages=[user("q")], stream=True)
            assert isinstance(stream, openai.Stream)
            assert len(list(stream)) > 1
    assert [span["messages"] for span in spans] == [each.messages for each in server.requests]
    assert len(sink) == 3
