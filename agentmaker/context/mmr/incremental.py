"""The form with numpy for few numbers: each pick is compared with all that may be next, at once.

These are a pool, filled in the order of relevance. Whoever is outside is worth no more than the
most relevant of them were if it resembled nothing picked.
"""

from __future__ import annotations

import math

import numpy as np

from agentmaker.context.mmr import bounds
from agentmaker.context.mmr.contest import Contest
from agentmaker.context.mmr.rows import Array, Rows, bearable, row
from agentmaker.context.piecemeal import Pieces

_FEW = 32
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
        gain = contest.lambda_ * contest.relevance(np.asarray(contest.scores))
        self._order = np.argsort(-gain, kind="stable")
        self._gain = gain[self._order]
        self._nearest = np.full(len(gain), -1.0)
        self._worth = np.full(len(gain), -math.inf)
        self._width = contest.width or 1
        self._nothing = np.zeros(self._width)
        self._rows = Rows.empty(len(gain), self._width)
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
        worth = self._worth[: max(1, self._size)]
        top = worth.max()
        equal = (worth == top).nonzero()[0]
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
        self._compare(inside, self._rows[inside].cosines(best))

    def fill(self) -> bool:
        """Take in some that may be next; false when they are of another width."""
        added = slice(self._size, self._size + self._wanted())
        vectors = [
            self._nothing if (found := row(self._embeddings[index])) is None else found
            for index in self._order[added].tolist()
        ]
        if set(map(len, vectors)) != {self._width}:
            return False
        self._size = added.stop
        rows = self._rows[added]
        rows.fill(vectors)
        self._compare(added, rows.nearest(self._rows[self.places]))
        return True

    def _wanted(self) -> int:
        rivals = int((self._gain[self._size :] >= self._worth.max()).sum())
        most = min(self.waiting, bearable(self._width, len(self.places)))
        return min(max(_FEW, min(rivals, self._size)), most)

    def _compare(self, places: slice, cosine: Array) -> None:
        largest = np.maximum(self._nearest[places], cosine)
        worth = self._gain[places] - (1 - self._contest.lambda_) * np.maximum(largest, 0.0)
        self._nearest[places] = largest
        self._worth[places] = np.where(largest < self._contest.threshold, worth, -math.inf)
