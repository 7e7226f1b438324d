"""The straight line every request goes down, put together once for a client."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from agentmaker.calls.call import Call, Reply, new_id
from agentmaker.calls.dialects import DEFAULT, DIALECTS, Dialect
from agentmaker.calls.limits import Limits
from agentmaker.calls.middleware import Middleware, Next, compose
from agentmaker.calls.recording import Recording, Sink
from agentmaker.calls.recovery import AsError, Recovery, SummaryRecovery
from agentmaker.calls.repair import repair
from agentmaker.calls.retry import Retry
from agentmaker.calls.setting import Setting
from agentmaker.calls.views import Views
from agentmaker.calls.window import Window
from agentmaker.clients.models import check_tokens, facts_of, known_window
from agentmaker.clients.summarizers import Summarizer
from agentmaker.clients.using import Overrides, current
from agentmaker.config import AgentmakerConfig
from agentmaker.context.sources import ContextSource
from agentmaker.errors import ConfigError
from agentmaker.messages import read_messages
from agentmaker.prompts import prompts_for
from agentmaker.steps import compact, fit, measure, reduce, retrieve
from agentmaker.steps.assembly import Assembly
from agentmaker.tokens import CountMemo, counter_for

STEPS = (measure.step, retrieve.step, reduce.step, compact.step, fit.step)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What a client is wrapped with.

    Raises:
        ConfigError: a number of tokens is not positive, the reserve is not smaller than
            the window, or the dialect is unknown.
    """

    window: int | None = None
    fallback_window: int | None = None
    output_tokens: int | None = None
    max_output: int | None = None
    sources: tuple[ContextSource, ...] = ()
    config: AgentmakerConfig = field(default_factory=AgentmakerConfig)
    dialect: Dialect = DEFAULT

    def __post_init__(self) -> None:
        for name in ("window", "fallback_window", "output_tokens", "max_output"):
            check_tokens(name, getattr(self, name))
        if self.window and self.output_tokens and self.output_tokens >= self.window:
            raise ConfigError(
                f"output_tokens={self.output_tokens} leaves nothing of window={self.window}: "
                "lower it or use a model with a larger window"
            )


def named_dialect(dialect: Dialect | str | None) -> Dialect:
    """The dialect itself, the one so called, or the default.

    Raises:
        ConfigError: no dialect has that name.
    """
    if isinstance(dialect, str):
        if dialect not in DIALECTS:
            known = ", ".join(sorted(DIALECTS))
            raise ConfigError(f"no dialect {dialect!r}: use one of {known}, or a Dialect")
        return DIALECTS[dialect]
    return dialect or DEFAULT


class Engine:
    """Reads what a caller gives, and sends it down the chain."""

    def __init__(
        self,
        send: Next,
        options: Options,
        *,
        retries: int = 0,
        middleware: Sequence[Middleware] = (),
        sinks: Sequence[Sink] = (),
        summarizer: Summarizer | None = None,
        as_error: AsError = lambda overflow, cause: overflow,
    ) -> None:
        self.options = options
        self.summarizer = summarizer
        self.views = Views()
        recording = Recording(sinks)
        summarise = summarizer.send if summarizer and summarizer.send else send
        laid_out = Assembly([fit.step], summarise)
        ask = compose([Limits(), Retry(retries), SummaryRecovery(), laid_out, recording], summarise)
        self.assembly = Assembly(STEPS, ask)
        inner: list[Middleware] = [Limits(), Retry(retries), Recovery(as_error)]
        self.chain = compose([*middleware, *inner, self.assembly, recording], send)

    async def __call__(
        self,
        messages: Sequence[Any],
        params: Mapping[str, Any],
        options: Mapping[str, Any],
        bound: Overrides,
    ) -> Reply:
        """Send *messages* with the API's *params*; *options* say how."""
        return await self.chain(self.call(messages, params, options, bound.over(current())))

    def call(
        self,
        messages: Sequence[Any],
        params: Mapping[str, Any],
        options: Mapping[str, Any],
        overrides: Overrides,
    ) -> Call:
        """Read what the caller gives into a call; nothing of it is changed.

        Raises:
            ConfigError: the model's window is not known and no fallback is given, or
                there is no message to send.
            TypeError, ValueError: a message is none.
        """
        started = time.perf_counter()
        rest = dict(params)
        model = str(rest.pop("model", ""))
        tools = list(rest.pop("tools", None) or ())
        setting = self.setting(model, overrides)
        repaired = repair(
            read_messages(messages), missing=setting.prompts.text("wire.missing_result")
        )
        if not repaired.messages:
            raise ConfigError("nothing in messages can be sent: give it at least a user message")
        window = Window.from_messages(
            repaired.messages, tools=tools, response_format=rest.pop("response_format", None)
        )
        run = overrides.run
        return Call(
            window=window,
            setting=setting,
            model=model,
            params=rest,
            options=options,
            scope=overrides.scope,
            run=run,
            run_id=run.id if run else new_id(),
            repairs=repaired.defects,
            own_ms=(time.perf_counter() - started) * 1000,
        )

    def setting(self, model: str, overrides: Overrides) -> Setting:
        """How the window of a call to *model* is used."""
        options, config = self.options, self.options.config
        window = known_window(
            model,
            call=overrides.window,
            client=options.window,
            fallback=options.fallback_window,
        )
        if window is None:
            raise ConfigError(
                f"the window of model {model!r} is not known: pass window= with the model's own, "
                "or fallback_window= for every model nobody knows"
            )
        summary = self.summarizer.model(model, window) if self.summarizer else None
        sources = options.sources if overrides.sources is None else overrides.sources
        return Setting(
            window=window,
            max_output=options.max_output or facts_of(model).max_output,
            output_tokens=options.output_tokens,
            counter=remembered_counter(model),
            budget=config.window_budget,
            context=config.context,
            reducer=config.reducer,
            compaction=config.compaction,
            prompts=prompts_for(config.language),
            dialect=options.dialect,
            sources=sources,
            summary=summary,
            views=self.views,
        )


@lru_cache(maxsize=32)
def remembered_counter(model: str) -> CountMemo:
    """The counter of *model*'s family, which remembers what it has counted."""
    return CountMemo(counter_for(model))
