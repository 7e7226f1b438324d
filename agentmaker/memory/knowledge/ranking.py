"""Which stretches of documents to show for what was hit: what stands beside a hit counts too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from agentmaker.memory.index import Hit

BEHIND, BEFORE = 0.5, 0.4
"""Of the score of a chunk, what the one behind it and the one before it gain by it."""

Numbered: TypeAlias = tuple[str, str, int]
"""Partition, document and number of a chunk."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """One chunk, or two that follow each other.

    Attributes:
        best: the number of the one that fits better, which has the score.
        hit: what was found of it, None where it only stands beside that.
    """

    partition: str
    document: str
    first: int
    last: int
    best: int
    score: float
    hit: Hit | None = None

    def meets(self, other: Stretch) -> bool:
        """Whether *other* is right before or behind this one, both single chunks."""
        same = (self.partition, self.document) == (other.partition, other.document)
        alone = self.first == self.last and other.first == other.last
        return same and alone and abs(self.first - other.first) == 1

    def joined_with(self, other: Stretch) -> Stretch:
        first, last = min(self.first, other.first), max(self.last, other.last)
        return replace(self, first=first, last=last)


def ranked(hits: Mapping[Numbered, Hit], sizes: Mapping[tuple[str, str], int]) -> list[Stretch]:
    """Stretches in order, *sizes* being how many chunks each document has.

    Of two chunks that follow each other in a document and in rank, one stretch is made: what an
    answer needs is often cut between them.
    """
    scored = [
        Stretch(*key[:2], key[2], key[2], key[2], score, hits.get(key))
        for key, score in _scores(hits, sizes).items()
    ]
    scored.sort(key=lambda each: (-each.score, each.partition, each.document, each.first))
    return _joined(scored)


def _scores(
    hits: Mapping[Numbered, Hit], sizes: Mapping[tuple[str, str], int]
) -> dict[Numbered, float]:
    beside: dict[Numbered, float] = {}
    for key, hit in hits.items():
        for near, share in _neighbours(key, sizes):
            beside[near] = max(beside.get(near, 0.0), share * hit.score)
    return {
        key: (hits[key].score if key in hits else 0.0) + beside.get(key, 0.0)
        for key in {**hits, **beside}
    }


def _neighbours(
    key: Numbered, sizes: Mapping[tuple[str, str], int]
) -> Iterator[tuple[Numbered, float]]:
    partition, document, number = key
    if number > 0:
        yield (partition, document, number - 1), BEFORE
    if number + 1 < sizes[partition, document]:
        yield (partition, document, number + 1), BEHIND


def _joined(stretches: Sequence[Stretch]) -> list[Stretch]:
    joined: list[Stretch] = []
    for each in stretches:
        if joined and joined[-1].meets(each):
            joined[-1] = joined[-1].joined_with(each)
        else:
            joined.append(each)
    return joined
