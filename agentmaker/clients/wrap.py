"""``wrap``: the client you have, and every request fits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from agentmaker.calls.dialects import Dialect
from agentmaker.calls.middleware import Middleware
from agentmaker.calls.recording import Sink
from agentmaker.calls.recovery import Recovery
from agentmaker.calls.transport import as_bad_request
from agentmaker.clients.checks import (
    read_config,
    read_dialect,
    read_middleware,
    read_scope,
    read_sinks,
    read_sources,
)
from agentmaker.clients.engine import Engine
from agentmaker.clients.options import Options
from agentmaker.clients.reading import Reader
from agentmaker.clients.summarizers import read_summarizer
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
    """A client like *client* whose chat completions always fit the window.

    Go on sending the whole conversation; what fits is sent, what was sent is in the ledger,
    and nothing of yours is changed. *client* itself stays as it is; both share connections.

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
        ConfigError: *client* is no ``AsyncOpenAI``, or a setting is out of range.
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
    engine = Engine(
        reader=Reader(options=options, summarizer=read_summarizer(summarizer)),
        middleware=read_middleware(middleware),
        sinks=_default_sinks() if sinks is None else read_sinks(sinks),
        recovery=Recovery(as_bad_request),
    )
    from agentmaker.clients.budgeted import budgeted

    return budgeted(client, engine)


def _check(client: Any) -> None:
    import openai

    from agentmaker.clients.budgeted import Budgeted

    if isinstance(client, openai.OpenAI):
        raise ConfigError("wrap takes the async client: use openai.AsyncOpenAI(...)")
    if not isinstance(client, openai.AsyncOpenAI):
        kind = client.__name__ if isinstance(client, type) else type(client).__name__
        raise ConfigError(f"wrap takes an openai.AsyncOpenAI(...), not {kind}")
    if isinstance(client, Budgeted):
        raise ConfigError(
            "this client is wrapped already: use client.scoped(...), or wrap the one it was made of"
        )


def _default_sinks() -> tuple[Sink, ...]:
    from agentmaker.observe.sinks import StructlogSink

    return (StructlogSink(),)
