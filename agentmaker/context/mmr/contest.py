"""The candidates as a contest: who takes part, how relevant each is, what counts against it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from agentmaker.context.mmr.embeddings import width
from agentmaker.context.results import Embedding, RetrievalResult

GRID = 1e12
"""Cosines are rounded to this grid, so that a tie is a tie however they were summed."""


@dataclass(frozen=True, slots=True)
class Contest:
    """What a form of the selection is given; it returns the indices of *limit* picks at most."""

    candidates: Sequence[RetrievalResult]
    relevance: Sequence[float]
    limit: int
    lambda_: float
    threshold: float

    @classmethod
    def of(
        cls,
        candidates: Sequence[RetrievalResult],
        top_k: int | None,
        lambda_: float,
        threshold: float,
    ) -> Contest:
        """*candidates* without equal contents.

        Raises:
            ValueError: *top_k* or *threshold* is negative, or *lambda_* is not in 0..1.
        """
        _check(top_k, lambda_, threshold)
        unique = _unique(candidates)
        relevance = _relevance(_numbers([each.score for each in unique]))
        limit = len(unique) if top_k is None else min(top_k, len(unique))
        return cls(unique, relevance, limit, lambda_, threshold)

    @property
    def embeddings(self) -> list[Embedding | None]:
        return [each.embedding for each in self.candidates]

    @property
    def width(self) -> int:
        """Of the first embedding; most often it is that of all."""
        first = (each.embedding for each in self.candidates if each.embedding is not None)
        return width(next(first, None))

    @property
    def numbers(self) -> int:
        """In all embeddings together, about."""
        return len(self.candidates) * self.width

    def results(self, picks: Iterable[int]) -> list[RetrievalResult]:
        return [self.candidates[index] for index in picks]


def _check(top_k: int | None, lambda_: float, dedup_threshold: float) -> None:
    if top_k is not None and top_k < 0:
        raise ValueError(f"top_k must be at least 0 or None for no limit, not {top_k}")
    if not 0 <= lambda_ <= 1:
        raise ValueError(f"lambda_ must be between 0 and 1, not {lambda_}")
    if not dedup_threshold >= 0:
        raise ValueError(
            f"dedup_threshold must be at least 0 (above 1 turns it off), not {dedup_threshold}"
        )


def _unique(candidates: Sequence[RetrievalResult]) -> list[RetrievalResult]:
    best: dict[str, RetrievalResult] = {}
    for each in candidates:
        kept = best.setdefault(each.content, each)
        if kept is not each and _number(each.score) > _number(kept.score):
            best[each.content] = each
    return list(best.values())


def _numbers(scores: list[float]) -> list[float]:
    if set(map(type, scores)) == {float} and all(map(math.isfinite, scores)):
        return scores
    return [_number(score) for score in scores]


def _number(score: Any) -> float:
    try:
        number = float(score)
    except (TypeError, ValueError, OverflowError):
        return 0.0
    return number if math.isfinite(number) else 0.0


def _relevance(scores: list[float]) -> list[float]:
    low, high = min(scores, default=0.0), max(scores, default=0.0)
    if low == high:
        return [1.0] * len(scores)
    if low >= 0:
        return [score / high for score in scores]
    # Halved first: the distance of two finite floats may be infinite.
    return [(score / 2 - low / 2) / (high / 2 - low / 2) for score in scores]
