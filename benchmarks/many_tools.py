"""Real conversations with more tools than most windows hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from agentmaker import CallableSource
from benchmarks.data import Conversation, github_tools, tau_airline
from benchmarks.figures import listed
from benchmarks.independent import prompt_tokens
from benchmarks.replay import Outcome, replay
from benchmarks.tally import LEAST_OUTPUT

TOO_SMALL = (4_000, 8_000, 16_000, 32_000)
LARGE_ENOUGH = 48_000

COLUMNS = ("window", "requests", "fit", "`ContextWindowExceeded`", "fetches")


@dataclass(slots=True)
class Window:
    """What became of the requests in one window, and how often a source was asked."""

    window: int
    requests: int = 0
    fit: int = 0
    parts: Counter[str] = field(default_factory=Counter)
    fetches: int = 0

    def search(self, query: str) -> list[str]:
        self.fetches += 1
        return [f"Asked before: {query[:80]}"]

    def add(self, outcome: Outcome, conversation: Conversation) -> None:
        self.requests += 1
        if outcome.fitted is None:
            self.parts[getattr(outcome.error, "part", type(outcome.error).__name__)] += 1
        else:
            counted = prompt_tokens(outcome.fitted.messages, conversation.tools)
            self.fit += counted + LEAST_OUTPUT <= self.window

    @property
    def as_it_should(self) -> bool:
        """Everything fits and sources were asked, or every error names the tools before that."""
        if self.window >= LARGE_ENOUGH:
            return self.fit == self.requests and self.fetches > 0
        return self.parts == {"the tools": self.requests} and self.fetches == 0

    def row(self) -> Sequence[str]:
        counts = (self.window, self.requests, self.fit)
        return (*(f"{each:,}" for each in counts), listed(self.parts), f"{self.fetches:,}")


async def with_github_tools(folder: Path) -> list[Window]:
    """The airline's conversations and policy with the GitHub server's tools, in every window."""
    tools = github_tools(folder)
    found = [replace(each, tools=tools) for each in tau_airline(folder)] if tools else []
    return [await _replayed(found, Window(size)) for size in (*TOO_SMALL, LARGE_ENOUGH)]


async def _replayed(found: Sequence[Conversation], window: Window) -> Window:
    for conversation in found:
        source = CallableSource("rag", window.search)
        async for outcome in replay(conversation, window=window.window, sources=[source]):
            window.add(outcome, conversation)
    return window
