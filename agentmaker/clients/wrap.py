"""``wrap``: the client you have, and every request fits."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from agentmaker.calls.forms.dialects import Dialect
from agentmaker.clients.checks import (
    read_config,
    read_dialect,
    read_middleware,
    read_scope,
    read_sinks,
    read_sources,
)
from agentmaker.clients.options import Options
from agentmaker.config import AgentmakerConfig
from agentmaker.context.knobs import kind_of
from agentmaker.errors import ConfigError
from agentmaker.scope import Scope

if TYPE_CHECKING:
    from openai import AsyncOpenAI, OpenAI

    from agentmaker.calls.middleware import Middleware
    from agentmaker.calls.recording import Sink
    from agentmaker.clients.engine import Engine
    from agentmaker.clients.summarizer import Summarizer
    from agentmaker.context.sources import ContextSource

C = TypeVar("C", bound="AsyncOpenAI | OpenAI")


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
    """A client like *client* whose chat completions always fit the window.

    Go on sending the whole conversation; what fits is sent, what was sent is in the ledger,
    and nothing of yours is changed. *client* itself stays as it is; both share connections.
    One that blocks, ``OpenAI(...)``, goes on blocking.

    A ``create`` that a tracer or a test has put in the place of the SDK's own is called, with
    what fits. Where it was put on *client* itself and not on its class, *client*'s retries are
    the ones that count, and none are made here.

    Args:
        window: the model's window in tokens; None looks the model up by its name. A server of
            your own may hold less than the table says of the model it is named after.
        fallback_window: for models whose window nobody knows.
        output_tokens: tokens to keep free for the reply, where the call sets no cap.
        sources: asked for every turn's question.
        summarizer: a client, a model name on the same client, or a function
            ``(text, instruction) -> str``; without one, cuts leave deterministic extracts.
        middleware: around every request, the first one outermost.
        sinks: where records go; None logs them through structlog, ``()`` drops them.

    Raises:
        ConfigError: *client* is neither ``AsyncOpenAI`` nor ``OpenAI``, or is wrapped already,
            or a setting is out of range.
    """
    _check(client)
    options = Options(
        window=window,
        fallback_window=fallback_window,
        output_tokens=output_tokens,
        scope=read_scope(scope),
        sources=read_sources(sources),
        config=read_config(config),
        dialect=read_dialect(dialect),
    )
    made = partial(
        _engine,
        options,
        _summarizer(summarizer),
        read_middleware(middleware),
        None if sinks is None else read_sinks(sinks),
    )
    from agentmaker.clients.fronts import budgeted

    return budgeted(client, made)


def _engine(
    options: Options,
    summarizer: Summarizer | None,
    middleware: tuple[Middleware, ...],
    sinks: tuple[Sink, ...] | None,
) -> Engine:
    """Made with the first request: until then nothing of what it is made of is loaded."""
    from agentmaker.calls.recovery import Recovery
    from agentmaker.calls.translation import as_bad_request
    from agentmaker.clients.engine import Engine
    from agentmaker.clients.reading import Reader

    return Engine(
        reader=Reader(options=options, summarizer=summarizer),
        middleware=middleware,
        sinks=_default_sinks() if sinks is None else sinks,
        recovery=Recovery(as_bad_request),
    )


def _summarizer(given: Any) -> Summarizer | None:
    if given is None:
        return None
    from agentmaker.clients.given_summarizer import read_summarizer

    return read_summarizer(given)


def _check(client: Any) -> None:
    import openai

    from agentmaker.clients.budgeted import Budgeted

    # By its type: a mock of a client says that it is one.
    if not issubclass(type(client), (openai.AsyncOpenAI, openai.OpenAI)):
        raise ConfigError(
            f"wrap takes an openai.AsyncOpenAI(...) or OpenAI(...), not {kind_of(client)}"
        )
    if isinstance(client, Budgeted):
        raise ConfigError(
            "this client is wrapped already: use client.scoped(...), or wrap the one it was made of"
        )


def _default_sinks() -> tuple[Sink, ...]:
    from agentmaker.observe.sinks import StructlogSink

    return (StructlogSink(),)
