"""Which stretches of documents to show for what was hit: what stands beside a hit counts too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from agentmaker.memory.index import Hit

BESIDE = 0.5
"""Of the score of a chunk, what the one before it and the one behind it gain by it."""

Numbered: TypeAlias = tuple[str, str, int]
"""Partition, document and number of a chunk."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """One chunk, or two that follow each other; *hit* is the best of them, None for neighbours."""

    partition: str
    document: str
    first: int
    last: int
    score: float
    hit: Hit | None = None

    def meets(self, other: Stretch) -> bool:
        """Whether *other* is right before or behind this one, both single chunks."""
        same = (self.partition, self.document) == (other.partition, other.document)
        alone = self.first == self.last and other.first == other.last
        return same and alone and abs(self.first - other.first) == 1

    def with_(self, other: Stretch) -> Stretch:
        first, last = min(self.first, other.first), max(self.last, other.last)
        return replace(self, first=first, last=last, hit=self.hit or other.hit)


def ranked(hits: Mapping[Numbered, Hit], sizes: Mapping[tuple[str, str], int]) -> list[Stretch]:
    """Stretches in order, *sizes* being how many chunks each document has.

    Of two chunks that follow each other in a document and in rank, one stretch is made: what an
    answer needs is often cut between them.
    """
    scored = [
        Stretch(*key[:2], key[2], key[2], score, hits.get(key))
        for key, score in _scores(hits, sizes).items()
    ]
    scored.sort(key=lambda each: (-each.score, each.partition, each.document, each.first))
    return _joined(scored)


def _scores(
    hits: Mapping[Numbered, Hit], sizes: Mapping[tuple[str, str], int]
) -> dict[Numbered, float]:
    beside: dict[Numbered, float] = {}
    for key, hit in hits.items():
        for near in _neighbours(key, sizes):
            beside[near] = max(beside.get(near, 0.0), hit.score)
    return {
        key: (hits[key].score if key in hits else 0.0) + BESIDE * beside.get(key, 0.0)
        for key in {**hits, **beside}
    }


def _neighbours(key: Numbered, sizes: Mapping[tuple[str, str], int]) -> Iterator[Numbered]:
    partition, document, number = key
    for near in (number - 1, number + 1):
        if 0 <= near < sizes[partition, document]:
            yield partition, document, near


def _joined(stretches: Sequence[Stretch]) -> list[Stretch]:
    joined: list[Stretch] = []
    for each in stretches:
        if joined and joined[-1].meets(each):
            joined[-1] = joined[-1].with_(each)
        else:
            joined.append(each)
    return joined
