"""Messages as their caller gave them, to be told from what the same list holds by the next call."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from operator import is_, itemgetter
from types import NoneType
from typing import Any

from agentmaker.calls.memory.beginnings import begin_with
from agentmaker.context.growing import Growing
from agentmaker.messages import Message
from agentmaker.plain import is_exactly, plain

_PLAIN = {"role", "content"}
_NAMES = frozenset({str})
_ROLE, _CONTENT = itemgetter("role"), itemgetter("content")


def _nothing_said() -> tuple[Growing[str], Growing[str]]:
    return Growing(), Growing()


@dataclass(frozen=True, slots=True, eq=False)
class Copied:
    """Copies of messages.

    Attributes:
        said: their roles and contents, as long as all of them have just a role and a text; to
            compare these reads half the memory that comparing dictionaries does.
        ambiguous: the places of messages whose equals may be written otherwise.
    """

    items: Growing[Any] = field(default_factory=Growing)
    said: tuple[Growing[str], Growing[str]] | None = field(default_factory=_nothing_said)
    ambiguous: tuple[int, ...] = ()

    def and_then(self, copies: list[Any]) -> Copied:
        """These and *copies* of what came behind them."""
        placed = enumerate(copies, len(self.items))
        ambiguous = self.ambiguous + tuple([place for place, it in placed if is_ambiguous(it)])
        items, said = self.items.and_then(copies), self.said
        if said is None or not all(map(_is_plain, copies)):
            return Copied(items, None, ambiguous)
        roles, contents = said
        said = roles.and_then(map(_ROLE, copies)), contents.and_then(map(_CONTENT, copies))
        return Copied(items, said, ambiguous)

    def begin(self, items: Sequence[Any]) -> bool:
        """Whether *items* begin with these, and would be written alike."""
        try:
            return self._are_equal(items) and all(
                is_exactly(items[place], self.items[place]) for place in self.ambiguous
            )
        except Exception:  # whatever an object of the caller's raises when it is compared
            return False

    def _are_equal(self, items: Sequence[Any]) -> bool:
        if self.said is None:
            return self.items.begins(items if isinstance(items, list) else list(items))
        roles, contents = self.said
        known = items[: len(self.items)]
        return (
            {*map(len, known)} <= {len(_PLAIN)}
            and contents.are(list(map(_CONTENT, known)))
            and roles.are(list(map(_ROLE, known)))
        )


@dataclass(frozen=True, slots=True, eq=False)
class Frozen:
    """Messages that were given as what they are read as, and cannot change: not copied."""

    items: tuple[Message, ...] = ()

    def begin(self, items: Sequence[Any]) -> bool:
        """Whether *items* begin with these, and would be written alike."""
        try:
            return begin_with(tuple(items), self.items)
        except Exception:  # whatever an object of the caller's raises when it is compared
            return False

    def and_then(self, items: Sequence[Any], more: tuple[Message, ...]) -> Frozen | None:
        """These and what follows on them in *items*; None unless *more* are the same objects."""
        known = self.items
        length = len(known)
        if len(items) != length + len(more) or not all(map(is_, more, items[length:])):
            return None
        if not known or (known[0] is items[0] and known[-1] is items[length - 1]):
            return Frozen(tuple(items))  # nearly always a tuple, which costs nothing
        return Frozen(known + more)


NOTHING_GIVEN = Frozen()


def _is_plain(item: Any) -> bool:
    plain = type(item) is dict and item.keys() == _PLAIN
    return plain and type(item["role"]) is type(item["content"]) is str


def is_ambiguous(value: Any) -> bool:
    """Whether something equal to *value* may be written otherwise: a number is in it, or a date."""
    kind = type(value)
    if kind is str or kind is Message or value is None:
        return False  # messages are equal only where they are written alike
    if kind is dict or isinstance(value, Mapping):  # nearly all are, and an ABC is slow
        return any(map(is_ambiguous, value.values())) or not _NAMES.issuperset(map(type, value))
    if isinstance(value, (list, tuple)):
        return any(map(is_ambiguous, value))
    if isinstance(value, (str, bytes, Message)):
        return False
    said = plain(value)
    return said is value or is_ambiguous(said)


def copies_of(items: Sequence[Any]) -> list[Any] | None:
    """The items as they are now; None where something in them cannot be copied."""
    try:
        return [
            item
            # One that is frozen, and has nothing in it that is given to be changed.
            if type(item) is Message and type(item.content) in _TEXT and not item.extra
            else _copy(item)
            for item in items
        ]
    except Exception:  # whatever an object of the caller's raises when it is copied
        return None


def _copy(value: Any) -> Any:
    """As ``copy.deepcopy``, in a fraction of its time for what JSON can be read into."""
    kind = type(value)
    if kind is str or value is None or kind in _ATOMS:
        return value
    if kind is dict:
        return {key: _copy(item) for key, item in value.items()}
    return [_copy(item) for item in value] if kind is list else copy.deepcopy(value)


_ATOMS = (bool, int, float)
_TEXT = (str, NoneType)
