"""Work of many tasks, done in threads: what waits for the same lane is done next, together.

- Who waits can be cancelled: its work is not done then, and nobody else notices.
- Work that has begun is finished before a cancellation goes on.
- Each event loop has lanes of its own; when nothing waits, nothing is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Generic, TypeVar

from anyio import CancelScope, CapacityLimiter, Event, to_thread
from anyio.lowlevel import EventLoopToken, checkpoint_if_cancelled, current_token
from sqlalchemy import Connection

T = TypeVar("T")


class Job(Generic[T]):
    """One piece of work, and how it ended."""

    def __init__(self, work: Callable[[Connection], T]) -> None:
        self.work = work
        self.woken = Event()
        self.outcome: Callable[[], T] | None = None

    def settle(self, do: Callable[[], T]) -> None:
        try:
            self.succeed(do())
        except Exception as error:
            self.fail(error)

    def succeed(self, value: T) -> None:
        self.outcome = lambda: value

    def fail(self, error: Exception) -> None:
        def outcome() -> T:
            raise error

        self.outcome = outcome


class Lanes:
    """*count* lanes; *work* does, in a thread, all jobs that wait in one of them."""

    def __init__(self, count: int, work: Callable[[Sequence[Job[Any]]], None]) -> None:
        self._count = count
        self._work = work
        self._waiting: dict[tuple[EventLoopToken, int], list[Job[Any]]] = {}

    async def do(self, key: Hashable, work: Callable[[Connection], T]) -> T:
        """What *work* returns; work with the same *key* is done in the order it came."""
        await checkpoint_if_cancelled()
        lane = (current_token(), hash(key) % self._count)
        job = Job(work)
        if lane in self._waiting:
            self._waiting[lane].append(job)
            await self._turn(lane, job)
        else:
            self._waiting[lane] = [job]
        if job.outcome is None:
            await self._lead(lane)
        assert job.outcome is not None
        return job.outcome()

    async def _turn(self, lane: tuple[EventLoopToken, int], job: Job[Any]) -> None:
        """Wait until *job* was done, or is the first of those to be done."""
        try:
            await job.woken.wait()
        except BaseException:
            if job in self._waiting.get(lane, ()):
                self._leave(lane, job)
            else:
                with CancelScope(shield=True):
                    await job.woken.wait()
            raise

    def _leave(self, lane: tuple[EventLoopToken, int], job: Job[Any]) -> None:
        self._waiting[lane].remove(job)
        if job.woken.is_set():
            self._pass_on(lane)

    async def _lead(self, lane: tuple[EventLoopToken, int]) -> None:
        jobs, self._waiting[lane] = self._waiting[lane], []
        try:
            with CancelScope(shield=True):
                await to_thread.run_sync(self._work, jobs, limiter=CapacityLimiter(1))
        except Exception as error:
            for job in jobs:
                job.fail(error)
        finally:
            for job in jobs:
                job.woken.set()
            self._pass_on(lane)

    def _pass_on(self, lane: tuple[EventLoopToken, int]) -> None:
        if self._waiting[lane]:
            self._waiting[lane][0].woken.set()
        else:
            del self._waiting[lane]
