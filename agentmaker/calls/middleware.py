"""The two shapes everything is made of, and how a chain is put together."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Protocol, runtime_checkable

from agentmaker.calls.call import Call, Reply

Next = Callable[[Call], Awaitable[Reply]]


class Middleware(Protocol):
    """Something around a request: retry, cache, limit, record, route."""

    async def __call__(self, call: Call, next: Next, /) -> Reply: ...


class Step(Protocol):
    """Something that prepares a window and never needs the reply.

    A step that wants a summary sends a call of its own to *ask*.
    """

    async def __call__(self, call: Call, ask: Next, /) -> Call: ...


@runtime_checkable
class Model(Protocol):
    """Whatever can be asked: ``LLMClient``, a wrapped client, ``ScriptedLLM``."""

    async def chat(
        self, messages: Sequence[Any], *, tools: Sequence[Any] | None = None, **params: Any
    ) -> Reply: ...


def compose(middleware: Sequence[Middleware], last: Next) -> Next:
    """One function out of a chain; the first middleware is outermost."""
    for layer in reversed(middleware):
        last = _around(layer, last)
    return last


def _around(layer: Middleware, next: Next) -> Next:
    return lambda call: layer(call, next)
