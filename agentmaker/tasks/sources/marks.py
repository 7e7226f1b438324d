"""Whether a record is what it was, without making its text again."""

from __future__ import annotations

import hashlib
import marshal
from collections.abc import Mapping
from typing import Any, TypeAlias, cast

Mark: TypeAlias = bytes


def mark_of(record: Mapping[str, Any]) -> Mark | None:
    """The same only for the same fields in the same order, by type and all the way down.

    None for what only its text can tell: dates, models, classes of one's own.
    """
    try:
        # Written in one go, so that no other thread changes a list half-way.
        return hashlib.blake2b(marshal.dumps(cast(Any, record), 0), digest_size=16).digest()
    except ValueError:
        return None
