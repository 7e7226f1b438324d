"""Conversations known from earlier calls, found again as the beginnings of longer ones."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any, Generic, TypeAlias, TypeVar

T = TypeVar("T", bound=Hashable)

Mark: TypeAlias = Callable[[int], Hashable]
"""What a conversation's first n messages are looked up by: equal ones have equal marks."""

Place: TypeAlias = tuple[int, Hashable]
"""Where one is looked up: its length and its mark."""


def begin_with(messages: tuple[Any, ...], known: tuple[Any, ...]) -> bool:
    """Whether *messages* begin with those that are *known*: the same objects at no cost."""
    try:
        # Messages have no order, so one tuple comes after another only where it is longer. To
        # compare a slice would touch every message, and the memory of each.
        return known <= messages
    except TypeError:
        return False


class Beginnings(Generic[T]):
    """At most *maximum* conversations, or just the newest one.

    All of them have at most so many *messages* and *characters*. The least recently used are
    forgotten first. Threads may share it.
    """

    def __init__(self, maximum: int, messages: int = 100_000, characters: int = 50_000_000) -> None:
        self.maximum = maximum
        self.most_messages = messages
        self.most_characters = characters
        self._lock = Lock()
        self._known: OrderedDict[T, tuple[Place, int]] = OrderedDict()
        self._at: dict[Place, list[T]] = {}
        self._lengths: dict[int, int] = {}
        self._messages = 0
        self._characters = 0

    def __len__(self) -> int:
        return len(self._known)

    def longest(self, length: int, mark: Mark, begins: Callable[[T], bool]) -> T | None:
        """The longest known one that *begins* a conversation of *length* messages."""
        for count in range(length, 0, -1):
            if count not in self._lengths:
                continue
            place = count, mark(count)
            with self._lock:
                candidates = list(self._at.get(place, ()))
            for known in candidates:
                if begins(known):
                    return known
        return None

    def put(
        self, known: T, length: int, mark: Mark, before: T | None = None, characters: int = 0
    ) -> None:
        """Remember *known* as used last, in the place of *before*, which it goes on from."""
        if not length:
            return
        with self._lock:
            for each in (before, known):
                if each is not None and each in self._known:
                    self._forget(each)
            place = length, mark(length)
            self._known[known] = place, characters
            self._at.setdefault(place, []).append(known)
            self._lengths[length] = self._lengths.get(length, 0) + 1
            self._messages += length
            self._characters += characters
            while len(self._known) > 1 and self._is_full():
                self._forget(next(iter(self._known)))

    def forget(self, known: T) -> None:
        with self._lock:
            if known in self._known:
                self._forget(known)

    def _is_full(self) -> bool:
        return (
            len(self._known) > self.maximum
            or self._messages > self.most_messages
            or self._characters > self.most_characters
        )

    def _forget(self, known: T) -> None:
        place, characters = self._known.pop(known)
        length, _ = place
        self._messages -= length
        self._characters -= characters
        self._lengths[length] -= 1
        if not self._lengths[length]:
            del self._lengths[length]
        self._at[place].remove(known)
        if not self._at[place]:
            del self._at[place]
