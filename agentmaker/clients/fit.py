"""``fit``: the same engine as a dry run, without a client or a network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from agentmaker.calls.call import Call, Reply
from agentmaker.calls.dialects import Dialect
from agentmaker.calls.ledger import Ledger
from agentmaker.clients.engine import Engine, Options, named_dialect
from agentmaker.clients.using import Overrides
from agentmaker.config import AgentmakerConfig
from agentmaker.context.sources import ContextSource
from agentmaker.errors import ConfigError
from agentmaker.scope import Scope
from agentmaker.sync import run


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitted:
    """What would be sent, and where every token of it would go."""

    messages: list[dict[str, Any]]
    ledger: Ledger


class Fitter:
    """Fits one conversation after the other, remembering cuts as a wrapped client does."""

    def __init__(
        self,
        *,
        window: int,
        model: str | None = None,
        output_tokens: int | None = None,
        sources: Sequence[ContextSource] = (),
        config: AgentmakerConfig | None = None,
        dialect: Dialect | str | None = None,
    ) -> None:
        self.model = model or ""
        self._engine = Engine(
            _unsent,
            Options(
                window=window,
                output_tokens=output_tokens,
                sources=tuple(sources),
                config=config or AgentmakerConfig(),
                dialect=named_dialect(dialect),
            ),
        )

    async def fit(
        self, messages: Sequence[Any], *, tools: Sequence[Any] = (), scope: Scope | None = None
    ) -> Fitted:
        """Fit *messages*; they are not changed.

        Raises:
            ContextWindowExceeded: what must be sent does not fit.
        """
        params = {"model": self.model, "tools": list(tools)}
        call = self._engine.call(messages, params, {}, Overrides(scope=scope))
        call = await self._engine.assembly.prepare(call)
        if call.ledger is None:
            raise RuntimeError("the steps left no ledger")
        return Fitted(messages=[dict(each) for each in call.messages], ledger=call.ledger)


async def afit(
    messages: Sequence[Any],
    *,
    window: int,
    tools: Sequence[Any] = (),
    output_tokens: int | None = None,
    sources: Sequence[ContextSource] = (),
    config: AgentmakerConfig | None = None,
    dialect: Dialect | str | None = None,
    model: str | None = None,
) -> Fitted:
    """What of *messages* fits *window* tokens, filled as full as it goes.

    Args:
        model: whose vocabulary to count with; None estimates.
        output_tokens: tokens to keep free for the reply.

    Raises:
        ConfigError: a setting is out of range.
        ContextWindowExceeded: what must be sent does not fit.
    """
    config = config or AgentmakerConfig()
    filling = replace(config, window_budget=replace(config.window_budget, low_water=1.0))
    fitter = Fitter(
        window=window,
        model=model,
        output_tokens=output_tokens,
        sources=sources,
        config=filling,
        dialect=dialect,
    )
    return await fitter.fit(messages, tools=tools)


def fit(
    messages: Sequence[Any],
    *,
    window: int,
    tools: Sequence[Any] = (),
    output_tokens: int | None = None,
    sources: Sequence[ContextSource] = (),
    config: AgentmakerConfig | None = None,
    dialect: Dialect | str | None = None,
    model: str | None = None,
) -> Fitted:
    """``afit`` for code that is not async."""
    fitting = partial(
        afit,
        window=window,
        tools=tools,
        output_tokens=output_tokens,
        sources=sources,
        config=config,
        dialect=dialect,
        model=model,
    )
    return run(fitting, messages)


async def _unsent(call: Call) -> Reply:
    raise ConfigError("a dry run sends nothing: wrap a client to send requests")
