"""Whether a record is what it was, without making its text again."""

from __future__ import annotations

import marshal
from collections.abc import Mapping
from typing import Any, TypeAlias, cast

Fingerprint: TypeAlias = int
"""64 bits, made with a key that each process draws for itself."""


def fingerprint_of(record: Mapping[str, Any]) -> Fingerprint | None:
    """The same only for the same fields in the same order, by type and all the way down.

    None for what only its text can tell: dates, models, classes of one's own.
    """
    try:
        # Written in one go, so that no other thread changes a list half-way.
        return hash(marshal.dumps(cast(Any, record), 0))
    except ValueError:
        return None
