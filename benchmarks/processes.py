"""Work handed to fresh processes, which share no memory with this one."""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from typing import TypeVar

import anyio

T = TypeVar("T")
R = TypeVar("R")


async def spread(function: Callable[[T], R], items: Iterable[T], *, workers: int = 2) -> list[R]:
    """*function* of each item, in order; it is found by name in the other processes."""
    return await anyio.to_thread.run_sync(_spread, function, list(items), workers)


def _spread(function: Callable[[T], R], items: list[T], workers: int) -> list[R]:
    # Spawned, not forked: another hash seed, and nothing remembered.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, context, max_tasks_per_child=1) as pool:
        return list(pool.map(function, items))


def peak_memory() -> float:
    """Of this process, in megabytes."""
    import resource  # which Windows has not

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1e6 if sys.platform == "darwin" else 1e3)
