"""Recorded conversations told to a server that counts otherwise than we do."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

import agentmaker
from agentmaker import AgentmakerConfig, WindowBudgetConfig
from agentmaker.calls.recording import Record
from agentmaker.testing import MemorySink, ModelServer
from agentmaker.tokens import TokenCounter
from benchmarks.data import Conversation

LEAST_OUTPUT = 512
SETTLED = 2
"""From the third call of a conversation on an estimate is to be right."""

Offered = Callable[[int], bool]
"""Whether a conversation's nth call comes with its tools."""


def always(nth: int) -> bool:
    return True


def every_second(nth: int) -> bool:
    return nth % 2 == 0


def never(nth: int) -> bool:
    return False


def by_template(counter: TokenCounter) -> TokenCounter:
    """Counts as a server whose template frames texts by 3 tokens more, and explains the tools."""

    def count(text: str) -> int:
        tokens = counter(text)
        return tokens + 120 + int(tokens * 0.3) if text.startswith('[{"type"') else tokens + 3

    return count


@dataclass(slots=True)
class Errors:
    """What became of the calls; *errors* are those of the third and later ones."""

    window: int
    calls: int = 0
    over: int = 0
    errors: list[float] = field(default_factory=list)

    def add(self, nth: int, records: Sequence[Record]) -> None:
        """The records of one call: a request, and more where one was refused."""
        self.calls += 1
        self.over += sum(map(self._is_over, records))
        error = records[-1].estimate_error
        if nth >= SETTLED and error is not None:
            self.errors.append(abs(error))

    def _is_over(self, record: Record) -> bool:
        prompt = record.usage.prompt_tokens if record.usage else None
        return prompt is None or prompt + LEAST_OUTPUT > self.window

    @property
    def mean(self) -> float:
        return fmean(self.errors)

    @property
    def worst(self) -> float:
        return max(self.errors)

    @property
    def most(self) -> float:
        """All but one in twenty are at most this."""
        return sorted(self.errors)[int(len(self.errors) * 0.95)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """How conversations are told: to whom, in which window, and by which client."""

    model: str
    counter: TokenCounter
    window: int
    offered: Offered = always
    stream: bool = False
    output_tokens: int | None = None

    async def errors(
        self, found: Sequence[Conversation], *, calibrate: bool = True, fresh: bool = False
    ) -> Errors:
        """Tell *found* through one client, or each through a *fresh* one."""
        errors = Errors(self.window)
        line = self._line(calibrate)
        with _silent():
            for conversation in found:
                line = self._line(calibrate) if fresh else line
                await self._tell(conversation, *line, errors)
        return errors

    def _line(self, calibrate: bool) -> tuple[Any, MemorySink]:
        sink = MemorySink()
        server = ModelServer(window=None, counter=self.counter, strict=False)
        config = AgentmakerConfig(window_budget=WindowBudgetConfig(calibrate=calibrate))
        client = agentmaker.wrap(
            server.client(max_retries=0),
            window=self.window,
            output_tokens=self.output_tokens,
            sinks=[sink],
            config=config,
        )
        return client, sink

    async def _tell(
        self, conversation: Conversation, client: Any, sink: MemorySink, errors: Errors
    ) -> None:
        for nth, messages in enumerate(conversation.requests()):
            known = len(sink.records)
            offered = conversation.tools and self.offered(nth)
            tools = {"tools": list(conversation.tools)} if offered else {}
            await self._ask(client, model=self.model, messages=messages, **tools)
            errors.add(nth, sink.records[known:])

    async def _ask(self, client: Any, **asked: Any) -> None:
        if not self.stream:
            await client.chat.completions.create(**asked)
            return
        usage = {"include_usage": True}
        async with await client.chat.completions.create(
            stream=True, stream_options=usage, **asked
        ) as stream:
            async for _ in stream:
                pass


@contextmanager
def _silent() -> Iterator[None]:
    """Without the warning of every fresh client that tools crowd its window."""
    log = logging.getLogger("agentmaker")
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        log.setLevel(level)
