"""Calls to what others gave us for watching, which must not stop what is watched."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def guarded(fn: Callable[[T], None], value: T, what: str) -> None:
    """Call *fn* with *value*; an error is logged by its type, for its text may hold content."""
    try:
        fn(value)
    except Exception as error:
        logging.getLogger("agentmaker").warning("%s failed: %s", what, type(error).__name__)
