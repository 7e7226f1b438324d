"""The server on a loopback port, in a thread of its own."""

from __future__ import annotations

import gc
import socket
import threading
from urllib.parse import urlsplit

import anyio
import anyio.to_thread
import openai
import pytest
from openai import AsyncOpenAI, OpenAI

from agentmaker.testing import BrokenStream, Delay, Gate, ModelServer, ServerError, error_body

QUESTION = [{"role": "user", "content": "How are you?"}]


@pytest.fixture
def anyio_backend():
    """The SDK's own HTTP client decides; the server has its own loop either way."""
    return "asyncio"


def client_of(server, **options):
    return AsyncOpenAI(base_url=server.base_url, api_key="any", max_retries=0, **options)


async def ask(server, **params):
    async with client_of(server) as client:
        return await client.chat.completions.create(model="m", messages=QUESTION, **params)


@pytest.mark.anyio
async def test_the_real_client_talks_to_it():
    with ModelServer("Fine, thanks.") as server:
        reply = await ask(server)

    assert reply.choices[0].message.content == "Fine, thanks."
    assert reply.usage.prompt_tokens == server.requests[0].prompt_tokens


@pytest.mark.anyio
async def test_streams_arrive_with_their_usage():
    async with ModelServer("Fine, thanks.") as server, client_of(server) as client:
        opened = await client.chat.completions.create(
            model="m", messages=QUESTION, stream=True, stream_options={"include_usage": True}
        )
        chunks = [chunk async for chunk in opened]

    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    assert text == "Fine, thanks."
    assert chunks[-1].usage.prompt_tokens == server.requests[0].prompt_tokens


def test_synchronous_clients_are_served_as_well():
    with (
        ModelServer("Hello.") as server,
        OpenAI(base_url=server.base_url, api_key="any") as client,
    ):
        reply = client.chat.completions.create(model="m", messages=QUESTION)

    assert reply.choices[0].message.content == "Hello."


@pytest.mark.anyio
async def test_an_overflow_is_a_bad_request_with_the_servers_body():
    with ModelServer(window=5) as server, pytest.raises(openai.BadRequestError) as caught:
        await ask(server)

    assert caught.value.code == "context_length_exceeded"
    assert "maximum context length is 5 tokens" in caught.value.body["message"]


@pytest.mark.anyio
async def test_scripted_errors_keep_their_status():
    with (
        ModelServer(ServerError(429, error_body("slow down"))) as server,
        pytest.raises(openai.RateLimitError, match="slow down"),
    ):
        await ask(server)


@pytest.mark.anyio
@pytest.mark.parametrize("stream", [False, True])
async def test_a_broken_connection_is_seen_by_the_client_and_nothing_is_printed(stream, capfd):
    async def read(client) -> None:
        opened = await client.chat.completions.create(model="m", messages=QUESTION, stream=stream)
        assert stream
        async for _ in opened:
            pass

    with ModelServer(BrokenStream(after=1, then="one two three")) as server:
        async with client_of(server) as client:
            with pytest.raises(Exception, match=r"(?i)connection|peer|closed|incomplete"):
                await read(client)

    assert capfd.readouterr().err == ""


@pytest.mark.anyio
async def test_a_gate_opened_here_lets_the_servers_thread_go_on():
    gate, arrived, replies = Gate(), threading.Event(), []

    def reply(body):
        arrived.set()
        return Delay(gate, then="late")

    async def run() -> None:
        replies.append(await ask(server))

    with anyio.fail_after(20), ModelServer(reply) as server:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run)
            await anyio.to_thread.run_sync(arrived.wait, 10)
            assert replies == []
            gate.open()

    assert replies[0].choices[0].message.content == "late"


@pytest.mark.anyio
async def test_stopping_cuts_what_still_waits():
    arrived = threading.Event()

    def reply(body):
        arrived.set()
        return Delay(3_600)

    async def run() -> None:
        with pytest.raises(openai.InternalServerError):
            await ask(server)

    with anyio.fail_after(20):
        async with anyio.create_task_group() as tasks, ModelServer(reply) as server:
            tasks.start_soon(run)
            await anyio.to_thread.run_sync(arrived.wait, 10)


def test_it_leaves_no_thread_and_no_socket():
    before = set(threading.enumerate())
    with ModelServer() as server:
        port = urlsplit(server.base_url).port
        assert set(threading.enumerate()) - before
        with OpenAI(base_url=server.base_url, api_key="any") as client:
            client.chat.completions.create(model="m", messages=QUESTION)

    assert not set(threading.enumerate()) - before
    gc.collect()  # an unclosed socket would warn here, and warnings are errors
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=5)


def test_it_stops_when_the_block_fails():
    before = set(threading.enumerate())

    with pytest.raises(KeyError), ModelServer():
        raise KeyError("the test's own fault")

    assert not set(threading.enumerate()) - before


def test_it_can_start_again_but_not_twice_at_once():
    server = ModelServer()
    with server, pytest.raises(RuntimeError, match="already runs at http://127"):
        server.start()
    with server, OpenAI(base_url=server.base_url, api_key="any") as client:
        assert client.models.list().data[0].id == "test-model"
    server.stop()

    assert server.base_url == "http://in-process.invalid/v1"


def test_two_servers_run_side_by_side():
    with ModelServer("a") as first, ModelServer("b") as second:
        answers = []
        for server in (first, second):
            with OpenAI(base_url=server.base_url, api_key="any") as client:
                reply = client.chat.completions.create(model="m", messages=QUESTION)
                answers.append(reply.choices[0].message.content)

    assert answers == ["a", "b"]


@pytest.mark.anyio
async def test_its_own_client_finds_the_loopback_port():
    async with ModelServer("Hello.") as server, server.client() as client:
        assert str(client.base_url).startswith("http://127.0.0.1:")
        reply = await client.chat.completions.create(model="m", messages=QUESTION)

    assert reply.choices[0].message.content == "Hello."


@pytest.mark.anyio
async def test_many_requests_at_once_are_each_answered_and_recorded():
    answers = []

    async def run(client, number) -> None:
        messages = [{"role": "user", "content": str(number)}]
        reply = await client.chat.completions.create(model="m", messages=messages)
        answers.append(reply.choices[0].message.content)

    with ModelServer(lambda body: body["messages"][0]["content"]) as server:
        async with client_of(server) as client, anyio.create_task_group() as tasks:
            for number in range(20):
                tasks.start_soon(run, client, number)

    assert sorted(map(int, answers)) == list(range(20))
    assert len(server.requests) == 20
