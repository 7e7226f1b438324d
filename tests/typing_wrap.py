"""Checked by mypy and never run: what a type checker makes of the ways in."""

from __future__ import annotations

from typing import Any, assert_type

import openai
from openai.types.chat import ChatCompletion, ChatCompletionChunk, ChatCompletionMessageParam

import agentmaker
from agentmaker.testing import MemorySink, ScriptedLLM


class Client(openai.AsyncOpenAI):
    """A user's own."""


async def a_wrapped_client_keeps_its_type() -> None:
    client = agentmaker.wrap(openai.AsyncOpenAI(), window=8_000)
    assert_type(client, openai.AsyncOpenAI)
    assert_type(agentmaker.wrap(openai.AsyncAzureOpenAI()), openai.AsyncAzureOpenAI)
    assert_type(agentmaker.wrap(Client()), Client)
    completion = await client.chat.completions.create(
        model="gpt-4o", messages=[{"role": "user", "content": "hi"}]
    )
    assert_type(completion, ChatCompletion)
    stream = await client.chat.completions.create(
        model="gpt-4o", messages=[{"role": "user", "content": "hi"}], stream=True
    )
    assert_type(stream, openai.AsyncStream[ChatCompletionChunk])


def a_client_that_blocks_keeps_its_type() -> None:
    client = agentmaker.wrap(openai.OpenAI(), window=8_000)
    assert_type(client, openai.OpenAI)
    assert_type(agentmaker.wrap(openai.AzureOpenAI()), openai.AzureOpenAI)
    messages: list[ChatCompletionMessageParam] = [{"role": "user", "content": "hi"}]
    assert_type(client.chat.completions.create(model="gpt-4o", messages=messages), ChatCompletion)
    stream = client.chat.completions.create(model="gpt-4o", messages=messages, stream=True)
    assert_type(stream, openai.Stream[ChatCompletionChunk])


def what_is_no_client_is_an_error() -> None:
    agentmaker.wrap("gpt-4o")  # type: ignore[type-var]


async def log(call: agentmaker.Call, next: Any, /) -> agentmaker.Reply:
    reply: agentmaker.Reply = await next(call)
    return reply


def everything_that_may_be_given() -> openai.AsyncOpenAI:
    return agentmaker.wrap(
        openai.AsyncOpenAI(),
        window=8_000,
        fallback_window=None,
        output_tokens=512,
        sources=[agentmaker.CallableSource("rag", lambda query: [])],
        scope=agentmaker.Scope(user="alice"),
        summarizer="gpt-4o-mini",
        config=agentmaker.AgentmakerConfig(),
        middleware=[log],
        sinks=[MemorySink(), lambda record: None],
        dialect=agentmaker.Dialect(system="anywhere"),
    )


def models() -> list[agentmaker.Model]:
    return [agentmaker.LLMClient("openai"), ScriptedLLM(["hi"])]


async def fitting() -> None:
    messages = [{"role": "user", "content": "hi"}]
    assert_type(agentmaker.fit(messages, window=8_000), agentmaker.Fitted)
    fitted = await agentmaker.afit(messages, window=8_000, tools=[{"type": "function"}])
    assert_type(fitted.messages, list[dict[str, Any]])
    assert_type(fitted.ledger, agentmaker.Ledger)


def using() -> None:
    with agentmaker.using(scope=agentmaker.Scope(), run=agentmaker.RunPolicy(calls=3)) as run:
        if run is not None:
            run.cancel()
