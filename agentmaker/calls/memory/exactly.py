"""Equality as JSON has it: to Python True, 1 and 1.0 are equal, but they are written otherwise."""

from __future__ import annotations

import marshal
from typing import Any

_NUMBERS = (bool, int, float)
_WITHOUT_REFERENCES = 2  # later versions of the format depend on which objects are the same


def holds_numbers(value: Any) -> bool:
    """Whether there is a number in *value*, which JSON was read into."""
    kind = type(value)
    if kind is dict:
        return any(map(holds_numbers, value.values()))
    return any(map(holds_numbers, value)) if kind in (list, tuple) else kind in _NUMBERS


def exactly(value: Any) -> bytes | None:
    """The same bytes for what is written alike; None for what is no plain value."""
    try:
        return marshal.dumps(value, _WITHOUT_REFERENCES)
    except ValueError:
        return None


def is_exactly(value: Any, other: Any) -> bool:
    """Whether *value* and *other*, which are equal, are written alike."""
    return exactly(value) == exactly(other)
