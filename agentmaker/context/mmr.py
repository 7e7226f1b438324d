"""Maximal marginal relevance: relevant candidates that do not repeat each other."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from agentmaker.context.results import Embedding, RetrievalResult

if TYPE_CHECKING:
    from types import ModuleType

    from numpy import float64
    from numpy.typing import NDArray

_MANY = 256
"""From here on importing numpy pays; where it is loaded already, it always does."""

# Similarities are rounded to this grid, so that a tie is a tie however they were summed.
_GRID = 1e12

Unit = tuple[float, ...] | None


def mmr_select(
    candidates: Sequence[RetrievalResult],
    *,
    top_k: int | None = None,
    lambda_: float = 0.7,
    dedup_threshold: float = 0.95,
) -> list[RetrievalResult]:
    """Pick candidates one by one, the largest ``lambda_ * relevance - (1 - lambda_) * nearest``
    first, where *nearest* is the largest cosine (at least 0) to a candidate already picked.

    - Of equal contents only the one with the highest score takes part.
    - Relevance is the score divided by the largest one; with a negative score among them,
      scores are first shifted and scaled to 0..1. Equal scores are all 1.
    - A candidate whose cosine to a picked one reaches *dedup_threshold* is dropped.
    - Ties go to the first. Scores that are no finite number count as 0.
    - Embeddings that are missing, unreadable, zero, not finite or of another width have
      cosine 0.

    Raises:
        ValueError: *top_k* or *dedup_threshold* is negative, or *lambda_* is not in 0..1.
    """
    _check(top_k, lambda_, dedup_threshold)
    unique = _unique(candidates)
    limit = len(unique) if top_k is None else min(top_k, len(unique))
    relevance = _relevance([_number(each.score) for each in unique])
    embeddings = [each.embedding for each in unique]
    numpy = _numpy_for(embeddings)
    rows = _matrix(numpy, embeddings) if numpy else None
    if numpy is None or rows is None:
        units = list(map(_unit, embeddings))
        picks = _pick(units, relevance, limit, lambda_, dedup_threshold)
    else:
        picks = _pick_rows(numpy, rows, relevance, limit, lambda_, dedup_threshold)
    return [unique[index] for index in picks]


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
        if _number(each.score) > _number(kept.score):
            best[each.content] = each
    return list(best.values())


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


def _pick(
    units: list[Unit], relevance: list[float], limit: int, lambda_: float, threshold: float
) -> list[int]:
    nearest = [-1.0] * len(units)
    waiting = list(range(len(units)))
    picks: list[int] = []

    def marginal(index: int) -> float:
        return lambda_ * relevance[index] - (1 - lambda_) * max(nearest[index], 0.0)

    while waiting and len(picks) < limit:
        best = max(waiting, key=marginal)
        picks.append(best)
        waiting.remove(best)
        for index in waiting:
            nearest[index] = max(nearest[index], _cosine(units[best], units[index]))
        waiting = [index for index in waiting if nearest[index] < threshold]
    return picks


def _cosine(a: Unit, b: Unit) -> float:
    if a is None or b is None or len(a) != len(b):
        return 0.0
    # By the law of cosines: math.dist is the one fast loop over floats in the standard library.
    return round((1 - math.dist(a, b) ** 2 / 2) * _GRID) / _GRID


def _unit(embedding: Embedding | None) -> Unit:
    try:
        values = _values(embedding)
        norm = math.hypot(*values)
    except (TypeError, ValueError, OverflowError):
        return None
    return tuple([value / norm for value in values]) if 0 < norm < math.inf else None


def _values(embedding: Any) -> Sequence[float]:
    if isinstance(embedding, (bytes, bytearray)):
        embedding = memoryview(embedding).cast("f")
    tolist = getattr(embedding, "tolist", None)
    values: Sequence[float] = tolist() if tolist else embedding
    return values


def _numpy_for(embeddings: list[Embedding | None]) -> ModuleType | None:
    if len(embeddings) < _MANY and "numpy" not in sys.modules:
        return None
    try:
        import numpy
    except ImportError:
        return None
    return numpy


def _matrix(numpy: Any, embeddings: list[Embedding | None]) -> NDArray[float64] | None:
    """One unit row a candidate, zero where there is none; None for rows of several widths."""
    rows = [_row(numpy, each) for each in embeddings]
    widths = {len(row) for row in rows if row is not None}
    if len(widths) != 1:
        return None
    nothing = numpy.zeros(widths.pop())
    matrix: NDArray[float64] = numpy.stack([nothing if row is None else row for row in rows])
    return matrix


def _row(numpy: Any, embedding: Embedding | None) -> NDArray[float64] | None:
    try:
        packed = isinstance(embedding, (bytes, bytearray))
        values = numpy.asarray(_values(embedding) if packed else embedding, dtype=numpy.float64)
    except (TypeError, ValueError):
        return None
    largest = numpy.abs(values).max(initial=0.0) if values.ndim == 1 else 0.0
    if not 0 < largest < math.inf:
        return None
    row: NDArray[float64] = values / largest
    return row / math.sqrt(row @ row)


def _pick_rows(
    numpy: Any,
    rows: NDArray[float64],
    relevance: list[float],
    limit: int,
    lambda_: float,
    threshold: float,
) -> list[int]:
    gain = lambda_ * numpy.asarray(relevance)
    nearest = numpy.full(len(rows), -1.0)
    waiting = numpy.ones(len(rows), dtype=bool)
    picks: list[int] = []
    while waiting.any() and len(picks) < limit:
        marginal = gain - (1 - lambda_) * numpy.maximum(nearest, 0.0)
        best = int(numpy.where(waiting, marginal, -math.inf).argmax())
        picks.append(best)
        # einsum stays on this thread: several BLAS threads cost far more than they save here.
        cosine = numpy.einsum("ij,j->i", rows, rows[best])
        nearest = numpy.maximum(nearest, numpy.rint(cosine * _GRID) / _GRID)
        waiting &= nearest < threshold
        waiting[best] = False
    return picks
