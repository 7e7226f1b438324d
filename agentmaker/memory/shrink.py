"""A session's window made shorter on request: a recap, and behind it the newest exchange."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agentmaker.context.aside import aside
from agentmaker.context.compaction import Compacted
from agentmaker.context.folding import Folding, SummaryRefused, adrive
from agentmaker.context.measure import messages_tokens
from agentmaker.context.recap import Settled, extract, lost_of
from agentmaker.context.transcript import entry_of
from agentmaker.memory.exchanges import exchanges
from agentmaker.memory.recaps import fenced, leading, with_recap
from agentmaker.memory.summarizers import Summarizer, asking
from agentmaker.messages import Message, joined_units
from agentmaker.prompts import PromptRegistry
from agentmaker.tokens import TokenCounter

KEPT_UNITS = 4
"""Of a long newest exchange: what was asked, and so many units of the work on it."""

LEAST_SAVING = 32
"""Tokens a recap must save to be worth it."""

LONGEST_FOCUS = 400
"""Characters of a focus: it stands in the instruction and may come from a model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """A window taken apart: system messages, what to replace, what to keep."""

    head: tuple[Message, ...]
    older: tuple[Message, ...]
    kept: tuple[Message, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shrinking:
    """Writes the recap, by *summarizer* or as an extract where that is None, in *room* tokens."""

    summarizer: Summarizer | None
    room: int
    counter: TokenCounter
    prompts: PromptRegistry

    async def __call__(
        self, recap: str, messages: Sequence[Message], focus: str | None
    ) -> Compacted:
        """*messages*, which go on from *recap*, with a new recap; nothing where that failed."""
        parts = parted(messages)
        worth = self._worth(recap, parts.older)
        if not parts.older or worth < 1:
            return Compacted(messages=[], outcome="skipped", reason="short")
        try:
            written = await self._recap(recap, parts.older, worth, focus)
        except Exception as error:
            reason = error.reason if isinstance(error, SummaryRefused) else type(error).__name__
            return Compacted(messages=[], outcome="failed", reason=reason)
        shown = with_recap(written.text, (*parts.head, *parts.kept), self.prompts)
        return Compacted(messages=[*shown], outcome="applied", lost=written.lost)

    async def _recap(
        self, recap: str, older: Sequence[Message], worth: int, focus: str | None
    ) -> Settled:
        entries = [*filter(None, map(entry_of, older))]
        characters = sum(map(len, entries))
        if self.summarizer is None:
            return await aside(characters, self._extract, [recap, *entries], worth)
        flow = self._folding(focus).flow("\n".join(entries), recap=recap, replaced=worth)
        return await adrive(flow, asking(self.summarizer), characters=characters)

    def _extract(self, entries: Sequence[str], worth: int) -> Settled:
        label = self.prompts.text("recap.facts")
        said = [*filter(None, entries)]
        text = extract(said, room=min(self.room, worth), counter=self.counter, label=label)
        return Settled(text, lost_of(said, text))

    def _folding(self, focus: str | None) -> Folding:
        return Folding(
            room=self.room,
            window=getattr(self.summarizer, "context_window", None),
            counter=self.counter,
            prompts=focused(self.prompts, focus),
        )

    def _worth(self, recap: str, older: Sequence[Message]) -> int:
        """The most tokens a new recap may have and still be a gain."""
        replaced = messages_tokens(older, self.counter) + self.counter(recap)
        return replaced - self.counter(fenced("", self.prompts)) - LEAST_SAVING


def parted(messages: Sequence[Message]) -> Parts:
    """What of *messages* a recap replaces: all before the newest exchange that has an answer.

    Of a long exchange also the work between its question and its newest units.
    """
    at = leading(messages)
    head, body = tuple(messages[:at]), tuple(messages[at:])
    start = _newest_answered(body)
    first, rest = body[start : start + 1], body[start + 1 :]
    work = joined_units(rest)
    cut = work[-KEPT_UNITS].start if len(work) > KEPT_UNITS else 0
    return Parts(head=head, older=(*body[:start], *rest[:cut]), kept=(*first, *rest[cut:]))


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
