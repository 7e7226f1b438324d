"""What became of all requests in one window."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from agentmaker.errors import ContextWindowExceeded
from benchmarks.data import Conversation
from benchmarks.figures import listed, share
from benchmarks.independent import Json, Validator, prompt_tokens, prompt_tokens_with_ids
from benchmarks.replay import Outcome, replay

LEAST_OUTPUT = 512
"""Tokens the engine leaves for the reply at least."""

COLUMNS = (
    "window",
    "requests",
    "over the window",
    "refused",
    "`ContextWindowExceeded`",
    "other exceptions",
    "error, largest / mean",
    "error by the second rule",
)


@dataclass(slots=True)
class Tally:
    """Counts of outcomes; *errors* are shares of the independent count, by either rule."""

    window: int
    requests: int = 0
    over: int = 0
    refused: list[str] = field(default_factory=list)
    exceeded: Counter[str] = field(default_factory=Counter)
    raised: Counter[str] = field(default_factory=Counter)
    errors: list[float] = field(default_factory=list)
    errors_with_ids: list[float] = field(default_factory=list)

    def add(self, outcome: Outcome, tools: Sequence[Json], validator: Validator) -> None:
        self.requests += 1
        if isinstance(outcome.error, ContextWindowExceeded):
            self.exceeded[outcome.error.part] += 1
        elif outcome.fitted is None:
            self.raised[f"{type(outcome.error).__name__}: {outcome.error}"] += 1
        else:
            self._add_sent(outcome.fitted.messages, outcome.fitted.ledger.estimate, tools)
            self.refused += validator.faults(outcome.fitted.messages, tools)[:1]

    def _add_sent(self, sent: Sequence[Json], estimate: int, tools: Sequence[Json]) -> None:
        counted, with_ids = prompt_tokens(sent, tools), prompt_tokens_with_ids(sent, tools)
        self.over += counted + LEAST_OUTPUT > self.window
        self.errors.append(abs(estimate - counted) / counted)
        self.errors_with_ids.append(abs(estimate - with_ids) / with_ids)

    def row(self) -> Sequence[str]:
        return (
            f"{self.window:,}",
            f"{self.requests:,}",
            f"{self.over}",
            f"{len(self.refused)}",
            listed(self.exceeded),
            f"{self.raised.total()}",
            _largest_and_mean(self.errors),
            _largest_and_mean(self.errors_with_ids),
        )


async def tally(found: Iterable[Conversation], window: int, validator: Validator) -> Tally:
    """Replay every conversation in *window*."""
    counts = Tally(window)
    for conversation in found:
        async for outcome in replay(conversation, window=window):
            counts.add(outcome, conversation.tools, validator)
    return counts


def _largest_and_mean(errors: Sequence[float]) -> str:
    return f"{share(max(errors), 2)} / {share(fmean(errors), 2)}" if errors else "–"
