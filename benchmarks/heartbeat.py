"""The longest time that an event loop had no turn."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from contextlib import suppress

import anyio

from agentmaker import ContextWindowExceeded

EVERY = 0.0005


async def longest_pause(work: Callable[[], Awaitable[object]], times: int = 2) -> float:
    """Milliseconds that *work* held the loop at most, in the best of so many runs.

    By the CPU time of the whole process between two beats: what other programs take of the
    machine is not in it, and what threads of ours take is.
    """
    return min([await _pause(work) for _ in range(times)])


async def _pause(work: Callable[[], Awaitable[object]]) -> float:
    pauses: list[float] = []
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_beat, pauses)
        await anyio.sleep(EVERY * 20)
        pauses.clear()
        with suppress(ContextWindowExceeded):
            await work()
        await anyio.sleep(EVERY * 4)
        tasks.cancel_scope.cancel()
    return max(pauses) * 1000


async def _beat(pauses: list[float]) -> None:
    last = time.process_time()
    while True:
        await anyio.sleep(EVERY)
        now = time.process_time()
        pauses.append(now - last)
        last = now
