"""Vectors made of words, the same in every process: texts that share words are near."""

from __future__ import annotations

import math
from hashlib import shake_128

from agentmaker.context.words import terms


def vector_of(text: str, dimensions: int) -> list[float]:
    """A vector of length 1, or 0 for a text without words."""
    signs = [_signs(term, dimensions) for term in terms(text)]
    total = [float(sum(column)) for column in zip(*signs, strict=True)] or [0.0] * dimensions
    length = math.hypot(*total) or 1.0
    return [each / length for each in total]


def _signs(term: str, dimensions: int) -> list[int]:
    """A corner of the cube for every word: two of them are nearly at right angles."""
    digest = shake_128(term.encode("utf-8", "surrogatepass")).digest(-(-dimensions // 8))
    bits = int.from_bytes(digest, "big")
    return [1 if bits >> place & 1 else -1 for place in range(dimensions)]
