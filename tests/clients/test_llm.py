from __future__ import annotations

import pytest
import structlog

from agentmaker.clients.llm import LLMClient
from agentmaker.clients.using import using
from agentmaker.context.allocation import ContextConfig
from agentmaker.errors import ConfigError, ContextOverflow, LLMRequestError, LLMResponseError
from agentmaker.messages import Message
from agentmaker.testing import BrokenStream, ModelServer, ServerError, error_body

pytestmark = pytest.mark.usefixtures("by_the_rule")

CANARY = "sk-CANARY0123456789"


def test_a_client_is_made_without_a_key_and_knows_its_window():
    client = LLMClient("deepseek")
    assert (client.provider, client.base_url) == ("deepseek", "https://api.deepseek.com")
    assert client.context_window == 1_000_000


def test_a_configuration_can_be_derived_from_its_window():
    assert ContextConfig.for_window(LLMClient("deepseek").context_window).max_tokens == 500_000


def test_what_the_caller_gives_comes_before_what_is_known():
    client = LLMClient("openai", model="gpt-4o", context_window=9_000, max_output_tokens=700)
    assert (client.context_window, client.max_output_tokens) == (9_000, 700)
    assert LLMClient("openai", model="gpt-4o").max_output_tokens == 16_384


def test_an_unknown_window_is_none_or_the_fallback():
    assert LLMClient("ollama", model="qwen3:14b").context_window is None
    assert LLMClient("ollama", model="qwen3:14b", fallback_window=8_000).context_window == 8_000
    assert LLMClient("openai", model="gpt-4o", fallback_window=8_000).context_window == 128_000


def test_any_server_can_be_asked_by_its_address():
    client = LLMClient("ours", model="m", base_url="https://models.example/v1")
    assert client.base_url == "https://models.example/v1"


def test_an_unknown_provider_without_an_address_is_refused():
    with pytest.raises(ConfigError, match="base_url="):
        LLMClient("deepsek")


def test_a_server_without_a_default_model_asks_for_one():
    with pytest.raises(ConfigError, match="model="):
        LLMClient("ollama")


@pytest.mark.parametrize("name", ["context_window", "max_output_tokens", "fallback_window"])
def test_a_number_of_tokens_must_be_positive(name):
    with pytest.raises(ConfigError, match=f"{name} must be a positive whole number"):
        LLMClient("openai", **{name: 0})


def test_the_key_is_in_no_text_of_the_client():
    client = LLMClient("openai", api_key=CANARY, base_url=f"https://u:{CANARY}@a.b/v1?k={CANARY}")
    assert repr(client) == "LLMClient('openai', model='gpt-4.1-mini', host='a.b')"
    assert CANARY not in str(client)


@pytest.mark.anyio
async def test_a_missing_key_is_named_with_the_first_request():
    client = LLMClient("openai")
    with pytest.raises(ConfigError, match=r"OPENAI_API_KEY or pass api_key="):
        await client.chat([{"role": "user", "content": "hi"}])


@pytest.mark.anyio
async def test_a_key_no_header_can_hold_is_refused_without_showing_it():
    client = LLMClient("openai", api_key=f"{CANARY}\u2026")
    with pytest.raises(ConfigError, match="no header can hold") as refused:
        await client.chat([{"role": "user", "content": "hi"}])
    assert CANARY not in str(refused.value)


def client_of(server, **options):
    given = {"model": "m", "context_window": 8_000, "api_key": CANARY, **options}
    return LLMClient("ours", base_url=server.base_url, **given)


@pytest.fixture(autouse=True)
def logs():
    with structlog.testing.capture_logs() as events:
        yield events


@pytest.mark.anyio
async def test_a_model_is_asked_and_its_reply_read():
    with ModelServer(["four"]) as server:
        async with client_of(server) as client:
            reply = await client.chat([Message("2 + 2?"), {"role": "user", "content": "?"}])
        assert (reply.content, reply.finish_reason, reply.settled) == ("four", "stop", True)
        assert reply.usage.prompt_tokens > 0
        assert [message["content"] for message in server.requests[0].messages] == ["2 + 2?", "?"]
        assert server.requests[0].body["model"] == "m"


@pytest.mark.anyio
async def test_no_cap_is_sent_that_the_caller_did_not_send():
    with ModelServer() as server:
        async with client_of(server, max_output_tokens=700) as client:
            await client.chat([Message("hi")], temperature=0)
        assert server.requests[0].body["temperature"] == 0
        assert not {"max_tokens", "max_completion_tokens"} & set(server.requests[0].body)


@pytest.mark.anyio
async def test_tools_are_sent_and_calls_come_back():
    tool = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}
    call = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    with ModelServer([{"role": "assistant", "content": None, "tool_calls": [call]}]) as server:
        async with client_of(server) as client:
            reply = await client.chat([Message("look")], tools=[tool])
        assert server.requests[0].body["tools"] == [tool]
        assert [(made.id, made.name) for made in reply.tool_calls] == [("c1", "look")]


