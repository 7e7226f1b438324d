"""Items and embedders for these tests."""

from __future__ import annotations

from collections.abc import Sequence

from agentmaker.memory.index import Embedded, Found, Indexed, Passage


def item(key: str, *texts: str, label: str = "", revision: str = "1", data: str = "") -> Indexed:
    """With a passage for each of *texts*, one behind the other."""
    passages, at = [], 0
    for text in texts:
        passages.append(Passage(text, at, at + len(text)))
        at += len(text)
    return Indexed(key=key, revision=revision, label=label, passages=tuple(passages), data=data)


def keys(found: Found) -> list[str]:
    return [hit.key for hit in found.hits]


MEANINGS = ("cat kitten feline", "car vehicle motor", "rain weather storm")


class Embedder:
    """Knows three meanings; *fails*, when set, is raised, or done with the vectors."""

    def __init__(self, name: str = "three", width: int = 3) -> None:
        self.name = name
        self.width = width
        self.asked: list[list[str]] = []
        self.fails: BaseException | None = None

    def __call__(self, texts: Sequence[str]) -> Embedded:
        self.asked.append([*texts])
        if self.fails:
            raise self.fails
        return Embedded([self.vector(text) for text in texts], tokens=len(texts))

    def vector(self, text: str) -> list[float]:
        words = set(text.lower().split())
        known = [0.01 + len(words & set(each.split())) for each in MEANINGS]
        return [*known, *[0.0] * self.width][: self.width]
