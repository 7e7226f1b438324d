"""The definition of maximal marginal relevance as a loop, for comparison."""

from __future__ import annotations

import math
from collections.abc import Sequence

Row = Sequence[float]


def naive_picks(
    rows: Sequence[Row], relevance: Sequence[float], limit: int, lambda_: float, threshold: float
) -> list[int]:
    """Every cosine to every pick is computed again for each pick, in 64-bit floats."""
    picks: list[int] = []
    waiting = list(range(len(rows)))
    while waiting and len(picks) < limit:
        nearest = {
            index: max((cosine(rows[index], rows[pick]) for pick in picks), default=0.0)
            for index in waiting
        }
        waiting = [index for index in waiting if nearest[index] < threshold]
        if waiting:
            best = max(
                waiting,
                key=lambda index: (
                    lambda_ * relevance[index] - (1 - lambda_) * max(nearest[index], 0.0)
                ),
            )
            picks.append(best)
            waiting.remove(best)
    return picks


def cosine(a: Row, b: Row) -> float:
    product = sum(x * y for x, y in zip(a, b, strict=True))
    return product / (math.sqrt(sum(x * x for x in a)) * math.sqrt(sum(y * y for y in b)))
