"""The form without numpy: a heap of what each candidate is worth at most.

Its worth only falls as others are picked, so a candidate is not compared with them before it
comes up; most never do.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from heapq import heapify, heappop, heapreplace
from itertools import repeat

from agentmaker.context.mmr.contest import GRID, Contest
from agentmaker.context.mmr.embeddings import Unit, unit
from agentmaker.context.piecemeal import Pieces


def picks(contest: Contest) -> Pieces[list[int]]:
    """Yields after each candidate that was compared."""
    race = _Race(contest)
    while race.heap and len(race.picked) < contest.limit:
        best = race.heap[0][1]
        if race.seen[best] == len(race.picked):
            race.pick(best)
        else:
            race.compare(best)
            yield
    return race.picked


class _Race:
    """What is known of each candidate: in a heap, what it costs at least; beside how many picks."""

    def __init__(self, contest: Contest) -> None:
        self._contest = contest
        self._gains = [contest.lambda_ * contest.relevance(each) for each in contest.scores]
        self._nearest = [-1.0] * len(self._gains)
        self._units: list[Unit | None] = []
        embeddings = contest.embeddings
        # A number takes 32 bytes in a tuple: together these take no more than 4 bytes for each.
        self._unit = lru_cache(max(256, len(embeddings) // 8))(lambda i: unit(embeddings[i]))
        self.seen = [0] * len(self._gains)
        self.picked: list[int] = []
        self.heap = [(-gain, index) for index, gain in enumerate(self._gains)]
        heapify(self.heap)

    def pick(self, best: int) -> None:
        heappop(self.heap)
        self.picked.append(best)
        self._units.append(self._unit(best))

    def compare(self, best: int) -> None:
        """Bring *best*, the first of the heap, up to date with what was picked."""
        mine, others = self._unit(best), self._units[self.seen[best] :]
        nearest = max(self._nearest[best], _nearest(mine, others))
        self._nearest[best] = nearest
        self.seen[best] = len(self.picked)
        if nearest >= self._contest.threshold:
            heappop(self.heap)
        else:
            cost = (1 - self._contest.lambda_) * max(nearest, 0.0) - self._gains[best]
            heapreplace(self.heap, (cost, best))


def _nearest(mine: Unit | None, others: Sequence[Unit | None]) -> float:
    """The largest cosine of *mine* to one of *others*."""
    width = 0 if mine is None else len(mine)
    alike = [each for each in others if each is not None and len(each) == width]
    if mine is None or not alike:
        return 0.0
    # By the law of cosines: math.dist is the one fast loop over floats in the standard library.
    cosine = 1 - min(map(math.dist, repeat(mine), alike)) ** 2 / 2
    strangers = len(alike) < len(others)
    return max(round(cosine * GRID) / GRID, 0.0 if strangers else -1.0)
