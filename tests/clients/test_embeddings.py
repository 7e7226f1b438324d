"""`OpenAIEmbedder`, through the real SDK, against the model server."""

from __future__ import annotations

import anyio
import anyio.to_thread
import httpx
import openai
import pytest

import agentmaker
from agentmaker import ConfigError, LLMRequestError, LLMResponseError, OpenAIEmbedder
from agentmaker.memory.index.embedding import Embedded
from agentmaker.testing import Delay, Gate, ModelServer, ServerError, error_body
from agentmaker.testing.vectors import vector_of

pytestmark = pytest.mark.anyio

TEXTS = ["red wine", "white wine", "a broken printer", "", "红酒"]


async def embedded(server: ModelServer, *, options=None, texts=TEXTS, **client) -> Embedded:
    async with server.client(**client) as made:
        return await OpenAIEmbedder(made, "embed-small", **(options or {}))(texts)


def body(vectors, *, usage=None, numbers=None):
    numbers = range(len(vectors)) if numbers is None else numbers
    data = [
        {"object": "embedding", "index": number, "embedding": vector}
        for number, vector in zip(numbers, vectors, strict=True)
    ]
    return {"object": "list", "model": "m", "data": data, "usage": usage}


async def test_texts_are_embedded_in_order_and_in_batches_with_their_tokens():
    server = ModelServer(counter=lambda text: len(text.split()))
    made = await embedded(server, options={"batch": 2})
    for vector, text in zip(made.vectors, TEXTS, strict=True):
        assert vector == pytest.approx(vector_of(text, 64))
    assert made.tokens == 2 + 2 + 3 + 0 + 1
    assert [len(each.body["input"]) for each in server.embedded] == [2, 2, 1]
    assert {each.body["model"] for each in server.embedded} == {"embed-small"}


async def test_dimensions_are_asked_for_and_part_of_the_name():
    server = ModelServer()
    made = await embedded(server, options={"dimensions": 12})
    assert {*map(len, made.vectors)} == {12}
    async with server.client() as client:
        assert OpenAIEmbedder(client, "e").name == "e"
        assert OpenAIEmbedder(client, "e", dimensions=12).name == "e/12"


async def test_nothing_is_asked_for_no_texts():
    server = ModelServer()
    assert await embedded(server, texts=[]) == Embedded([], None)
    assert server.embedded == ()


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [((1, 0), [[2.0], [1.0]]), ((0, 0), [[1.0], [2.0]]), ((None, None), [[1.0], [2.0]])],
)
async def test_the_server_says_which_text_a_vector_is_of_or_keeps_their_order(numbers, expected):
    server = ModelServer(embeddings=[body([[1.0], [2.0]], numbers=numbers)])
    made = await embedded(server, texts=["a", "b"])
    assert made == Embedded(expected, None)


async def test_a_wrapped_client_serves_too():
    server = ModelServer()
    async with server.client() as client:
        wrapped = agentmaker.wrap(client, window=8_000)
        made = await OpenAIEmbedder(wrapped, "e")(["red wine"])
    assert len(made.vectors) == 1


async def test_a_client_that_blocks_is_asked_in_a_thread_and_left_when_cancelled():
    gate = Gate()
    with ModelServer(embeddings=[None, Delay(gate)]) as server:
        client = openai.OpenAI(base_url=server.base_url, api_key="any")
        embedder = OpenAIEmbedder(client, "e")
        assert len((await embedder(["red wine"])).vectors) == 1
        async with anyio.create_task_group() as group:
            group.start_soon(embedder, ["white wine"])
            await anyio.wait_all_tasks_blocked()
            group.cancel_scope.cancel()
        gate.open()
        await anyio.to_thread.run_sync(client.close)


async def test_the_clients_own_retries_hold():
    busy = ServerError(503, error_body("busy"), {"retry-after-ms": "1"})
    server = ModelServer(embeddings=[busy, None])
    assert len((await embedded(server, max_retries=1)).vectors) == len(TEXTS)
    server = ModelServer(embeddings=[busy, None])
    with pytest.raises(LLMRequestError, match="busy") as raised:
        await embedded(server, max_retries=0)
    assert (raised.value.status, raised.value.retryable) == (503, True)
    assert isinstance(raised.value.__cause__, openai.InternalServerError)


async def test_no_connection_is_a_failed_request():
    def refuse(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused")

    http = httpx.AsyncClient(transport=httpx.MockTransport(refuse))
    with pytest.raises(LLMRequestError) as raised:
        await embedded(ModelServer(), http_client=http, max_retries=0)
    assert raised.value.retryable


@pytest.mark.parametrize(
    "answer",
    [
        body([[1.0]]),
        body([]),
        {"object": "list", "data": None},
        {"error": {"message": "no such model"}},
        "welcome to nginx",
    ],
    ids=["too few", "none", "null", "error", "text"],
)
async def test_an_answer_that_is_no_list_of_as_many_vectors_is_refused(answer):
    with pytest.raises(LLMResponseError, match="embeddings"):
        await embedded(ModelServer(embeddings=[answer]), texts=["a", "b"])


@pytest.mark.parametrize(
    ("client", "model", "options", "words"),
    [
        (object(), "e", {}, "AsyncOpenAI"),
        (openai.AsyncOpenAI, "e", {}, "AsyncOpenAI"),
        (None, "", {}, "model"),
        (None, "e", {"batch": 0}, "batch"),
        (None, "e", {"dimensions": 0}, "dimensions"),
    ],
)
async def test_settings_that_cannot_work_are_refused(client, model, options, words):
    async with ModelServer().client() as real:
        with pytest.raises(ConfigError, match=words):
            OpenAIEmbedder(client or real, model, **options)
