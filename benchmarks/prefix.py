"""How still the beginning of consecutive requests holds, which is what a prompt cache lives on."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(slots=True)
class PrefixMeter:
    """Characters sent, and those the previous request of the conversation began with as well.

    A request that does not begin with the whole of the previous one counts as a cut.
    """

    requests: int = 0
    sent: int = 0
    kept: int = 0
    cuts: int = 0
    _previous: str = ""

    @property
    def share(self) -> float:
        return self.kept / self.sent if self.sent else 0.0

    def begin(self) -> None:
        """The next request is the first of its conversation."""
        self._previous = ""

    def add(self, messages: Sequence[dict[str, Any]]) -> None:
        # Without the list's end, which every longer request moves.
        text = json.dumps(messages, ensure_ascii=False)[:-1]
        common = common_prefix(self._previous, text)
        self.requests += 1
        self.sent += len(text)
        self.kept += common
        self.cuts += common < len(self._previous)
        self._previous = text


def common_prefix(one: str, other: str) -> int:
    """How many characters both begin with."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[:middle] == other[:middle] else (low, middle - 1)
    return low
