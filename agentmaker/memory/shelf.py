"""A bounded place in memory: what was not used for longest makes room for what comes."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Hashable, Iterator
from typing import Generic, TypeVar

from agentmaker.errors import StoreError

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class TooMuch(StoreError):
    """Raised where there would be no room even with everything gone that may go."""


class Shelf(Generic[K, V]):
    """At most *most* things that together weigh at most *heaviest*.

    - What is pinned stays, even where that alone is more than *most*.
    - What was put last stays too.
    - Everything takes the same time, however much there is.
    """

    def __init__(self, *, most: int, heaviest: int, full: str) -> None:
        self._most = most
        self._heaviest = heaviest
        self._full = full
        self._items: OrderedDict[K, V] = OrderedDict()
        self._loose: OrderedDict[K, None] = OrderedDict()
        self._pins: Counter[K] = Counter()
        self._weights: Counter[K] = Counter()
        self._weight = 0
        self._pinned_weight = 0

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[V]:
        return iter(self._items.values())

    def items(self) -> Iterator[tuple[K, V]]:
        return iter(self._items.items())

    def get(self, key: K) -> V | None:
        if key in self._loose:
            self._loose.move_to_end(key)
        return self._items.get(key)

    def check(self, key: K, weight: int) -> None:
        """Whether *key* could weigh that much.

        Raises:
            TooMuch: it could not.
        """
        others = self._pinned_weight - (self._weights[key] if key in self._pins else 0)
        if others + weight > self._heaviest:
            raise TooMuch(self._full)

    def put(self, key: K, value: V, weight: int) -> tuple[K, ...]:
        """Keep *value*, in the place of what *key* stood for; the keys of those that had to go."""
        self.check(key, weight)
        self._items[key] = value
        self._items.move_to_end(key)
        self._weigh(key, weight)
        if key not in self._pins:
            self._loose[key] = None
            self._loose.move_to_end(key)
        return self._make_room(key)

    def drop(self, key: K) -> bool:
        """Let *key* go; whether it was there."""
        if key not in self._items:
            return False
        self._weigh(key, 0)
        del self._items[key], self._weights[key]
        self._loose.pop(key, None)
        return True

    def pin(self, key: K) -> None:
        """Let *key* stay until it was unpinned as often as it was pinned."""
        if key not in self._pins:
            self._pinned_weight += self._weights[key]
            self._loose.pop(key, None)
        self._pins[key] += 1

    def unpin(self, key: K) -> None:
        self._pins[key] -= 1
        if self._pins[key]:
            return
        del self._pins[key]
        if key in self._items:
            self._pinned_weight -= self._weights[key]
            self._loose[key] = None
            self._make_room(key)

    def _weigh(self, key: K, weight: int) -> None:
        more = weight - self._weights[key]
        self._weights[key] = weight
        self._weight += more
        if key in self._pins:
            self._pinned_weight += more

    def _make_room(self, newest: K) -> tuple[K, ...]:
        gone = []
        while len(self._items) > self._most or self._weight > self._heaviest:
            oldest = next(iter(self._loose), newest)
            if oldest == newest:
                break
            self.drop(oldest)
            gone.append(oldest)
        return tuple(gone)
