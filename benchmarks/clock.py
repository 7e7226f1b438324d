"""How long something takes, by the clock."""

from __future__ import annotations

import time
from collections.abc import Awaitable
from typing import TypeVar

T = TypeVar("T")


async def clocked(work: Awaitable[T]) -> tuple[float, T]:
    """Seconds, and what came of it."""
    started = time.perf_counter()
    result = await work
    return time.perf_counter() - started, result
