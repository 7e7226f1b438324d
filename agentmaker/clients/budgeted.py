"""An ``AsyncOpenAI`` whose chat completions go through an engine, whichever way they are asked for.

The SDK posts every request through the client's ``post``; chat completions are taken there.
Only ``create`` is met earlier, because the SDK's own walk over its parameters takes several
times as long as everything the engine does.
"""

from __future__ import annotations

import copy
import functools
import inspect
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Self, TypeVar, cast

from openai import AsyncOpenAI
from openai.resources.chat import AsyncChat
from openai.resources.chat.completions import AsyncCompletions
from openai.types.chat import ChatCompletion

from agentmaker.calls.call import Reply
from agentmaker.calls.limits import Run, RunPolicy
from agentmaker.calls.transport import PATH, Transport
from agentmaker.clients.completions import completion_of
from agentmaker.clients.engine import Engine
from agentmaker.clients.given import Given
from agentmaker.clients.using import NOTHING, Overrides, overrides
from agentmaker.context.sources import ContextSource
from agentmaker.errors import ConfigError
from agentmaker.scope import Scope

C = TypeVar("C", bound=AsyncOpenAI)

UNBUDGETED = "/responses"

_PARAMETERS = inspect.signature(AsyncCompletions.create).parameters.keys()


class Budgeted(AsyncOpenAI):
    """What stands before a client's own class: everything else is that class's."""

    engine: Engine
    bound: Overrides
    _warn: Callable[[], None]

    def scoped(
        self,
        scope: Scope | None = None,
        *,
        window: int | None = None,
        sources: Sequence[ContextSource] | None = None,
        run: Run | RunPolicy | None = None,
    ) -> Self:
        """This client for one scope, window, set of sources or run.

        Raises:
            ConfigError: *window* is not a positive number of tokens, or another is of a wrong
                kind.
        """
        inner = overrides(scope=scope, window=window, sources=sources, run=run)
        scoped = fresh(self)
        scoped.bound = inner.over(self.bound)
        return scoped

    def copy(self, **changes: Any) -> Self:
        """As the SDK's; the copy goes through an engine that shares what this one has learnt."""
        copied = super().copy(**changes)
        copied.bound, copied._warn = self.bound, self._warn
        copied.engine = through(copied, self.engine)
        return copied

    with_options = copy

    @cached_property
    def chat(self) -> Chat:
        return Chat(self)

    async def post(self, path: str, **given: Any) -> Any:
        """As the SDK's, but chat completions go through the engine.

        ``responses`` pass, with one warning that nothing budgets them.
        """
        body, options = given.get("body"), given.get("options") or {}
        if path == UNBUDGETED:
            self._warn()
        if path != PATH or not isinstance(body, Mapping):
            return await super().post(path, **given)
        answer = await _answered(self, Given.from_request(body, options))
        parse = options.get("post_parser")
        return parse(answer) if parse and isinstance(answer, ChatCompletion) else answer


class Chat(AsyncChat):
    """The resource, and itself a model: ``await client.chat(messages, model=...)``."""

    _client: Budgeted

    @cached_property
    def completions(self) -> Completions:
        return Completions(self._client)

    async def __call__(
        self, messages: Sequence[Any], *, tools: Sequence[Any] | None = None, **params: Any
    ) -> Reply:
        """Ask the model; *params* are those of ``create``.

        Raises:
            ConfigError: no model is named, or its window is not known.
        """
        given = Given.from_arguments({"messages": messages, "tools": tools, **params})
        if not given.model:
            raise ConfigError("name the model: client.chat(messages, model=...)")
        return await self._client.engine.request(given, self._client.bound)


class Completions(AsyncCompletions):
    """``create`` without the SDK's walk over its parameters."""

    _client: Budgeted

    async def create(self, **arguments: Any) -> Any:
        given = Given.from_arguments(arguments)
        if not given.model or "messages" not in arguments or arguments.keys() - _PARAMETERS:
            return await super().create(**arguments)  # which says what is missing or misspelt
        return await _answered(self._client, given)


async def _answered(client: Budgeted, given: Given) -> Any:
    """The server's own object: a ``ChatCompletion``, or an ``AsyncStream`` of chunks.

    Raises:
        ConfigError: a middleware answered a stream by itself.
    """
    reply = await client.engine.request(given, client.bound)
    if reply.raw is not None:
        return reply.raw
    if given.params.get("stream"):
        raise ConfigError(
            "a middleware answered a stream with a whole reply: let streams pass to next"
        )
    return completion_of(reply)


def budgeted(client: C, engine: Engine) -> C:
    """A copy of *client* that goes through *engine*."""
    wrapped = cast(Budgeted, fresh(client))
    wrapped.__class__ = _in_front_of(cast(Any, type(client)))
    wrapped.bound = NOTHING
    wrapped._warn = functools.cache(_warn_unbudgeted)
    wrapped.engine = through(wrapped, engine)
    return cast(C, wrapped)


def through(client: Budgeted, engine: Engine) -> Engine:
    """*engine*, sending through *client* as often as that tries."""
    return replace(engine, send=past(client), retries=client.max_retries)


def past(client: Budgeted) -> Transport:
    """The transport behind the engine: through the ``post`` of the client's own class."""
    return Transport(cast(AsyncOpenAI, super(Budgeted, client)))


def fresh(client: C) -> C:
    """A shallow copy of *client*, without the resources that hold on to the original."""
    twin = copy.copy(client)
    for name in list(vars(twin)):
        if isinstance(getattr(type(twin), name, None), cached_property):
            del vars(twin)[name]
    return twin


@functools.cache
def _in_front_of(kind: Any) -> Any:
    return type(kind.__name__, (Budgeted, kind), {"__module__": kind.__module__})


def _warn_unbudgeted() -> None:
    warnings.warn(
        "responses.create is not budgeted by agentmaker.wrap: use chat.completions.create",
        UserWarning,
        stacklevel=4,  # past post and the SDK's create, to the line that called it
    )
