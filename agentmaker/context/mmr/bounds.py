"""The form with numpy for many numbers: upper bounds say which need not be looked at.

A candidate's worth only falls as others are picked, so what it was worth before is a bound.
Candidates are read and compared a few at a time, those with the largest bounds first, until the
best of them is worth at least what any other can be.
"""

from __future__ import annotations

import math
from bisect import bisect_left

import numpy as np
from numpy.typing import NDArray

from agentmaker.context.mmr.contest import Contest
from agentmaker.context.mmr.rows import Array, Rows, bearable, row
from agentmaker.context.piecemeal import Pieces

_FEW = 8
"""Candidates compared at first for each pick; while the best is not known, twice as many."""


def picks(contest: Contest) -> Pieces[list[int]]:
    """Yields after each few candidates that were compared."""
    race = _Race(contest)
    size = _FEW
    while len(race.picked) < contest.limit and race.bound[best := race.best()] > -math.inf:
        if race.seen[best] == len(race.picked):
            race.pick(best)
            size = _FEW
        else:
            race.compare(best, size)
            size *= 2
            yield
    return race.picked


class _Race:
    """What is known of each candidate: what it is worth at most, and beside how many picks."""

    def __init__(self, contest: Contest) -> None:
        self._contest = contest
        self._embeddings = contest.embeddings
        self._gain = contest.lambda_ * contest.relevance(np.asarray(contest.scores))
        self._nearest = np.full(len(self._gain), -1.0)
        self._kin: dict[int, _Kin] = {}
        self.bound = self._gain.copy()
        self.seen = np.zeros(len(self._gain), dtype=int)
        self.picked: list[int] = []

    def best(self) -> int:
        return int(self.bound.argmax())

    def pick(self, best: int) -> None:
        found = row(self._embeddings[best])
        if found is not None:
            kin = self._kin.setdefault(len(found), _Kin(len(found)))
            kin.add(len(self.picked), found)
        self.picked.append(best)
        self.bound[best] = -math.inf

    def compare(self, best: int, size: int) -> None:
        """Bring *best*, and up to *size* that come next, up to date with what was picked."""
        width = _width(row(self._embeddings[best]))
        leaders = self._leaders(min(size, bearable(width, len(self.picked))))
        found = {index: row(self._embeddings[index]) for index in leaders.tolist()}
        alike = {index: each for index, each in found.items() if _width(each) == width}
        indices, kin = np.array(list(alike)), self._kin.get(width)
        strangers = len(self.picked) - (len(kin) if kin else 0)
        largest = np.maximum(self._nearest[indices], 0.0 if strangers else -1.0)
        if kin:
            rows = Rows.empty(len(alike), width)
            rows.fill([each for each in alike.values() if each is not None])
            largest = np.maximum(largest, kin.nearest(rows, self.seen[indices]))
        self._settle(indices, largest)

    def _leaders(self, size: int) -> NDArray[np.intp]:
        """Of those not up to date that may be the best, *size* with the largest bounds."""
        stale = (self.seen < len(self.picked)) & (self.bound > -math.inf)
        sure = np.where(stale, -math.inf, self.bound).max()
        waiting = np.flatnonzero(stale & (self.bound >= sure))
        return waiting if len(waiting) <= size else waiting[_largest(self.bound[waiting], size)]

    def _settle(self, indices: NDArray[np.intp], largest: Array) -> None:
        worth = self._gain[indices] - (1 - self._contest.lambda_) * np.maximum(largest, 0.0)
        self._nearest[indices] = largest
        self.seen[indices] = len(self.picked)
        self.bound[indices] = np.where(largest < self._contest.threshold, worth, -math.inf)


class _Kin:
    """The picks of one width, each with how many had been picked before it."""

    def __init__(self, width: int) -> None:
        self._numbers: list[int] = []
        self._rows = Rows.empty(8, width)

    def __len__(self) -> int:
        return len(self._numbers)

    def add(self, number: int, vector: Array) -> None:
        if len(self) == len(self._rows):
            self._rows = self._rows.doubled()
        self._rows[len(self) : len(self) + 1].fill([vector])
        self._numbers.append(number)

    def nearest(self, rows: Rows, seen: NDArray[np.int_]) -> Array:
        """The largest cosine of each of *rows* to those it has not *seen*, -1 without any."""
        found = np.empty(len(rows))
        for number in set(seen.tolist()):
            these = seen == number
            unseen = slice(bisect_left(self._numbers, number), len(self))
            found[these] = rows[these].nearest(self._rows[unseen])
        return found


def _width(found: Array | None) -> int:
    return 0 if found is None else len(found)


def _largest(values: Array, size: int) -> NDArray[np.bool_]:
    """Where the *size* largest of *values* are, of equal ones the first."""
    least = np.partition(values, -size)[-size]
    chosen: NDArray[np.bool_] = values > least
    equal = np.flatnonzero(values == least)
    chosen[equal[: size - np.count_nonzero(chosen)]] = True
    return chosen
