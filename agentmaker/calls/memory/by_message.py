"""What is made of a message, once for every object."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from agentmaker.messages import Message
from agentmaker.plain import dumps

T = TypeVar("T")

MOST_CHARACTERS = 50_000
"""Enough for what is new in a call, which is used more than once."""


class ByMessage(Generic[T]):
    """Remembers what *make* makes of messages, which must not change, in one way or another.

    Those with at most so many *characters* are kept of late, and as many of those before: two
    generations stand in for an exact order of use. Threads may share it: the worst that comes
    of it is a thing made again.
    """

    def __init__(self, make: Callable[..., T], characters: int = MOST_CHARACTERS) -> None:
        self.most_characters = characters
        self._make = make
        self._young: dict[Hashable, tuple[Message, T]] = {}
        self._old: dict[Hashable, tuple[Message, T]] = {}
        self._characters = 0

    def __len__(self) -> int:
        return len(self._young) + len(self._old)

    def of(self, message: Message, *way: Hashable) -> T:
        """What was made of *message* in this *way*."""
        key: Hashable = (id(message), *way) if way else id(message)
        known = self._young.get(key)
        if known is None or known[0] is not message:
            known = self._recalled(key, message, way)
        return known[1]

    def _recalled(
        self, key: Hashable, message: Message, way: tuple[Hashable, ...]
    ) -> tuple[Message, T]:
        known = self._old.get(key)
        if known is None or known[0] is not message:
            known = message, self._make(message, *way)
        size = characters_in(message)
        if self._characters + size > self.most_characters:
            self._young, self._old, self._characters = {}, self._young, 0
        self._young[key] = known
        self._characters += size
        return known


def characters_in(message: Message) -> int:
    """About how large *message* is."""
    content = message.content or ""
    characters = len(content if isinstance(content, str) else dumps(content))
    for call in message.tool_calls:
        characters += len(str(call.arguments))
    return characters
