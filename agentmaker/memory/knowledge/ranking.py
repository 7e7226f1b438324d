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

    @property
    def key(self) -> tuple[str, str]:
        return self.partition, self.document

    @property
    def numbers(self) -> range:
        return range(self.first, self.last + 1)

    def meets(self, other: Stretch) -> bool:
        """Whether *other* is right before or behind this one, both single chunks."""
        alone = self.first == self.last and other.first == other.last
        return self.key == other.key and alone and abs(self.first - other.first) == 1

    def joined_with(self, other: Stretch) -> Stretch:
        first, last = min(self.first, other.first), max(self.last, other.last)
        return replace(self, first=first, last=last)


def ranked(hits: Mapping[Numbered, Hit], sizes: Mapping[tuple[str, str], int]) -> list[Stretch]:
    """Single chunks in order, *sizes* being how many of them each document has."""
    scored = [
        Stretch(*key[:2], key[2], key[2], key[2], score, hits.get(key))
        for key, score in _scores(hits, sizes).items()
    ]
    scored.sort(key=lambda each: (-each.score, each.partition, each.document, each.first))
    return scored


def _scores(
    hits: Mapping[Numbered, Hit], sizes: Mapping[tuple[str, str], int]
) -> dict[Numbered, float]:
    beside: dict[Numbered, float] = {}
    for key, hit in hits.items():
        for near in _neighbours(key, sizes):
            beside[near] = max(beside.get(near, 0.0), BESIDE * hit.score)
    return {
        key: (hits[key].score if key in hits else 0.0) + beside.get(key, 0.0)
        for key in {**hits, **beside}
    }


def _neighbours(key: Numbered, sizes: Mapping[tuple[str, str], int]) -> Iterator[Numbered]:
    partition, document, number = key
    for near in (number - 1, number + 1):
        if 0 <= near < sizes[partition, document]:
            yield partition, document, near


def below(more: Sequence[Stretch], found: Sequence[Stretch]) -> list[Stretch]:
    """Those of *more* that are not *found*, with lower scores than what is."""
    seen = {(*each.key, number) for each in found for number in each.numbers}
    others = [each for each in more if (*each.key, each.first) not in seen]
    if not found or not others:
        return others
    share = found[-1].score / others[0].score / 2
    return [replace(each, score=share * each.score) for each in others]


def joined(stretches: Sequence[Stretch]) -> list[Stretch]:
    """Two chunks that follow each other in a document and in rank as one.

    What an answer needs is often cut between them.
    """
    pairs: list[Stretch] = []
    for each in stretches:
        if pairs and pairs[-1].meets(each):
            pairs[-1] = pairs[-1].joined_with(each)
        else:
            pairs.append(each)
    return pairs
