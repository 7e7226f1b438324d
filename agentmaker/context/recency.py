"""How much the age of a text says for it."""

from __future__ import annotations

import math

_LEAST = 0.1


def recency(age_hours: float) -> float:
    """From 1 for what is new, or not yet, down to 0.1: exp(-0.1 x age in days).

    Raises:
        ValueError: *age_hours* is not a number.
    """
    if math.isnan(age_hours):
        raise ValueError("age_hours must be a number of hours, not nan")
    return max(_LEAST, math.exp(-0.1 * max(0.0, age_hours) / 24))
