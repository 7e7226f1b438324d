"""Candidates with embeddings, as a search returns them: topics, and scores of likeness."""

from __future__ import annotations

import math
import random
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from operator import mul

from agentmaker import RetrievalResult

TOPICS = 60

Row = Sequence[float]


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found; each vector is a buffer of its own."""

    vectors: Sequence[array[float]]
    scores: Sequence[float]

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.vectors), len(self.vectors[0])

    def candidates(self, kind: Callable[[array[float]], object]) -> list[RetrievalResult]:
        """With embeddings of a *kind*: what makes one of 32-bit floats."""
        return [
            RetrievalResult(f"text {number}", score, "rag", embedding=kind(vector))
            for number, (vector, score) in enumerate(zip(self.vectors, self.scores, strict=True))
        ]

    def unscored(self) -> Found:
        return replace(self, scores=[1.0] * len(self.scores))

    def first(self, count: int) -> Found:
        return Found(self.vectors[:count], self.scores[:count])


def found(count: int, width: int, seed: int = 1) -> Found:
    """Vectors around one of 60 topics, which have something in common; the question is near one
    of them, and a score is its cosine to it."""
    chance = random.Random(seed)
    common = [chance.gauss(0, 0.5) for _ in range(width)]
    topics = [[x + chance.gauss(0, 0.8) for x in common] for _ in range(TOPICS)]
    question = _near(topics[0], chance)
    vectors = [_near(chance.choice(topics), chance) for _ in range(count)]
    return Found(vectors, [_cosine(question, each) for each in vectors])


def _near(topic: Row, chance: random.Random) -> array[float]:
    draw = chance.random
    return array("f", [x + 2.8 * (draw() - 0.5) for x in topic])


def _cosine(a: Row, b: Row) -> float:
    return sum(map(mul, a, b)) / (math.hypot(*a) * math.hypot(*b))
