"""The JSON of messages, as the SDK writes it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from agentmaker.calls.memory.by_message import ByMessage
from agentmaker.messages import Message
from agentmaker.plain import dumps

encoded: Callable[[Any], str] = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, separators=(",", ":")
).encode
"""A value as the SDK writes it; TypeError or ValueError where it is not made of plain values."""


@dataclass(frozen=True, slots=True)
class Written:
    """A message's JSON.

    Attributes:
        json: as it is sent, encoded.
        mark: a hash of it and its characters, by which requests are compared.
        wire: the message as a dictionary, which must not be changed.
        is_wire: whether the SDK would write it like that; what only the SDK can write is not.
    """

    json: bytes
    mark: tuple[int, int]
    wire: Mapping[str, Any] = field(repr=False)
    is_wire: bool = True


def writings() -> ByMessage[Written]:
    """The JSON of messages, written once for every object."""
    return ByMessage(written)


def written(message: Message) -> Written:
    """The JSON of *message*, as the SDK writes it where it is made of plain values."""
    wire = message.wire
    try:
        text = encoded(wire)
        return Written(text.encode(), (hash(text), len(text)), wire)
    except (TypeError, ValueError, RecursionError):
        text = dumps(wire)
        return Written(text.encode("utf-8", "surrogatepass"), (hash(text), len(text)), wire, False)
