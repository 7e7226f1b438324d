"""Does every request fit, and is it valid? Asked of a counter and a validator of other makers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import anyio

from agentmaker import CallableSource
from agentmaker.errors import ContextWindowExceeded
from benchmarks import command, fresh
from benchmarks.data import (
    REQUEST_SCHEMA,
    Conversation,
    conversations,
    github_tools,
    tau_airline,
)
from benchmarks.figures import Bar, Report, Table, number
from benchmarks.independent import Validator, prompt_tokens, prompt_tokens_with_ids
from benchmarks.replay import Outcome, replay

WINDOWS = (4_000, 6_000, 8_000, 16_000, 32_000)
ROOMY = 6_000
"""From this window on nothing may be too large."""

MANY_TOOLS_WINDOWS = (4_000, 8_000, 16_000, 32_000, 48_000)
LEAST_OUTPUT = 512
ERROR = 0.02


@dataclass(slots=True)
class Tally:
    """What became of the requests in one window."""

    window: int
    requests: int = 0
    over: int = 0
    refused: list[str] = field(default_factory=list)
    exceeded: Counter[str] = field(default_factory=Counter)
    raised: Counter[str] = field(default_factory=Counter)
    errors: list[float] = field(default_factory=list)
    errors_with_ids: list[float] = field(default_factory=list)

    def add(self, outcome: Outcome, conversation: Conversation, validator: Validator) -> None:
        self.requests += 1
        if isinstance(outcome.error, ContextWindowExceeded):
            self.exceeded[outcome.error.part] += 1
        elif outcome.fitted is None:
            self.raised[f"{type(outcome.error).__name__}: {outcome.error}"] += 1
        else:
            sent, tools = outcome.fitted.messages, conversation.tools
            counted = prompt_tokens(sent, tools)
            estimate = outcome.fitted.ledger.estimate
            self.over += counted + LEAST_OUTPUT > self.window
            self.errors.append(_error(estimate, counted))
            self.errors_with_ids.append(_error(estimate, prompt_tokens_with_ids(sent, tools)))
            self.refused += validator.faults(sent, tools)[:1]

    def row(self) -> Sequence[str]:
        return (
            f"{self.window:,}",
            f"{self.requests:,}",
            f"{self.over}",
            f"{len(self.refused)}",
            _named(self.exceeded),
            _named(self.raised),
            *map(_largest_and_mean, (self.errors, self.errors_with_ids)),
        )


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


async def tally(
    found: Iterable[Conversation], window: int, validator: Validator
) -> Tally:
    """Replay every conversation in *window*."""
    counts = Tally(window)
    for conversation in found:
        async for outcome in replay(conversation, window=window):
            counts.add(outcome, conversation, validator)
    return counts


@dataclass(slots=True)
class ManyTools:
    """The airline's conversations with the GitHub server's tools, and how often a source ran."""

    conversations: list[Conversation]
    fetches: int = 0

    def search(self, query: str) -> list[str]:
        self.fetches += 1
        return [f"Asked before: {query[:80]}"]

    async def row(self, window: int) -> tuple[bool, Sequence[str]]:
        """Whether what *window* gave is what it should: a named error, or a request that fits."""
        self.fetches = requests = fitting = 0
        parts: Counter[str] = Counter()
        for conversation in self.conversations:
            source = CallableSource("rag", self.search)
            async for outcome in replay(conversation, window=window, sources=[source]):
                requests += 1
                fitting += _fits(outcome, conversation, window)
                parts[_part(outcome)] += 1
        del parts[""]
        refuses = parts == {"the tools": requests} and not self.fetches
        fits = fitting == requests and self.fetches > 0
        cells = (f"{window:,}", f"{requests:,}", f"{fitting:,}", _named(parts), f"{self.fetches:,}")
        return (fits if window > MANY_TOOLS_WINDOWS[-2] else refuses), cells


async def measured(folder: Path, windows: Sequence[int] = WINDOWS, each: int = 7) -> Report:
    """*each*: every how manieth request is made once more in another process."""
    found = conversations(folder)
    validator = Validator.from_file(folder / REQUEST_SCHEMA)
    tallies = [await tally(found, window, validator) for window in windows]
    many = ManyTools(
        [replace(one, tools=github_tools(folder)) for one in tau_airline(folder)]
    )
    many_rows = [await many.row(window) for window in MANY_TOOLS_WINDOWS]
    differing = [await fresh.differing(found, window, each) for window in windows]
    tables = [
        Table("data", ("conversations from", "number", "messages", "calls"), _origins(found)),
        Table("replay", COLUMNS, [counts.row() for counts in tallies]),
        Table(
            "many_tools",
            ("window", "requests", "fit", "`ContextWindowExceeded`", "fetches"),
            [cells for _, cells in many_rows],
        ),
        Table("fresh", ("window", "requests", "other bytes"), [one.row() for one in differing]),
    ]
    return Report(tables, _bars(tallies, all(good for good, _ in many_rows), differing))


def _bars(
    tallies: Sequence[Tally], tools_as_they_should: bool, differing: Sequence[fresh.Sample]
) -> list[Bar]:
    over = sum(each.over for each in tallies)
    refused = [fault for each in tallies for fault in each.refused]
    roomy = sum((each.exceeded for each in tallies if each.window >= ROOMY), Counter())
    raised = sum((each.raised for each in tallies), Counter())
    error = max((error for each in tallies for error in each.errors), default=0.0)
    other = sum(each.differing for each in differing)
    return [
        Bar("no request over the window", f"{over}", over == 0),
        Bar("no request refused", _first(len(refused), refused), not refused),
        Bar(f"everything fits from {ROOMY:,} up", _named(roomy), not roomy),
        Bar("no other exception", _first(raised.total(), list(raised)), not raised),
        Bar("the estimate is within 2 % of the count", f"{error:.2%}", error <= ERROR),
        Bar(
            "117 tools are named before any fetch, and fit in 48,000",
            "so" if tools_as_they_should else "not so",
            tools_as_they_should,
        ),
        Bar("the same bytes in a fresh process", f"{other} differ", other == 0),
    ]


def _origins(found: Sequence[Conversation]) -> list[Sequence[str]]:
    by_origin: dict[str, list[Conversation]] = {}
    for each in found:
        by_origin.setdefault(each.origin, []).append(each)
    return [
        (
            origin,
            number(len(these)),
            number(sum(len(each.messages) for each in these)),
            number(sum(len(each.calls) for each in these)),
        )
        for origin, these in by_origin.items()
    ]


def _fits(outcome: Outcome, conversation: Conversation, window: int) -> bool:
    if outcome.fitted is None:
        return False
    counted = prompt_tokens(outcome.fitted.messages, conversation.tools)
    return counted + LEAST_OUTPUT <= window


def _part(outcome: Outcome) -> str:
    if outcome.error is None:
        return ""
    return getattr(outcome.error, "part", type(outcome.error).__name__)


def _error(estimate: int, counted: int) -> float:
    return abs(estimate - counted) / counted


def _largest_and_mean(errors: Sequence[float]) -> str:
    if not errors:
        return "–"
    return f"{max(errors):.2%} / {sum(errors) / len(errors):.2%}"


def _named(counts: Counter[str]) -> str:
    return ", ".join(f"{name}: {times:,}" for name, times in counts.most_common()) or "0"


def _first(total: int, texts: Sequence[str]) -> str:
    return f"{total}: {texts[0]}" if texts else "0"


def measure(folder: Path | None) -> Report | None:
    return anyio.run(measured, folder) if folder else None


if __name__ == "__main__":
    command.run("fits", measure)
