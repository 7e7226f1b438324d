"""The JSON of messages, written once for every object."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from agentmaker.messages import Message, dumps

_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))

MOST_CHARACTERS = 8_000_000
"""Characters that are kept of late, and as many of those before."""


@dataclass(frozen=True, slots=True)
class Written:
    """A message's JSON.

    Attributes:
        json: as it is sent, encoded.
        mark: a hash of it and its characters, by which requests are compared.
        is_wire: whether the SDK would write it like that; what only the SDK can write is not.
    """

    json: bytes
    mark: tuple[int, int]
    is_wire: bool = True


class Writings:
    """Remembers the JSON of messages by object, which must not change.

    Two generations stand in for an exact order of use. Threads may share it: the worst that
    comes of it is a message written again.
    """

    def __init__(self, most_characters: int = MOST_CHARACTERS) -> None:
        self.most_characters = most_characters
        self._young: dict[int, tuple[Message, Written]] = {}
        self._old: dict[int, tuple[Message, Written]] = {}
        self._characters = 0

    def __len__(self) -> int:
        return len(self._young) + len(self._old)

    def of(self, message: Message) -> Written:
        """The JSON of *message*."""
        key = id(message)
        known = self._young.get(key)
        if known is None or known[0] is not message:
            known = self._old.get(key)
            if known is None or known[0] is not message:
                known = message, written(message)
            self._remember(key, known)
        return known[1]

    def _remember(self, key: int, known: tuple[Message, Written]) -> None:
        self._characters += known[1].mark[1]
        if self._characters > self.most_characters:
            self._young, self._old = {}, self._young
            self._characters = known[1].mark[1]
        self._young[key] = known


def written(message: Message) -> Written:
    """The JSON of *message*, as the SDK writes it where it is made of plain values."""
    try:
        text = encoded(message.to_wire())
        return Written(text.encode(), (hash(text), len(text)))
    except (TypeError, ValueError, RecursionError):
        text = dumps(message.to_wire())
        return Written(text.encode("utf-8", "surrogatepass"), (hash(text), len(text)), False)


def encoded(value: Any) -> str:
    """*value* as the SDK writes it.

    Raises:
        TypeError, ValueError: it is not made of plain values.
    """
    return _ENCODER.encode(value)
