"""BM25 over the partitions that are searched, and over no others.

Robertson and Zaragoza 2009, "The Probabilistic Relevance Framework: BM25 and Beyond", with fields:
a word of the label counts like several of the text.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

LABEL = 3
"""Words of the text that one of the label is worth."""

K1, B = 1.5, 0.75
"""How soon more of the same word counts no more, and how much a long passage has to hold more."""


def weighed(label: int, text: int) -> int:
    """How long a passage is, so many words as there are in its *label* and in its *text*."""
    return LABEL * label + text


@dataclass(frozen=True, slots=True)
class Statistics:
    """What is searched: *passages* of this *length* together, and how many hold each word."""

    passages: int
    length: int
    holding: Mapping[str, int]

    def weights(self) -> dict[str, float]:
        """How telling each word is that is there at all, the most telling first."""
        there = {word: number for word, number in self.holding.items() if number}
        order = sorted(there, key=lambda word: (there[word], word))
        return {word: self._weight(there[word]) for word in order}

    def most(self, words: int) -> float:
        """What a passage could score at most that holds so many *words* of those sought.

        A word that nobody knows counts most of all: what it means is said in other words.
        """
        weights = sorted(map(self._weight, self.holding.values()), reverse=True)
        return (K1 + 1) * sum(weights[:words])

    def _weight(self, number: int) -> float:
        return math.log(1 + (self.passages - number + 0.5) / (number + 0.5))

    @property
    def average(self) -> float:
        return self.length / self.passages if self.passages else 1.0


def score(weights: Mapping[str, float], average: float, label: str, text: str) -> float:
    """Of a passage, whose words are parted by spaces."""
    counts = Counter(text.split())
    for word in label.split():
        counts[word] += LABEL
    room = K1 * (1 - B + B * counts.total() / average)
    return sum(
        weight * (K1 + 1) * counts[word] / (counts[word] + room)
        for word, weight in weights.items()
        if word in counts
    )
