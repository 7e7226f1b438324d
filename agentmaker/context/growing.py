"""Collections that grow by views: what is known is shared and not copied."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from itertools import islice, repeat
from operator import contains
from threading import Lock
from typing import Any, Generic, Self, TypeVar, overload

T = TypeVar("T")

# One for all lists: whoever has it only adds to one.
_growing = Lock()


class Growing(Sequence[T], Generic[T]):
    """The first *length* of *items*, which are only ever added to; it never changes itself.

    The first to go on from it adds to the same list, others to a copy. Threads may share it.
    """

    __slots__ = ("_items", "length")

    def __init__(self, items: Iterable[T] = ()) -> None:
        self._items = list(items)
        self.length = len(self._items)

    def upto(self, length: int) -> Self:
        """The first *length* of them."""
        return self._view(self._items, length)

    def and_then(self, more: Iterable[T]) -> Self:
        """These and *more* behind them."""
        added = more if type(more) is list else list(more)
        if not added:
            return self
        items, length = self._items, self.length
        with _growing:
            if len(items) != length:
                items = items[:length]
            items += added
        return self._view(items, length + len(added))

    def are(self, items: list[T]) -> bool:
        """Whether *items* are these, by value."""
        return items == self._own()

    def begins(self, items: list[T]) -> bool:
        """Whether *items* begin with these, by value.

        The list is shortened meanwhile, so that it need not be copied; it is as it was in the
        end, whatever a comparison raises.
        """
        rest = items[self.length :]
        del items[self.length :]
        try:
            return self.are(items)
        finally:
            items += rest

    def _own(self) -> list[T]:
        whole = len(self._items) == self.length
        return self._items if whole else self._items[: self.length]

    def upto_value(self, value: Any, start: int = 0, key: Callable[[T], Any] | None = None) -> int:
        """How many of these, which rise, are no more than *value*; *start* are, at the least."""
        return bisect_right(self._items, value, start, self.length, key=key)

    def last_upto(self, value: Any) -> T | None:
        """The last of these, which rise, that is no more than *value*."""
        found = self.upto_value(value)
        return self._items[found - 1] if found else None

    @classmethod
    def _view(cls, items: list[T], length: int) -> Self:
        view = cls.__new__(cls)
        view._items, view.length = items, length
        return view

    def __len__(self) -> int:
        return self.length

    @overload
    def __getitem__(self, index: int) -> T: ...

    @overload
    def __getitem__(self, index: slice) -> list[T]: ...

    def __getitem__(self, index: int | slice) -> T | list[T]:
        if type(index) is int and 0 <= index < self.length:  # nearly always
            return self._items[index]
        if isinstance(index, slice):
            return list(map(self._items.__getitem__, range(*index.indices(self.length))))
        place = index if index >= 0 else index + self.length
        if not 0 <= place < self.length:
            raise IndexError(index)
        return self._items[place]

    def __iter__(self) -> Iterator[T]:
        return islice(self._items, self.length)

    def __reversed__(self) -> Iterator[T]:
        return map(self._items.__getitem__, range(self.length - 1, -1, -1))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Growing) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]


class Names(Container[object]):
    """A set of names that grows by others, in parts of which each is larger than those behind."""

    __slots__ = ("_parts",)

    def __init__(self, parts: tuple[frozenset[str], ...] = ()) -> None:
        self._parts = parts

    def __contains__(self, name: object) -> bool:
        return any(map(contains, self._parts, repeat(name)))

    def and_then(self, more: Iterable[str]) -> Names:
        """These and *more*."""
        newest, parts = frozenset(more), [*self._parts]
        if not newest:
            return self
        while parts and len(parts[-1]) <= len(newest):
            newest |= parts.pop()
        return Names((*parts, newest))


NO_NAMES = Names()
