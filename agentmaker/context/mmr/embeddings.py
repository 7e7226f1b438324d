"""Reads embeddings of any kind, without a copy where they are buffers of floats."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from typing import Any

# The square of a norm within these bounds neither overflows nor loses digits.
LEAST, MOST = 1e-150, 1e150

Unit = tuple[float, ...]


def floats(embedding: object) -> memoryview[Any] | None:
    """Its numbers in one row of C floats or doubles; None when it has none."""
    try:
        row = _row(embedding)
    except Exception:  # whatever an object of the caller's raises when it is read
        return None
    return row if len(row) else None


def width(embedding: object) -> int:
    """How many numbers it seems to have, without reading them."""
    try:
        size = len(embedding)  # type: ignore[arg-type]
        return size // 4 if _is_packed(embedding) else size
    except Exception:  # as above
        return 0


def unit(embedding: object) -> Unit | None:
    """The embedding at length 1; None when it has no direction."""
    row = floats(embedding)
    if row is None:
        return None
    values: Sequence[float] = row.tolist()
    norm = math.hypot(*values)
    if not LEAST < norm < MOST:
        values = scaled(values)
        norm = math.hypot(*values)
    return tuple([value / norm for value in values]) if norm else None


def scaled(values: Sequence[float]) -> Sequence[float]:
    """*values* with 1 for the largest, all 0 when one of them is not finite."""
    largest = max(map(abs, values)) if all(map(math.isfinite, values)) else 0.0
    return [value / largest if largest else 0.0 for value in values]


def _is_packed(embedding: object) -> bool:
    """Whether it holds the bytes of 32-bit floats, not numbers."""
    view = isinstance(embedding, memoryview) and embedding.format == "B"
    return view or isinstance(embedding, (bytes, bytearray))


def _row(embedding: Any) -> memoryview[Any]:
    if _is_packed(embedding):
        return memoryview(embedding).cast("f")
    buffer = _buffer(embedding)
    if buffer is not None and buffer.format in ("f", "d") and buffer.ndim == 1:
        return buffer
    len(embedding)  # What has no length can be read only once.
    values = embedding.tolist() if hasattr(embedding, "tolist") else embedding
    return memoryview(array("d", values))


def _buffer(embedding: Any) -> memoryview[Any] | None:
    try:
        return memoryview(embedding)
    except (TypeError, ValueError, BufferError):
        return None
