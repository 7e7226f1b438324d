"""The embeddings of the server, through the real SDK."""

from __future__ import annotations

import openai
import pytest

from agentmaker.testing import BrokenStream, Delay, Gate, ModelServer, ServerError, error_body
from agentmaker.testing.vectors import vector_of

pytestmark = pytest.mark.anyio


async def embed(server, texts, **params):
    async with server.client(max_retries=0) as client:
        return await client.embeddings.create(model="e", input=texts, **params)


@pytest.mark.parametrize("encoding", ["float", "base64"])
async def test_vectors_come_in_either_encoding_with_their_usage(encoding):
    server = ModelServer(counter=lambda text: len(text.split()))
    given = {"encoding_format": "float"} if encoding == "float" else {}
    answer = await embed(server, ["red wine", "white wine too"], **given)
    assert [each.index for each in answer.data] == [0, 1]
    assert answer.data[0].embedding == pytest.approx(vector_of("red wine", 64))
    assert answer.usage.prompt_tokens == 5
    assert answer.model == "e"
    assert [each.body["encoding_format"] for each in server.embedded] == [encoding]
    assert server.requests == ()


async def test_one_text_and_a_width_of_ones_own_are_welcome():
    answer = await embed(ModelServer(), "red wine", dimensions=7)
    assert [len(each.embedding) for each in answer.data] == [7]


@pytest.mark.parametrize("texts", ["", [], ["fine", ""], ["x"] * 2049, [["fine"]]])
async def test_what_openai_refuses_is_refused(texts):
    server = ModelServer()
    with pytest.raises(openai.BadRequestError, match="input"):
        await embed(server, texts)
    assert [each.status for each in server.embedded] == [400]


async def test_a_script_decides_about_embeddings_by_themselves():
    gate = Gate()
    gate.open()
    busy = ServerError(429, error_body("slow down"))
    server = ModelServer("Hello!", embeddings=[busy, Delay(gate), BrokenStream(), lambda _: busy])
    with pytest.raises(openai.RateLimitError):
        await embed(server, "x")
    assert len((await embed(server, "x")).data) == 1
    with pytest.raises(openai.APIConnectionError):
        await embed(server, "x")
    with pytest.raises(openai.RateLimitError):
        await embed(server, "x")
    with pytest.raises(openai.InternalServerError, match="used up"):
        await embed(server, "x")
