"""What a user may give as summarizer: a client, a model of the same client, or a function."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from agentmaker.calls.call import Call, Reply
from agentmaker.calls.middleware import Model, Next
from agentmaker.clients.llm import LLMClient
from agentmaker.clients.summarizer import Summarizer
from agentmaker.context.threads import DaemonThreads, is_async
from agentmaker.errors import ConfigError

if TYPE_CHECKING:
    from openai import AsyncOpenAI, OpenAI


def read_summarizer(given: Any) -> Summarizer | None:
    """Read what a user gives as ``summarizer``.

    Raises:
        ConfigError: it is no client, model name or function.
    """
    if given is None:
        return None
    if isinstance(given, str) and given:
        return Summarizer(name=given)
    if isinstance(given, LLMClient):
        return Summarizer(name=given.model, window=given.context_window, send=given.send)
    return _sdk_client(given) or _model(given) or _function(given)


def _sdk_client(given: Any) -> Summarizer | None:
    import openai

    if not isinstance(given, (openai.AsyncOpenAI, openai.OpenAI)):
        return None
    from agentmaker.clients.budgeted import Budgeted

    if not isinstance(given, Budgeted):
        return Summarizer(send=_door_of(given))
    options = given.engine.reader.options
    return Summarizer(
        window=options.window, fallback=options.fallback_window, send=given.engine.send
    )


def _door_of(client: AsyncOpenAI | OpenAI) -> Next:
    import openai

    from agentmaker.calls.sdk.blocking import BlockingTransport
    from agentmaker.calls.transport import Transport

    awaits = isinstance(client, openai.AsyncOpenAI)
    return Transport(client) if awaits else BlockingTransport(client)


def _model(given: Any) -> Summarizer | None:
    if isinstance(given, type) or not isinstance(given, Model) or not callable(given.chat):
        return None
    return Summarizer(
        name=getattr(given, "model", None),
        window=getattr(given, "context_window", None),
        send=_by_chat(given),
    )


def _function(given: Any) -> Summarizer:
    if isinstance(given, type) or not callable(given):
        kind = given.__name__ if isinstance(given, type) else repr(given)
        raise ConfigError(f"summarizer must be a client, a model name or a function, not {kind}")
    return Summarizer(send=_by_function(given))


def _by_chat(model: Model) -> Next:
    async def send(call: Call) -> Reply:
        reply = await model.chat(list(call.messages))
        reply.settle()
        return reply

    return send


def _by_function(function: Callable[[str, str], Any]) -> Next:
    threads = DaemonThreads()

    async def send(call: Call) -> Reply:
        question = call.window.question
        text = question.text if question else ""
        instruction = "\n".join(each.text for each in call.window.system)
        if is_async(function):
            written = function(text, instruction)
        else:
            written = await threads.run(partial(function, text, instruction))
        if inspect.isawaitable(written):
            written = await written
        reply = Reply(content=written, finish_reason="stop")
        reply.settle()
        return reply

    return send
