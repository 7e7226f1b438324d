"""What sources return, and what became of it in a block."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Embedding = Iterable[float]
"""A vector: a list, a tuple, any array or buffer of floats, or bytes of packed 32-bit floats."""


@dataclass(frozen=True, slots=True)
class RetrievalResult:
    """A candidate for the window.

    *score* orders the candidates of one source; only its order and proportions matter.
    *embedding* is what the search already computed, compared by `mmr_select`.

    Raises:
        TypeError: *content* is not a string.
    """

    content: str
    score: float
    source: str
    id: str = ""
    embedding: Embedding | None = field(default=None, compare=False, repr=False)
    metadata: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        if not isinstance(self.content, str):
            raise TypeError(f"content must be a string, not {type(self.content).__name__}")


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceOutcome:
    """What one source did for one block.

    Attributes:
        found: candidates it returned.
        kept: how many of them are in the block.
        tokens: tokens these take, its heading included.
        ms: milliseconds until it answered, failed or was given up.
        reason: why it is not ``"ok"``: an error's type or a few words, never content.
    """

    name: str
    outcome: Literal["ok", "empty", "failed", "timeout", "rejected"]
    found: int = 0
    kept: int = 0
    tokens: int = 0
    ms: float = 0.0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Block:
    """Retrieved text for one turn; *tokens* is the count of *text* as a whole."""

    text: str
    tokens: int
    outcomes: tuple[SourceOutcome, ...] = ()
