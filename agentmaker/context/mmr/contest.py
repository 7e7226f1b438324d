"""The candidates as a contest: who takes part, how relevant each is, what counts against it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any, TypeVar

from agentmaker.context.mmr.embeddings import width
from agentmaker.context.results import Embedding, RetrievalResult

if TYPE_CHECKING:
    from agentmaker.context.mmr.rows import Array

Scores = TypeVar("Scores", float, "Array")

GRID = 1e12
"""Cosines are rounded to this grid, so that a tie is a tie however they were summed."""


@dataclass(frozen=True, slots=True)
class Relevance:
    """What scores from *low* to *high* are worth, 1 at most; of one or of an array of them."""

    low: float
    high: float

    def __call__(self, score: Scores) -> Scores:
        if self.low == self.high:
            return score * 0 + 1
        if self.low >= 0:
            return score / self.high
        # Halved first: the distance of two finite floats may be infinite.
        return (score / 2 - self.low / 2) / (self.high / 2 - self.low / 2)


@dataclass(frozen=True, slots=True)
class Contest:
    """What a form of the selection is given; it returns the indices of *limit* picks at most."""

    candidates: Sequence[RetrievalResult]
    scores: Sequence[float]
    relevance: Relevance
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
            TypeError: a candidate is no `RetrievalResult`.
        """
        _check(top_k, lambda_, threshold)
        _check_candidates(candidates)
        unique = _unique(candidates)
        scores = _numbers([each.score for each in unique])
        relevance = Relevance(min(scores, default=0.0), max(scores, default=0.0))
        limit = len(unique) if top_k is None else min(top_k, len(unique))
        return cls(unique, scores, relevance, limit, lambda_, threshold)

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


def _check(top_k: int | None, lambda_: float, threshold: float) -> None:
    if top_k is not None and (not hasattr(top_k, "__index__") or top_k < 0):
        raise ValueError(f"top_k must be a whole number from 0 or None for no limit, not {top_k!r}")
    if not (isinstance(lambda_, Real) and 0 <= lambda_ <= 1):
        raise ValueError(f"lambda_ must be between 0 and 1, not {lambda_!r}")
    if not (isinstance(threshold, Real) and threshold >= 0):  # which nan is not either
        raise ValueError(
            f"dedup_threshold must be at least 0 (above 1 turns it off), not {threshold!r}"
        )


def _check_candidates(candidates: Sequence[object]) -> None:
    for place, each in enumerate(candidates):
        if not isinstance(each, RetrievalResult):
            raise TypeError(
                f"candidates[{place}] must be a RetrievalResult, not {type(each).__name__}: "
                "give it a content, a score and a source"
            )


def _unique(candidates: Sequence[RetrievalResult]) -> list[RetrievalResult]:
    if len({each.content for each in candidates}) == len(candidates):
        return list(candidates)
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
