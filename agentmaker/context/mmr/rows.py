"""Embeddings as rows of numpy arrays. Imported only where numpy is installed and pays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from agentmaker.context.mmr.contest import GRID
from agentmaker.context.mmr.embeddings import LEAST, MOST, floats, scaled

Array: TypeAlias = NDArray[np.float64]

_PIECE = 2**21
"""Multiplications after which the event loop may want its turn."""

_TILE = 2**18
"""Multiplications that BLAS does not spread over threads."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Vectors of one width, and what each is multiplied by to have the length 1, or 0."""

    numbers: Array
    scales: Array

    @classmethod
    def empty(cls, count: int, width: int) -> Rows:
        return cls(np.empty((count, width)), np.empty(count))

    def __len__(self) -> int:
        return len(self.scales)

    def __getitem__(self, places: Any) -> Rows:
        return Rows(self.numbers[places], self.scales[places])

    def doubled(self) -> Rows:
        """These, with room for as many more."""
        more = Rows.empty(2 * len(self), self.numbers.shape[1])
        more.numbers[: len(self)], more.scales[: len(self)] = self.numbers, self.scales
        return more

    def fill(self, vectors: Sequence[Array]) -> None:
        """Take *vectors*, as many as there are rows."""
        np.concatenate(vectors, out=self.numbers.reshape(-1))
        with np.errstate(all="ignore"):
            lengths = np.sqrt(_dots(self.numbers, self.numbers))
        for index in np.flatnonzero(~((lengths > LEAST) & (lengths < MOST))).tolist():
            self.numbers[index] = scaled(self.numbers[index].tolist())
            lengths[index] = math.hypot(*self.numbers[index]) or math.inf
        np.divide(1.0, lengths, out=self.scales)

    def cosines(self, place: int) -> Array:
        """Of each row to the one at *place*."""
        dots = _dots(self.numbers, self.numbers[place])
        return _on_grid(dots * (self.scales * self.scales[place]))

    def nearest(self, others: Rows) -> Array:
        """The largest cosine of each row to *others*, -1 without any.

        Multiplied in tiles, so small that BLAS keeps to this thread.
        """
        found = np.full(len(self), -1.0)
        width = self.numbers.shape[1]
        size = min(len(others), _tile(width)) or 1
        for mine, theirs in product(
            _slices(len(self), max(1, _TILE // (size * width))), _slices(len(others), size)
        ):
            cosines = self.numbers[mine] @ others.numbers[theirs].T
            cosines *= others.scales[theirs]
            largest = cosines.max(axis=1) * self.scales[mine]
            np.maximum(found[mine], largest, out=found[mine])
        return _on_grid(found)


def row(embedding: object) -> Array | None:
    """Its numbers, not copied where it is a buffer of floats; None when it has none."""
    if isinstance(embedding, np.ndarray) and embedding.dtype.char in "fd" and embedding.ndim == 1:
        return embedding if len(embedding) else None
    buffer = floats(embedding)
    return None if buffer is None else np.asarray(buffer)


def bearable(width: int, picked: int) -> int:
    """How many rows can be read, and compared with those *picked*, at a time."""
    return max(1, _PIECE // ((width + 1) * (picked + 8)))


def _tile(width: int) -> int:
    return max(1, min(2**13 // width, math.isqrt(_TILE // width)))


def _slices(length: int, size: int) -> list[slice]:
    return [slice(start, start + size) for start in range(0, length, size)]


def _on_grid(cosines: Array) -> Array:
    rounded: Array = np.rint(cosines * GRID) / GRID
    return rounded


def _dots(a: Array, b: Array) -> Array:
    """Sums of products row by row; BLAS would do it on several threads, at many times the cost."""
    vecdot = getattr(np, "vecdot", None)
    dots: Array = vecdot(a, b) if vecdot else np.einsum("...i,...i->...", a, b)
    return dots
