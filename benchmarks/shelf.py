"""Made-up texts of 1 KB, half of them English-like and half Chinese, and what is asked of them."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from agentmaker.memory.index import Indexed, Passage

COMMON = ("the", "of", "and", "to", "in", "is", "for", "that", "with", "on", "as", "by", "was")
BYTES = 1_000


@dataclass(frozen=True)
class Words:
    """A vocabulary in which the few first words are most of a text, as in any language."""

    words: Sequence[str]

    @cached_property
    def _weights(self) -> list[float]:
        return [*accumulate(1 / (rank + 3) for rank in range(len(self.words)))]

    def some(self, rng: random.Random, number: int) -> list[str]:
        return rng.choices(self.words, cum_weights=self._weights, k=number)


def english() -> Words:
    rng = random.Random(61)
    made = {_word(rng): None for _ in range(12_000)}
    return Words([*COMMON, *made])


def chinese() -> Words:
    rng = random.Random(62)
    return Words([chr(each) for each in rng.sample(range(0x4E00, 0x9000), 3_000)])


def _word(rng: random.Random) -> str:
    syllables = (rng.choice("bcdfghklmnprst") + rng.choice("aeiou") for _ in range(4))
    return "".join(syllables)[: rng.randrange(4, 9)]


@dataclass(frozen=True, slots=True)
class Shelf:
    """*count* texts, every second one Chinese; *edition* makes others of the same names."""

    count: int
    edition: int = 1

    def key(self, number: int) -> str:
        return f"shelf/{number % 97}/text_{number}.md"

    def items(self, numbers: Sequence[int] | None = None) -> Iterator[Indexed]:
        words = english(), chinese()
        for number in range(self.count) if numbers is None else numbers:
            text = _text(words[number % 2], random.Random(f"{self.edition} {number}"), number % 2)
            key = self.key(number)
            passages = (Passage(text, 0, len(text)),)
            yield Indexed(key=key, revision=f"{self.edition}", label=key, passages=passages)


def _text(words: Words, rng: random.Random, parted: int) -> str:
    """1,000 bytes, and hardly less."""
    text = ("" if parted else " ").join(words.some(rng, BYTES // 3))
    return text.encode()[:BYTES].decode(errors="ignore")


def queries(number: int = 20) -> dict[str, list[str]]:
    """What is asked for, by kind."""
    rng, latin, han = random.Random(63), english().words, chinese().words
    frequent = latin[len(COMMON) : 300]
    return {
        "four rare words": [" ".join(rng.sample(latin[3_000:], 4)) for _ in range(number)],
        "a question, common words in it": [
            f"what is the {' of the '.join(rng.sample(frequent, 3))} in {rng.choice(latin)}"
            for _ in range(number)
        ],
        "ten of the most frequent words": [
            " ".join(rng.sample(latin[:60], 10)) for _ in range(number)
        ],
        "twelve Chinese characters": ["".join(rng.choices(han[:400], k=12)) for _ in range(number)],
        "both": [
            f"{' '.join(rng.sample(frequent, 3))} {''.join(rng.choices(han[:400], k=6))}"
            for _ in range(number)
        ],
    }
