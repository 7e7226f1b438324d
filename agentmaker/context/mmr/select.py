"""The selection as callers see it, and which form of it does the work."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

import anyio

from agentmaker.context.mmr import plain
from agentmaker.context.mmr.contest import Contest
from agentmaker.context.piecemeal import Pieces, at_once, attentively
from agentmaker.context.results import RetrievalResult

Form = Callable[[Contest], Pieces[list[int]]]

_IMPORT = 2**27
"""Multiplications, at most, from which on importing numpy pays. Loaded already, it always does."""

_SMALL = 2**21
"""Numbers in all embeddings that are compared faster than sorted out."""


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

    Cosines are those of 64-bit floats. Buffers of 32-bit floats (numpy rows, ``array("f")``,
    bytes) are read fastest; with numpy (``agentmaker-runtime[fast]``) all of it is faster.

    Raises:
        ValueError: *top_k* or *dedup_threshold* is negative, or *lambda_* is not in 0..1.
        TypeError: a candidate is no `RetrievalResult`.
    """
    contest = Contest.of(candidates, top_k, lambda_, dedup_threshold)
    return contest.results(at_once(form_for(contest)(contest)))


async def ammr_select(
    candidates: Sequence[RetrievalResult],
    *,
    top_k: int | None = None,
    lambda_: float = 0.7,
    dedup_threshold: float = 0.95,
) -> list[RetrievalResult]:
    """The async form of `mmr_select`: the event loop runs while candidates are compared."""
    contest = Contest.of(candidates, top_k, lambda_, dedup_threshold)
    if "numpy" not in sys.modules and _pays(contest):
        # Importing it would hold the loop for longer than any selection does.
        await anyio.to_thread.run_sync(_numpy_is_there)
    return contest.results(await attentively(form_for(contest)(contest)))


def form_for(contest: Contest) -> Form:
    """The fastest of three forms that pick the same."""
    if not ("numpy" in sys.modules or _pays(contest)) or not _numpy_is_there():
        return plain.picks
    from agentmaker.context.mmr import bounds, incremental

    return incremental.picks if contest.numbers <= _SMALL else bounds.picks


def _pays(contest: Contest) -> bool:
    return contest.numbers * contest.limit >= _IMPORT


def _numpy_is_there() -> bool:
    try:
        import numpy  # noqa: F401
    except ImportError:
        return False
    return True
