"""What an index is given, and what it finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from agentmaker.context.results import Embedding

Strategy: TypeAlias = Literal["structural", "lexical", "hybrid"]
"""How candidates are put in order: as the sources give them, by words, by words and meaning."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of a text, found by itself; *start* and *end* are characters of the whole."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Indexed:
    """Something that can be found.

    Attributes:
        key: names it within its partition.
        revision: changes whenever its content does.
        label: a title or path; its words count more than those of the passages.
        passages: its text in pieces, in order; none for what is found by its label alone.
        data: whatever the owner wants to know of it again when the index is reopened.
    """

    key: str
    revision: str
    label: str = ""
    passages: tuple[Passage, ...] = ()
    data: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """Something found, and where in it.

    Attributes:
        partition: where it is kept.
        score: the larger the better; only order and proportions within one search matter.
        start: first character of the passage that fits best, with *end* behind its last.
        embedding: of that passage, where it has one.
    """

    partition: str
    key: str
    revision: str
    score: float
    start: int
    end: int
    embedding: Embedding | None = None


@dataclass(frozen=True, slots=True)
class Kept:
    """What an index knows of an item: the *revision* it has of it, and its owner's *data*."""

    revision: str
    data: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingUsage:
    """What embedding the query and new texts took; never part of a prompt's usage.

    Attributes:
        calls: of the embedder, failed ones too.
        texts: given to it.
        cached: texts that did not have to be, since their vectors were known.
        tokens: as the embedder counts them, None when it does not say.
    """

    calls: int = 0
    texts: int = 0
    cached: int = 0
    tokens: int | None = None

    def __add__(self, other: EmbeddingUsage) -> EmbeddingUsage:
        known = [each for each in (self.tokens, other.tokens) if each is not None]
        return EmbeddingUsage(
            calls=self.calls + other.calls,
            texts=self.texts + other.texts,
            cached=self.cached + other.cached,
            tokens=sum(known) if known else None,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The best passage of every item found, the best item first.

    Attributes:
        usage: of this search, and of all that was put into its partitions since the last one.
        problem: why words alone were searched though meaning was asked for; "" for neither.
    """

    hits: tuple[Hit, ...] = ()
    usage: EmbeddingUsage = EmbeddingUsage()
    problem: str = ""
