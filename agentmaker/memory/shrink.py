"""A session's window made shorter on request: a recap, and behind it the newest exchange."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from agentmaker.context.aside import aside
from agentmaker.context.compaction import Compacted, Summariser, finished
from agentmaker.context.folding import ASummarize, Folding, Summarize, SummaryRefused, adrive
from agentmaker.context.measure import messages_tokens
from agentmaker.context.recap import extract
from agentmaker.context.transcript import entry_of
from agentmaker.errors import ConfigError
from agentmaker.memory.exchanges import exchanges
from agentmaker.memory.recaps import leading, noted, with_recap, without_recap
from agentmaker.memory.resize import called
from agentmaker.messages import Message, joined_units
from agentmaker.prompts import PromptRegistry
from agentmaker.tokens import TokenCounter

Summarizer = ASummarize | Summarize | Summariser
"""Who writes a recap: a function of text and instruction, or a model that has ``chat``."""

KEPT_UNITS = 4
"""Of a long newest exchange: what was asked, and so many units of the work on it."""

LEAST_SAVING = 32
"""Tokens a recap must save to be worth it."""

LONGEST_FOCUS = 400
"""Characters of a focus: it stands in the instruction and may come from a model."""

FAILURES = 3
"""So many failures in a row, and nobody is asked again until something new was said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """A window taken apart: system messages, the recap so far, what to replace, what to keep."""

    head: tuple[Message, ...]
    recap: str
    older: tuple[Message, ...]
    kept: tuple[Message, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shrinking:
    """Writes the recap, by *summarizer* or as an extract where that is None, in *room* tokens."""

    summarizer: Summarizer | None
    room: int
    counter: TokenCounter
    prompts: PromptRegistry

    async def __call__(self, window: Sequence[Message], focus: str | None) -> Compacted:
        parts = parted(window)
        worth = self._tokens(parts) - self.counter(noted("", self.prompts)) - LEAST_SAVING
        if not parts.older or worth < 1:
            return Compacted(messages=[*window], outcome="skipped", reason="short")
        try:
            recap, lost = await self._recap(parts, worth, focus)
        except Exception as error:
            reason = error.reason if isinstance(error, SummaryRefused) else type(error).__name__
            return Compacted(messages=[*window], outcome="failed", reason=reason)
        messages = with_recap(recap, (*parts.head, *parts.kept), self.prompts)
        return Compacted(messages=[*messages], outcome="applied", lost=lost)

    async def _recap(
        self, parts: Parts, worth: int, focus: str | None
    ) -> tuple[str, tuple[str, ...]]:
        entries = [*filter(None, map(entry_of, parts.older))]
        characters = sum(map(len, entries))
        if self.summarizer is None:
            settled = await aside(characters, self._extract, [parts.recap, *entries], worth)
        else:
            flow = self._folding(focus).flow("\n".join(entries), recap=parts.recap, replaced=worth)
            settled = await adrive(flow, asking(self.summarizer), characters=characters)
        return settled.text, settled.lost

    def _extract(self, entries: Sequence[str], worth: int) -> Any:
        label = self.prompts.text("recap.facts")
        room = min(self.room, worth)
        return extract([*filter(None, entries)], room=room, counter=self.counter, label=label)

    def _folding(self, focus: str | None) -> Folding:
        return Folding(
            room=self.room,
            window=getattr(self.summarizer, "context_window", None),
            counter=self.counter,
            prompts=focused(self.prompts, focus),
        )

    def _tokens(self, parts: Parts) -> int:
        return messages_tokens(parts.older, self.counter) + self.counter(parts.recap)


def parted(window: Sequence[Message]) -> Parts:
    """What of *window* is replaced by a recap: all before the newest exchange that has an answer.

    Of a long exchange also the work between its question and its newest units.
    """
    recap, messages = without_recap(window)
    at = leading(messages)
    head, body = messages[:at], messages[at:]
    start = _newest_answered(body)
    first, rest = body[start : start + 1], body[start + 1 :]
    work = joined_units(rest)
    cut = work[-KEPT_UNITS].start if len(work) > KEPT_UNITS else 0
    return Parts(
        head=head, recap=recap, older=(*body[:start], *rest[:cut]), kept=(*first, *rest[cut:])
    )


def _newest_answered(body: Sequence[Message]) -> int:
    answered = (
        each.start for each in reversed(exchanges(body)) if body[each.stop - 1].role != "user"
    )
    return next(answered, 0)


def focused(prompts: PromptRegistry, focus: str | None) -> PromptRegistry:
    """*prompts* whose instructions for a summary say what matters most, in one line."""
    line = " ".join((focus or "").split())[:LONGEST_FOCUS]
    if not line:
        return prompts
    wish = prompts.render("session.compact.focus", focus=line)
    keys = ("context.summary", "context.summary_merge")
    return prompts.with_overrides({key: f"{prompts.text(key)}\n{wish}" for key in keys})


def read_summarizer(given: Any) -> Summarizer | None:
    """Check what a user gives as ``summarizer``.

    Raises:
        ConfigError: it can neither be called nor asked by ``chat``.
    """
    if given is None or (not isinstance(given, type) and _can_be_asked(given)):
        return given
    raise ConfigError(
        "summarizer must be a model with chat(messages), such as LLMClient, or a function of "
        f"text and instruction, not {type(given).__name__}"
    )


def _can_be_asked(given: Any) -> bool:
    return callable(given) or callable(getattr(given, "chat", None))


def asking(summarizer: Summarizer) -> ASummarize:
    """One way to ask either kind. A model gets plain text in one message: no tool traffic."""
    chat: Callable[..., Any] | None = getattr(summarizer, "chat", None)
    function: Any = summarizer

    async def ask(text: str, instruction: str) -> str:
        if chat is None:
            return await called(function, text, instruction)
        return finished(await called(chat, [Message(instruction, role="system"), Message(text)]))

    return ask


@dataclass(slots=True)
class Breaker:
    """Knows how often in a row it failed, and how much had been said by then."""

    failures: int = 0
    said: int = 0

    def is_open(self, said: int) -> bool:
        """Whether to ask nobody now that so many turns were *said*."""
        return self.failures >= FAILURES and said == self.said

    def book(self, outcome: str, said: int) -> None:
        self.failures = self.failures + 1 if outcome == "failed" else 0
        self.said = said
