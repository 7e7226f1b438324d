"""A conversation read and mended once: a longer one goes on where the last one ended.

What was read is compared with what is given by value, so that a message the caller has changed
since is seen, and read anew with all that follow.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import NoneType
from typing import Any

from agentmaker.calls.forms.repair import Repaired, repair
from agentmaker.calls.memory.beginnings import Beginnings
from agentmaker.calls.memory.by_message import characters_in
from agentmaker.calls.memory.copied import NOTHING_GIVEN, Copied, Frozen, copies_of
from agentmaker.calls.window import question_index
from agentmaker.context.growing import NO_NAMES, Names
from agentmaker.messages import Message, checked_messages, read_messages
from agentmaker.prompts import PromptRegistry

_SAID = frozenset({str, NoneType})


@dataclass(frozen=True, slots=True, eq=False)
class _Known:
    """A healthy conversation as it was given, copied where it may change, and as it was read."""

    given: Copied | Frozen = NOTHING_GIVEN
    messages: tuple[Message, ...] = ()
    ids: Names = NO_NAMES
    asked: int | None = None
    characters: int = 0

    def and_then(
        self, items: Sequence[Any], copies: list[Any], more: tuple[Message, ...]
    ) -> _Known:
        """This conversation with *copies* of what followed on it in *items*, read as *more*."""
        given = self._given_then(items, copies, more)
        messages = given.items if isinstance(given, Frozen) else self.messages + more
        asked = question_index(messages, len(self.messages))
        ids = [call.id for message in more for call in message.tool_calls]
        return _Known(
            given,
            messages,
            self.ids.and_then(ids) if ids else self.ids,
            self.asked if asked is None else asked,
            self.characters + sum(map(characters_in, more)),
        )

    def _given_then(
        self, items: Sequence[Any], copies: list[Any], more: tuple[Message, ...]
    ) -> Copied | Frozen:
        given = self.given
        if isinstance(given, Copied):
            return given.and_then(copies)
        return given.and_then(items, more) or Copied().and_then([*given.items, *copies])


class Conversations:
    """The last *maximum* conversations that had nothing to mend."""

    def __init__(self, maximum: int = 1_000) -> None:
        self._known: Beginnings[_Known] = Beginnings(maximum)

    def read(self, given: Iterable[Any], prompts: PromptRegistry) -> Repaired:
        """Read and mend *given*; the messages known from an earlier call are the same objects.

        Those that cannot change may be what *given* has in their place, equal to them.

        Raises:
            TypeError, ValueError: an item is no message, named by its place.
        """
        items: Sequence[Any] = given if type(given) is tuple else checked_messages(given)
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
        longer = known.and_then(items, fresh, repaired.messages)
        self._known.put(longer, len(items), mark, known, longer.characters)
        return Repaired(
            messages=longer.messages, origins=range(len(longer.messages)), asked=longer.asked
        )


def _mark_of(items: Sequence[Any]) -> Callable[[int], Hashable]:
    """The last message tells most conversations apart, the middle and the second the others."""

    def mark(count: int) -> Hashable:
        last, middle, second = items[count - 1], items[count // 2], items[min(1, count - 1)]
        if type(last) is type(middle) is type(second) is Message:
            contents = last.content, middle.content, second.content
            if _SAID.issuperset(map(type, contents)):
                return contents
        return _said(last), _said(middle), _said(second)

    return mark


def _said(item: Any) -> Hashable:
    """What is the same of equal messages, and can be hashed."""
    role: Any
    if isinstance(item, Message):
        role, content = item.role, item.content
    elif type(item) is dict or isinstance(item, Mapping):  # an ABC is slow
        role, content = item.get("role"), item.get("content")
    else:
        role, content = getattr(item, "role", None), getattr(item, "content", None)
    return (role if isinstance(role, str) else None, content if isinstance(content, str) else None)
