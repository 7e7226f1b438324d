"""Words and meaning as one order: what each says by itself, on a scale of its own.

- Words say which share of all the weight of a query a passage holds: 0 to 1 and seldom near it, so
  that they decide where they tell much, and hardly where a question is put in words of its own.
- Meaning says how much nearer than the others a passage is, and squared: an embedder that finds
  everything about as near knows little of such texts, and changes little.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TypeVar

OTHERS = 50
"""The place among the nearest with whose cosine the others are compared."""

T = TypeVar("T", bound=Hashable)


def fused(words: Mapping[T, float], most: float, near: Mapping[T, float]) -> dict[T, float]:
    """A score for all that words or meaning found.

    *words* are scores of which none is above *most*, *near* are cosines.
    """
    nearest = sorted(near.values(), reverse=True)[:OTHERS]
    scores = {each: score / most for each, score in words.items()} if most else {}
    for each, cosine in near.items():
        scores[each] = scores.get(each, 0.0) + max(0.0, cosine - nearest[-1]) ** 2
    return scores
