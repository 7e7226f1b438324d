"""``fit``: the same engine as a dry run, without a client or a network."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from agentmaker.calls.forms.dialects import Dialect
from agentmaker.calls.ledger import Ledger
from agentmaker.clients.checks import read_config, read_dialect, read_scope, read_sources
from agentmaker.clients.engine import Engine
from agentmaker.clients.given import Given
from agentmaker.clients.options import Options
from agentmaker.clients.reading import Reader
from agentmaker.clients.using import Overrides
from agentmaker.config import AgentmakerConfig
from agentmaker.context.sources import ContextSource
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
        options = Options(
            window=window,
            output_tokens=output_tokens,
            sources=read_sources(sources),
            config=read_config(config),
            dialect=read_dialect(dialect),
        )
        self._engine = Engine(reader=Reader(options=options))

    async def fit(
        self,
        messages: Sequence[Any],
        *,
        tools: Sequence[Any] | None = (),
        scope: Scope | None = None,
    ) -> Fitted:
        """Fit *messages*; they are not changed.

        Raises:
            ContextWindowExceeded: what must be sent does not fit.
        """
        given = Given(messages=messages, model=self.model, tools=tools or ())
        call = await self._engine.dry_run(given, Overrides(scope=read_scope(scope)))
        if call.ledger is None:
            raise RuntimeError("the steps left no ledger")
        return Fitted(
            messages=copy.deepcopy([dict(each) for each in call.messages]), ledger=call.ledger
        )


async def afit(
    messages: Sequence[Any],
    *,
    window: int,
    tools: Sequence[Any] | None = (),
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
    config = read_config(config)
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
    tools: Sequence[Any] | None = (),
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
