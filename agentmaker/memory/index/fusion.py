"""Several rankings as one, by place alone: scores of words and of meaning cannot be compared."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from typing import TypeVar

K = 60
"""Keeps the first places from counting all: the authors' own value."""

T = TypeVar("T", bound=Hashable)


def fused(*rankings: Sequence[T]) -> dict[T, float]:
    """A score for everything in *rankings*, which have the best first.

    Cormack, Clarke and Büttcher 2009, "Reciprocal Rank Fusion outperforms Condorcet and
    individual Rank Learning Methods".
    """
    scores: defaultdict[T, float] = defaultdict(float)
    for ranking in rankings:
        for place, each in enumerate(ranking, 1):
            scores[each] += 1 / (K + place)
    return dict(scores)
