"""Long work of our own in a thread, so that the event loop runs meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import ParamSpec, TypeVar

from anyio import to_thread

P = ParamSpec("P")
T = TypeVar("T")

LONG = 32_768
"""Characters that are read on the loop itself: a thread would take longer than they do."""


async def aside(characters: int, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """What *function* returns, which has so many *characters* to read.

    Exact counters hold the GIL for a piece at a time, and the loop has its turn in between.
    Cancelled, this returns at once and leaves the thread to itself.
    """
    if characters <= LONG:
        return function(*args, **kwargs)
    work = partial(function, *args, **kwargs)
    return await to_thread.run_sync(work, abandon_on_cancel=True)
