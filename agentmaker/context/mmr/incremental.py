"""The form with numpy for few numbers: each pick is compared with all that may be next, at once.

These are a pool, filled in the order of relevance. Whoever is outside is worth no more than the
most relevant of them were if it resembled nothing picked.
"""

from __future__ import annotations

import math

import numpy as np

from agentmaker.context.mmr import bounds
from agentmaker.context.mmr.contest import Contest
from agentmaker.context.mmr.rows import Array, bearable, cosines, row, unit_rows
from agentmaker.context.piecemeal import Pieces

_FEW = 48
"""Candidates that the pool begins with, and the fewest that are worth filling in."""


def picks(contest: Contest) -> Pieces[list[int]]:
    """Yields after each pick and each time the pool was filled."""
    pool = _Pool(contest)
    while len(pool.places) < contest.limit:
        if (best := pool.best()) is not None:
            pool.pick(best)
        elif not pool.waiting:
            break
        elif not pool.fill():
            return (yield from bounds.picks(contest))
        yield
    return pool.picked


class _Pool:
    """Arrays have a place for each candidate, the most relevant first; the first are inside."""

    def __init__(self, contest: Contest) -> None:
        self._contest = contest
        self._embeddings = contest.embeddings
        gain = contest.lambda_ * np.asarray(contest.relevance)
        self._order = np.argsort(-gain, kind="stable")
        self._gain = gain[self._order]
        self._nearest = np.full(len(gain), -1.0)
        self._worth = np.full(len(gain), -math.inf)
        self._units = np.empty((len(gain), contest.width or 1))
        self._size = 0
        self.places: list[int] = []

    @property
    def picked(self) -> list[int]:
        return [int(self._order[place]) for place in self.places]

    @property
    def waiting(self) -> int:
        return len(self._gain) - self._size

    def best(self) -> int | None:
        """The place of the next pick; None when it may be outside, or there is none."""
        top = self._worth.max()
        equal = np.flatnonzero(self._worth == top)
        # Places are in the order of relevance; of equals the first candidate is meant.
        best = int(equal[self._order[equal].argmin()])
        return None if top == -math.inf or self._may_be_beaten(best) else best

    def _may_be_beaten(self, best: int) -> bool:
        if not self.waiting:
            return False
        top, rival = self._worth[best], self._gain[self._size]
        return bool(rival > top or (rival == top and self._order[self._size] < self._order[best]))

    def pick(self, best: int) -> None:
        self.places.append(best)
        self._gain[best] = -math.inf
        inside = slice(self._size)
        self._compare(inside, cosines(self._units[inside], self._units[best]))

    def fill(self) -> bool:
        """Take in some that may be next; false when they are of another width."""
        width = self._units.shape[1]
        added = slice(self._size, self._size + self._wanted(width))
        found = [row(self._embeddings[index]) for index in self._order[added].tolist()]
        nothing = np.zeros(width)
        rows = [nothing if each is None else each for each in found]
        if any(len(each) != width for each in rows):
            return False
        self._size = added.stop
        self._units[added] = unit_rows(rows)
        cosine = cosines(self._units[added, None], self._units[self.places])
        self._compare(added, cosine.max(axis=1, initial=-1.0))
        return True

    def _wanted(self, width: int) -> int:
        rivals = int((self._gain[self._size :] >= self._worth.max()).sum())
        most = min(self.waiting, bearable(width, len(self.places)))
        return min(max(_FEW, min(rivals, self._size)), most)

    def _compare(self, places: slice, cosine: Array) -> None:
        nearest = np.maximum(self._nearest[places], cosine)
        worth = self._gain[places] - (1 - self._contest.lambda_) * np.maximum(nearest, 0.0)
        self._nearest[places] = nearest
        self._worth[places] = np.where(nearest < self._contest.threshold, worth, -math.inf)
