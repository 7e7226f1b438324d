"""Which notes are about some words: the share of the words a note holds, the rare ones first."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from agentmaker.context.aside import aside
from agentmaker.context.words import folded, is_cjk, runs, terms
from agentmaker.memory.records import Document

TITLE, GIST, TEXT = 3, 2, 1
"""What a word counts where it stands."""


@dataclass(frozen=True, slots=True)
class Found:
    """A note and how much of what was sought it holds, from 0 to 1."""

    note: Document
    score: float


async def search(words: str, notes: Sequence[Document]) -> tuple[Found, ...]:
    """Those of *notes* that hold some of *words*, the best first, then as they came."""
    return await aside(sum(len(each.text) for each in notes), ranked, words, notes)


def ranked(words: str, notes: Sequence[Document]) -> tuple[Found, ...]:
    sought = terms(words)
    held = [_held(sought, note) for note in notes]
    weights = _weights(sought, held)
    total = sum(weights.values()) * (TITLE + GIST + TEXT)
    scores = (sum(weights[term] * count for term, count in each.items()) for each in held)
    found = (Found(note, score / total) for note, score in zip(notes, scores, strict=True) if score)
    return tuple(sorted(found, key=lambda each: each.score, reverse=True))


def _weights(sought: Sequence[str], held: Sequence[Mapping[str, int]]) -> dict[str, float]:
    """How telling each term is: the fewer notes hold it, the more."""
    holding = {term: sum(term in each for each in held) for term in sought}
    return {term: math.log(1 + (1 + len(held)) / (1 + number)) for term, number in holding.items()}


def _held(sought: Sequence[str], note: Document) -> dict[str, int]:
    """The terms a note holds, each with what it counts there."""
    parts = ((TITLE, _read(note.name)), (GIST, _read(note.gist)), (TEXT, _remembered(note.text)))
    counts = {term: sum(n for n, text in parts if text.holds(term)) for term in sought}
    return {term: count for term, count in counts.items() if count}


@dataclass(frozen=True, slots=True)
class _Text:
    folded: str
    words: frozenset[str]

    def holds(self, term: str) -> bool:
        return term in (self.folded if is_cjk(term) else self.words)


def _read(text: str) -> _Text:
    folded_text = folded(text)
    return _Text(folded_text, frozenset(runs(folded_text)))


_remembered = lru_cache(maxsize=256)(_read)


def best_line(text: str, words: str) -> str:
    """The line of *text* that holds most of *words*, "" where none holds any."""
    sought = terms(words)

    def held(line: str) -> int:
        text = _read(line)
        return sum(text.holds(term) for term in sought)

    best = max(text.splitlines(), key=held, default="")
    return best.strip() if held(best) else ""
