"""``wrap``: the client you have, and every request fits."""

from __future__ import annotations

import copy
import functools
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from agentmaker.calls.dialects import Dialect
from agentmaker.calls.middleware import Middleware
from agentmaker.calls.recording import Sink
from agentmaker.calls.transport import HOW, Transport, as_bad_request
from agentmaker.clients.engine import Engine, Options, named_dialect
from agentmaker.clients.summarizers import read_summarizer
from agentmaker.clients.using import Overrides, overrides
from agentmaker.config import AgentmakerConfig
from agentmaker.context.sources import ContextSource
from agentmaker.errors import ConfigError
from agentmaker.scope import Scope

if TYPE_CHECKING:
    from openai import AsyncOpenAI

C = TypeVar("C", bound="AsyncOpenAI")


def wrap(
    client: C,
    *,
    window: int | None = None,
    fallback_window: int | None = None,
    output_tokens: int | None = None,
    sources: Sequence[ContextSource] = (),
    scope: Scope | None = None,
    summarizer: Any = None,
    config: AgentmakerConfig | None = None,
    middleware: Sequence[Middleware] = (),
    sinks: Sequence[Sink] | None = None,
    dialect: Dialect | str | None = None,
) -> C:
    """A client like *client* whose ``chat.completions.create`` always fits the window.

    Go on sending the whole conversation; what fits is sent, what was sent is in the ledger,
    and nothing of yours is changed. *client* itself stays as it is; both share connections.

    Args:
        window: the model's window in tokens; None looks the model up.
        fallback_window: for models whose window nobody knows.
        output_tokens: tokens to keep free for the reply, where the call sets no cap.
        sources: asked for every turn's question.
        summarizer: a client, a model name on the same client, or a function
            ``(text, instruction) -> str``; without one, cuts leave deterministic extracts.
        sinks: where records go; None logs them through structlog, ``()`` drops them.

    Raises:
        ConfigError: *client* is no ``AsyncOpenAI``, or a setting is out of range.
    """
    _check(client)
    engine = Engine(
        Transport(client),
        Options(
            window=window,
            fallback_window=fallback_window,
            output_tokens=output_tokens,
            sources=tuple(sources),
            config=config or AgentmakerConfig(),
            dialect=named_dialect(dialect),
        ),
        retries=client.max_retries,
        middleware=middleware,
        sinks=_default_sinks() if sinks is None else sinks,
        summarizer=read_summarizer(summarizer),
        as_error=as_bad_request,
    )
    return _bound(client, engine, overrides(scope=scope))


def _check(client: Any) -> None:
    import openai

    if isinstance(client, openai.OpenAI):
        raise ConfigError("wrap takes the async client: use openai.AsyncOpenAI(...)")
    if not isinstance(client, openai.AsyncOpenAI):
        raise ConfigError(f"wrap takes an openai.AsyncOpenAI, not {type(client).__name__}")


def _default_sinks() -> Sequence[Sink]:
    from agentmaker.observe.sinks import StructlogSink

    return (StructlogSink(),)


def _bound(client: C, engine: Engine, bound: Overrides) -> C:
    """A copy of *client* that goes through *engine*."""
    wrapped = copy.copy(client)
    vars(wrapped)["chat"] = _chat_class()(wrapped, engine, bound)
    vars(wrapped)["responses"] = _warning_responses(wrapped)

    def scoped(
        scope: Scope | None = None,
        *,
        window: int | None = None,
        sources: Sequence[ContextSource] | None = None,
        run: Any = None,
    ) -> C:
        """This client for one scope, window, set of sources or run."""
        inner = overrides(scope=scope, window=window, sources=sources, run=run)
        return _bound(client, engine, inner.over(bound))

    vars(wrapped)["scoped"] = scoped
    return wrapped


@functools.cache
def _chat_class() -> Any:
    from openai.resources.chat import AsyncChat
    from openai.resources.chat.completions import AsyncCompletions

    class Completions(AsyncCompletions):
        """``create`` through the engine, everything else as it was."""

        def __init__(self, client: Any, engine: Engine, bound: Overrides) -> None:
            super().__init__(client)
            self._engine = engine
            self._bound = bound

        async def create(self, **given: Any) -> Any:
            messages, params, options = _split(given)
            reply = await self._engine(messages, params, options, self._bound)
            return reply.raw

    class Chat(AsyncChat):
        """The resource, and itself a model: ``await client.chat(messages, model=...)``."""

        def __init__(self, client: Any, engine: Engine, bound: Overrides) -> None:
            super().__init__(client)
            self._engine = engine
            self._bound = bound
            vars(self)["completions"] = Completions(client, engine, bound)

        async def __call__(
            self, messages: Sequence[Any], *, tools: Sequence[Any] | None = None, **params: Any
        ) -> Any:
            if tools:
                params["tools"] = tools
            if not params.get("model"):
                raise ConfigError("name the model: client.chat(messages, model=...)")
            _, params, options = _split(params)
            return await self._engine(messages, params, options, self._bound)

    return Chat


def _split(given: dict[str, Any]) -> tuple[Any, dict[str, Any], dict[str, Any]]:
    """The messages, the request's parameters, and how to send it; what was not given is gone."""
    import openai

    absent = (openai.NotGiven, openai.Omit)
    said = {name: value for name, value in given.items() if not isinstance(value, absent)}
    messages = said.pop("messages", ())
    options = {name: said.pop(name) for name in HOW.keys() & said.keys()}
    return messages, said, {name: value for name, value in options.items() if value is not None}


def _warning_responses(client: Any) -> Any:
    """``client.responses`` as it is; its first ``create`` says that nothing budgets it."""
    from openai.resources.responses import AsyncResponses

    class Responses(AsyncResponses):
        async def create(self, *args: Any, **given: Any) -> Any:
            _warn_unbudgeted()
            return await super().create(*args, **given)

    return Responses(client)


@functools.cache
def _warn_unbudgeted() -> None:
    warnings.warn(
        "responses.create is not budgeted by agentmaker.wrap: use chat.completions.create",
        UserWarning,
        stacklevel=3,
    )
