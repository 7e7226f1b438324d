"""How large the units of a conversation are, and how far they can shrink."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

SKELETON = 256
"""Tokens of each result that the skeleton of a unit keeps."""

LEAST = 16
"""Tokens of each result that remain before anything is raised."""

Kind = Literal["question", "answer", "work", "other"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """The size of one unit in tokens: what cannot shrink, and each part that can.

    Attributes:
        kind: ``"question"`` for a user message that can be the question, ``"answer"`` for an
            assistant's text without calls, ``"work"`` for calls with their results, which may
            be shortened as they age.
    """

    rigid: int
    elastic: tuple[int, ...] = ()
    kind: Kind = "other"

    def within(self, cap: float = math.inf) -> int:
        """Its size with every elastic part cut to *cap* tokens."""
        if cap == math.inf:
            return self.rigid + sum(self.elastic)
        return self.rigid + sum(int(min(part, cap)) for part in self.elastic)

    def cap_for(self, tokens: int) -> int:
        """The largest cap at which the unit fits *tokens*; at least ``LEAST``."""
        low, high = LEAST, max((LEAST, *self.elastic))
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self.within(middle) <= tokens else (low, middle - 1)
        return low
