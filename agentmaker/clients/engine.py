"""The straight line every request goes down."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Self

from agentmaker.calls.adapting import Adapting
from agentmaker.calls.breaker import Breaker
from agentmaker.calls.call import Call, Reply
from agentmaker.calls.limits import Limits
from agentmaker.calls.memory.learnt import LearntDialects
from agentmaker.calls.middleware import Middleware, Next, Step, compose
from agentmaker.calls.recording import Recording, Sink
from agentmaker.calls.recovery import Recovery, SummaryRecovery
from agentmaker.calls.retry import Retry
from agentmaker.calls.summaries import Summaries
from agentmaker.calls.window import Window
from agentmaker.clients.given import Given
from agentmaker.clients.reading import Reader
from agentmaker.clients.using import Overrides, current
from agentmaker.context.folding import ASummarize
from agentmaker.errors import ConfigError
from agentmaker.steps import adapt, compact, count, fit, measure, reduce, retrieve
from agentmaker.steps.assembly import Assembly
from agentmaker.steps.summarise import asker

STEPS: tuple[Step, ...] = (
    adapt.step,
    count.step,
    measure.step,
    retrieve.step,
    reduce.step,
    compact.step,
    fit.step,
)


async def unsent(call: Call) -> Reply:
    """The end of a line that leads nowhere.

    Raises:
        ConfigError: always.
    """
    raise ConfigError("a dry run sends nothing: wrap a client to send requests")


@dataclass(frozen=True, kw_only=True)
class Engine:
    """Reads what a caller gives, and sends it down the line to *send*.

    One with another *send*, made by ``replace``, shares what this one has learnt.
    """

    reader: Reader
    send: Next = unsent
    retries: int = 0
    middleware: tuple[Middleware, ...] = ()
    sinks: tuple[Sink, ...] = ()
    recovery: Recovery = field(default_factory=Recovery)
    dialects: LearntDialects = field(default_factory=LearntDialects)
    summaries: Summaries = field(default_factory=Summaries)
    steps: tuple[Step, ...] = STEPS

    def at(self, base_url: str) -> Self:
        """The same engine for the server at *base_url*, of which it has learnt nothing yet."""
        return replace(
            self,
            reader=self.reader.at(base_url),
            recovery=Recovery(self.recovery.as_error),
            dialects=LearntDialects(),
        )

    async def request(self, given: Given, bound: Overrides) -> Reply:
        """Send what fits of *given*; *bound* comes before what ``using`` says."""
        overrides = bound.over(current())
        await self.reader.load(given.model)
        asked = self.reader.call(given, overrides)
        if not self.middleware:
            return await self._line(asked)

        async def serve(call: Call) -> Reply:
            # A router may have named another model: its window is the one that counts.
            if call.model != asked.model and call.setting is asked.setting:
                await self.reader.load(call.model)
                call = replace(call, setting=self.reader.setting(call.model, overrides))
            return await self._line(call)

        return await compose(self.middleware, serve)(asked)

    async def dry_run(self, given: Given, bound: Overrides) -> Call:
        """The call as it would be sent."""
        await self.reader.load(given.model)
        return await self._assembly.prepare(self.reader.call(given, bound))

    def summarizer(self, model: str, overrides: Overrides) -> ASummarize | None:
        """Who summarises for calls to *model*, with requests of their own; None for nobody."""
        call = Call(
            window=Window(),
            setting=self.reader.setting(model, overrides),
            model=model,
            scope=overrides.scope,
            run=overrides.run,
        )
        return asker(call, self._ask)

    @cached_property
    def _line(self) -> Next:
        return compose(self._around(self._assembly, Limits(), self.recovery), self.send)

    @cached_property
    def _assembly(self) -> Assembly:
        return Assembly(self.steps, self._ask)

    @cached_property
    def _ask(self) -> Next:
        """The line of a summary: the same without sources and cuts, its text halved once."""
        summarizer = self.reader.summarizer
        laid_out = Assembly([adapt.step, count.step, fit.step], unsent)
        first = (self.summaries, Breaker(), Limits(), SummaryRecovery())
        around = self._around(laid_out, *first)
        return compose(around, (summarizer and summarizer.send) or self.send)

    def _around(self, assembly: Assembly, *first: Middleware) -> tuple[Middleware, ...]:
        adapting = Adapting(assembly.prepare, self.dialects)
        return (*first, Retry(self.retries), adapting, self._recording)

    @cached_property
    def _recording(self) -> Recording:
        return Recording(self.sinks)
