"""Work that many wait for and one does."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from agentmaker.memory.exclusive import exclusive

T = TypeVar("T")


class SingleFlight(Generic[T]):
    """Does *work* once for all who come while it is at work already.

    - One does it at a time, in its own task; who comes meanwhile shares the next round, which
      begins after they came.
    - Who is cancelled leaves at once: the next one who waits does the work, nobody else is hurt.
    - A failure is raised where it happened; the next one tries again.
    """

    def __init__(self, work: Callable[[], Awaitable[T]]) -> None:
        self._work = work
        self._begun = 0
        self._last: tuple[int, T] | None = None

    async def __call__(self) -> T:
        wanted = self._begun + 1
        async with exclusive(self):
            if self._last is not None and self._last[0] >= wanted:
                return self._last[1]
            self._begun += 1
            this = self._begun
            result = await self._work()
            self._last = this, result
            return result
