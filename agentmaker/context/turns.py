"""Turns for the event loop, while work of our own goes on."""

from __future__ import annotations

import time

from anyio.lowlevel import checkpoint

LONGEST = 0.005
"""Seconds of work after which the event loop has a turn: work that is soon done is not delayed."""


class Turns:
    """Lets the event loop run between pieces of work, where it has not for long.

    Attributes:
        waited: seconds that the others took.
    """

    def __init__(self) -> None:
        self.waited = 0.0
        self._since = time.perf_counter()

    async def turn(self) -> None:
        """Let it run where the last turn is longer ago than `LONGEST`."""
        now = time.perf_counter()
        if now - self._since >= LONGEST:
            await checkpoint()
            self._since = time.perf_counter()
            self.waited += self._since - now
