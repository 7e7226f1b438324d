"""Items as blocks in so many tokens, counted as they are sent."""

from __future__ import annotations

from dataclasses import dataclass, replace

from agentmaker.context.clip import fits
from agentmaker.prompts import PromptRegistry
from agentmaker.tasks.candidates import Item
from agentmaker.tasks.excerpt import excerpt, sharpened
from agentmaker.tasks.package import Block, Completeness, shown
from agentmaker.tasks.source import Content, Span
from agentmaker.tokens import TokenCounter

LEAST_TEXT = 16
"""Tokens of its text that a block has at least, where it does not have all of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectedItem:
    """An item to show: *place* is where the query hit it."""

    item: Item
    reference_id: str
    place: Span | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockRenderer:
    """Makes blocks for *query*, as *counter* counts them and *prompts* word their notes."""

    query: str
    counter: TokenCounter
    prompts: PromptRegistry

    def whole(self, selected: SelectedItem, content: Content, room: int) -> Block | None:
        """All of it, None where that is more than *room* tokens or than was read."""
        if content.start or len(content.text) < content.total:
            return None
        if not fits(content.text, room, self.counter):
            return None
        block = self._block(selected, content, Span(0, len(content.text)))
        return block if block.tokens <= room else None

    def part(
        self, selected: SelectedItem, content: Content, place: Span | None, room: int
    ) -> Block | None:
        """The best part of it in *room* tokens, None where there is none worth showing."""
        near = _within(content, place, self.query)
        space = room - self.least(selected, content) + LEAST_TEXT
        while space >= LEAST_TEXT:
            span = excerpt(content.text, near, space, self.counter)
            block = self._block(selected, content, span)
            if block.tokens <= room:
                return block if block.text.strip() else None
            space -= block.tokens - room
        return None

    def least(self, selected: SelectedItem, content: Content) -> int:
        """Tokens without which no part of it can be shown."""
        widest = Span(content.total - content.start, content.total - content.start)
        note = self._note(selected, content, widest)
        return self.counter(f"{shown('.', note)}\n\n") + LEAST_TEXT

    def _block(self, selected: SelectedItem, content: Content, span: Span) -> Block:
        text = content.text[span.start : span.end]
        block = Block(
            reference_id=selected.reference_id,
            role=selected.item.descriptor.role,
            label=selected.item.label,
            text=text,
            completeness=_completeness(content, text),
            start=content.start + span.start,
            size=content.total,
            required=selected.item.required,
            note=self._note(selected, content, span),
        )
        return replace(block, tokens=self.counter(f"{block.shown}\n\n") if text else 0)

    def _note(self, selected: SelectedItem, content: Content, span: Span) -> str:
        names = {"id": selected.reference_id, "label": selected.item.label}
        if span.end - span.start == content.total:
            return self.prompts.render("task.whole", **names)
        start, end = content.start + span.start, content.start + span.end
        return self.prompts.render("task.part", start=start, end=end, size=content.total, **names)


def _within(content: Content, place: Span | None, query: str) -> Span | None:
    """*place* as characters of what was read, the best of it for *query*."""
    if place is None:
        return None
    start, end = place.start - content.start, place.end - content.start
    if not 0 <= start < len(content.text):
        return None
    return sharpened(content.text, Span(start, min(end, len(content.text))), query)


def _completeness(content: Content, text: str) -> Completeness:
    if not content.total:
        return "empty"
    return "complete" if len(text) == content.total else "truncated"
