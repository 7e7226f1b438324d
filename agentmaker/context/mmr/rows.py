"""Embeddings as rows of numpy arrays. Imported only where numpy is installed and pays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from agentmaker.context.mmr.contest import GRID
from agentmaker.context.mmr.embeddings import LEAST, MOST, floats, scaled

Array: TypeAlias = NDArray[np.float64]

_PIECE = 2**21
"""Multiplications after which the event loop may want its turn."""


def bearable(width: int, picked: int) -> int:
    """How many rows can be read, and compared with those *picked*, at a time."""
    return max(1, _PIECE // ((width + 1) * (picked + 8)))


def row(embedding: object) -> Array | None:
    """Its numbers, not copied where it is a buffer of floats; None when it has none."""
    if isinstance(embedding, np.ndarray) and embedding.dtype.char in "fd" and embedding.ndim == 1:
        return embedding if len(embedding) else None
    buffer = floats(embedding)
    return None if buffer is None else np.asarray(buffer)


def unit_rows(rows: Sequence[Array]) -> Array:
    """*rows*, all of one width, at length 1; those without a direction are 0."""
    matrix = np.concatenate(rows, dtype=np.float64).reshape(len(rows), -1)
    with np.errstate(all="ignore"):
        norms = np.sqrt(_dots(matrix, matrix))
    for index in np.flatnonzero(~((norms > LEAST) & (norms < MOST))).tolist():
        matrix[index] = scaled(matrix[index].tolist())
        norms[index] = np.sqrt(matrix[index] @ matrix[index]) or 1.0
    matrix /= norms[:, None]
    return matrix


def cosines(units: Array, others: Array) -> Array:
    """Of rows to rows, broadcast, on the grid."""
    found: Array = np.rint(_dots(units, others) * GRID) / GRID
    return found


def _dots(a: Array, b: Array) -> Array:
    """Sums of products on this thread alone: on several, BLAS costs more than it saves here."""
    vecdot = getattr(np, "vecdot", None)
    dots: Array = vecdot(a, b) if vecdot else np.einsum("...i,...i->...", a, b)
    return dots
