"""Who writes summaries: another client, another model of the same client, or a function."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from agentmaker.calls.call import Call, Reply
from agentmaker.calls.middleware import Model, Next
from agentmaker.calls.setting import SummaryModel
from agentmaker.clients.llm import LLMClient
from agentmaker.clients.models import known_window
from agentmaker.errors import ConfigError
from agentmaker.tokens import counter_for


@dataclass(frozen=True, slots=True, kw_only=True)
class Summarizer:
    """Where summary calls go.

    Attributes:
        name: the model to ask, None for the model of the call that needs the summary.
        window: its window in tokens, where it says so itself.
        send: how it is reached, None for the client of the call itself.
    """

    name: str | None = None
    window: int | None = None
    send: Next | None = None

    def model(self, model: str, window: int) -> SummaryModel:
        """The summariser of a call to *model* whose window is *window*."""
        name = self.name or model
        known = window if name == model else known_window(name, client=self.window)
        return SummaryModel(
            model=name, window=self.window or known or window, counter=counter_for(name)
        )


def read_summarizer(given: Any) -> Summarizer | None:
    """Read what a user gives as ``summarizer``.

    Raises:
        ConfigError: it is no client, model name or function.
    """
    if given is None or isinstance(given, Summarizer):
        return given
    if isinstance(given, str):
        return Summarizer(name=given)
    if _is_sdk_client(given):
        from agentmaker.calls.transport import Transport

        return Summarizer(send=Transport(given))
    if isinstance(given, Model):
        return Summarizer(
            name=getattr(given, "model", None),
            window=getattr(given, "context_window", None),
            send=given.send if isinstance(given, LLMClient) else _by_chat(given),
        )
    if callable(given):
        return Summarizer(send=_by_function(given))
    raise ConfigError(
        f"summarizer must be a client, a model name or a function, not {type(given).__name__}"
    )


def _is_sdk_client(given: Any) -> bool:
    import openai

    return isinstance(given, openai.AsyncOpenAI)


def _by_chat(model: Model) -> Next:
    async def send(call: Call) -> Reply:
        reply = await model.chat(list(call.messages))
        reply.settle()
        return reply

    return send


def _by_function(fn: Callable[..., Any]) -> Next:
    async def send(call: Call) -> Reply:
        question = call.window.question
        text = question.text if question else ""
        written = fn(text, "\n".join(each.text for each in call.window.system))
        if inspect.isawaitable(written):
            written = await written
        reply = Reply(content=written, finish_reason="stop")
        reply.settle()
        return reply

    return send
