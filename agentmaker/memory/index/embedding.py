"""Embeddings from whatever callable makes them, checked before anything is kept."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from agentmaker.context.results import Embedding


@dataclass(frozen=True, slots=True)
class Embedded:
    """Vectors in the order of the texts, and the *tokens* it took, None where nobody counts."""

    vectors: Sequence[Embedding]
    tokens: int | None = None


Vectors: TypeAlias = Sequence[Embedding] | Embedded
Embedder: TypeAlias = Callable[[Sequence[str]], Vectors | Awaitable[Vectors]]
"""Makes a vector of each text. Its attribute ``name``, where it has one, tells it from others."""
