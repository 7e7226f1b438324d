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
