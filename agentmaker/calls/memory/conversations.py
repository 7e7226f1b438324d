"""A conversation read and mended once: a longer one goes on where the last one ended.

What was read is compared with what is given by value, so that a message the caller has changed
since is seen, and read anew with all that follow.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from agentmaker.calls.forms.repair import Repaired, repair
from agentmaker.calls.memory.beginnings import Beginnings
from agentmaker.calls.memory.by_message import characters_in
from agentmaker.calls.memory.copied import Copied, copies_of
from agentmaker.calls.window import question_index
from agentmaker.context.growing import NO_NAMES, Names
from agentmaker.messages import Message, checked_messages, read_messages
from agentmaker.prompts import PromptRegistry


@dataclass(frozen=True, slots=True, eq=False)
class _Known:
    """A healthy conversation as it was given, copied, and as it was read."""

    given: Copied = field(default_factory=Copied)
    messages: tuple[Message, ...] = ()
    ids: Names = NO_NAMES
    asked: int | None = None
    characters: int = 0

    def and_then(self, given: list[Any], repaired: Repaired) -> _Known:
        """This conversation with what followed on it."""
        more = repaired.messages
        messages = self.messages + more
        asked = question_index(messages, len(self.messages))
        return _Known(
            self.given.and_then(given),
            messages,
            self.ids.and_then([call.id for message in more for call in message.tool_calls]),
            self.asked if asked is None else asked,
            self.characters + sum(map(characters_in, more)),
        )


class Conversations:
    """The last *maximum* conversations that had nothing to mend."""

    def __init__(self, maximum: int = 1_000) -> None:
        self._known: Beginnings[_Known] = Beginnings(maximum)

    def read(self, given: Iterable[Any], prompts: PromptRegistry) -> Repaired:
        """Read and mend *given*; the messages known from an earlier call are the same objects.

        Raises:
            TypeError, ValueError: an item is no message, named by its place.
        """
        items = checked_messages(given)
        mark = _mark_of(items)
        known = self._known.longest(len(items), mark, lambda each: each.given.begin(items))
        known = known or _Known()
        fresh = copies_of(items[len(known.given.items) :])
        if fresh is None:
            return repair(read_messages(items), prompts)
        try:
            repaired = repair(read_messages(fresh), prompts, used=known.ids)
        except (TypeError, ValueError):
            return repair(read_messages(items), prompts)
        if repaired.defects:
            return repair(read_messages([*known.given.items, *fresh]), prompts)
        longer = known.and_then(fresh, repaired)
        self._known.put(longer, len(items), mark, known, longer.characters)
        return Repaired(
            messages=longer.messages, origins=range(len(longer.messages)), asked=longer.asked
        )


def _mark_of(items: list[Any]) -> Callable[[int], Hashable]:
    """The last message tells most conversations apart, the middle and the second the others."""

    def mark(count: int) -> Hashable:
        last, middle, second = items[count - 1], items[count // 2], items[min(1, count - 1)]
        return _said(last), _said(middle), _said(second)

    return mark


def _said(item: Any) -> Hashable:
    """What is the same of equal messages, and can be hashed."""
    role: Any
    if type(item) is Message:
        role, content = item.role, item.content
    elif type(item) is dict or isinstance(item, Mapping):  # an ABC is slow
        role, content = item.get("role"), item.get("content")
    else:
        role, content = getattr(item, "role", None), getattr(item, "content", None)
    return (role if isinstance(role, str) else None, content if isinstance(content, str) else None)
