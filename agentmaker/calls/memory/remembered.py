"""What is remembered between calls: bounded, and safe where threads share it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Iterable
from threading import Lock
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Remembered(Generic[K, V]):
    """At most *maximum* values by key; the least recently used are forgotten first."""

    def __init__(self, maximum: int) -> None:
        self.maximum = maximum
        self._values: OrderedDict[K, V] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: K) -> V | None:
        with self._lock:
            value = self._values.get(key)
            if value is not None:
                self._values.move_to_end(key)
            return value

    def first(self, keys: Iterable[K]) -> V | None:
        """The value of the first of *keys* that has one."""
        with self._lock:
            for key in keys:
                value = self._values.get(key)
                if value is not None:
                    self._values.move_to_end(key)
                    return value
        return None

    def put(self, key: K, value: V) -> None:
        with self._lock:
            self._put(key, value)

    def drop(self, key: K) -> None:
        with self._lock:
            self._values.pop(key, None)

    def put_over(self, key: K, value: V | None, before: V) -> bool:
        """Put *value*, or nothing, unless another than *before* was put since; whether it was."""
        with self._lock:
            fresh = self._values.get(key, before) is before
            if fresh and value is not None:
                self._put(key, value)
            elif fresh:
                self._values.pop(key, None)
            return fresh

    def _put(self, key: K, value: V) -> None:
        self._values[key] = value
        self._values.move_to_end(key)
        while len(self._values) > self.maximum:
            self._values.popitem(last=False)