@pytest.mark.anyio
async def test_a_closed_client_opens_again_when_it_is_asked():
    with ModelServer(["one", "two"]) as server:
        client = client_of(server)
        first = await client.chat([Message("hi")])
        await client.aclose()
        second = await client.chat([Message("hi")])
        await client.aclose()
    assert (first.content, second.content) == ("one", "two")


@pytest.mark.anyio
async def test_a_refusal_of_the_server_is_an_error_of_ours():
    with ModelServer([ServerError(401, error_body("that key is wrong"))]) as server:
        async with client_of(server) as client:
            with pytest.raises(LLMRequestError) as failed:
                await client.chat([Message("hi")])
    assert (failed.value.status, failed.value.retryable) == (401, False)
    assert "that key is wrong" in str(failed.value)
    assert CANARY not in str(failed.value)


@pytest.mark.anyio
async def test_case_53_an_error_in_the_guise_of_an_answer_is_an_error_with_the_servers_words():
    with ModelServer(ServerError(200, error_body("no such worker", code=404))) as server:
        async with client_of(server) as client:
            with pytest.raises(LLMRequestError, match="no such worker") as failed:
                await client.chat([Message("hi")])
    assert (failed.value.status, failed.value.retryable) == (404, False)


@pytest.mark.anyio
async def test_case_53_an_answer_without_a_reply_in_it_cannot_be_used():
    with ModelServer([ServerError(200, {"id": "x", "choices": []})]) as server:
        async with client_of(server) as client:
            with pytest.raises(LLMResponseError, match="without a reply"):
                await client.chat([Message("hi")])


@pytest.mark.anyio
async def test_a_server_that_is_not_there_is_worth_another_try(monkeypatch):
    with ModelServer() as server:
        client = client_of(server)
    monkeypatch.setattr("agentmaker.calls.retry.FIRST_WAIT", 0)
    async with client:
        with pytest.raises(LLMRequestError) as failed:
            await client.chat([Message("hi")])
    assert (failed.value.status, failed.value.retryable) == (None, True)


@pytest.mark.anyio
async def test_a_conversation_larger_than_the_window_is_sent_as_what_fits(logs):
    talk = [Message(f"{n} " + "word " * 400) for n in range(40)]
    with ModelServer(["fine"], window=8_000) as server:
        async with client_of(server) as client:
            reply = await client.chat([*talk, Message("and now?")])
        assert server.requests[0].prompt_tokens < 8_000
    assert reply.ledger.window == 8_000
    assert [event["event"] for event in logs] == ["agentmaker.request"]
    assert CANARY not in str(logs)


@pytest.mark.anyio
async def test_a_window_nobody_knows_is_refused_before_anything_is_sent():
    with ModelServer() as server:
        async with client_of(server, context_window=None) as client:
            with pytest.raises(ConfigError, match=r"context_window=.*fallback_window="):
                await client.chat([Message("hi")])
        assert not server.requests


@pytest.mark.anyio
async def test_an_unknown_window_may_have_a_fallback():
    with ModelServer(["fine"]) as server:
        async with client_of(server, context_window=None, fallback_window=9_000) as client:
            assert (await client.chat([Message("hi")])).ledger.window == 9_000


@pytest.mark.anyio
async def test_a_prompt_refused_twice_is_an_overflow_of_ours():
    refusal = ServerError(
        400,
        error_body(
            "This model's maximum context length is 8000 tokens. However, your messages "
            "resulted in 9001 tokens.",
            code="context_length_exceeded",
        ),
    )
    with ModelServer([refusal, refusal]) as server:
        async with client_of(server) as client:
            with pytest.raises(ContextOverflow, match="maximum context length"):
                await client.chat([Message("hi")])


# The SDK leaves generators of its own open at the end of a stream, which trio warns of.
@pytest.mark.asyncio
async def test_a_reply_can_be_pulled_as_it_comes():
    with ModelServer(["one two three"]) as server:
        async with client_of(server) as client:
            reply = await client.chat([Message("hi")], stream=True)
            assert "".join([delta.content async for delta in reply]) == "one two three"
    assert (reply.content, reply.settled) == ("one two three", True)


# The SDK leaves generators of its own open at the end of a stream, which trio warns of.
@pytest.mark.asyncio
async def test_a_stream_that_breaks_raises_an_error_of_ours():
    with ModelServer([BrokenStream(after=2, then="one two three four five")]) as server:
        async with client_of(server) as client:
            reply = await client.chat([Message("hi")], stream=True)
            with pytest.raises(LLMRequestError):
                async for _ in reply:
                    pass


@pytest.mark.anyio
async def test_a_block_of_using_may_set_another_window(logs):
    with ModelServer(["fine"]) as server:
        async with client_of(server) as client:
            with using(window=2_000):
                reply = await client.chat([Message("hi")])
    assert reply.ledger.window == 2_000


@pytest.mark.anyio
async def test_an_unknown_window_names_the_argument_that_says_it():
    client = LLMClient("ollama", model="qwen3:14b")
    with pytest.raises(ConfigError, match=r"local server .*: pass context_window= .*fallback_wind"):
        await client.chat([Message("hi")])
