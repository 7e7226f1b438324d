"""Work of many tasks, done in threads: what waits for the same lane is done next, together.

- Who waits can be cancelled: its work is not done then, and nobody else notices.
- Work that has begun is finished before a cancellation goes on.
- Each event loop has lanes of its own; when nothing waits, nothing is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Generic, TypeVar

from anyio import CancelScope, Event, from_thread, get_cancelled_exc_class
from anyio.lowlevel import EventLoopToken, checkpoint_if_cancelled, current_token

T = TypeVar("T")
Lane = tuple[EventLoopToken, int]

_MOST = 1_000
"""Threads; there are only ever as many as were at work at once."""


class Job(Generic[T]):
    """One piece of work, and how it ended."""

    def __init__(self, work: Callable[..., T]) -> None:
        self.work = work
        self.ended = Event()
        self.outcome: Callable[[], T] = self._without_end

    def settle(self, do: Callable[[], T]) -> None:
        try:
            self.succeed(do())
        except Exception as error:
            self.fail(error)

    def succeed(self, value: T) -> None:
        self.outcome = lambda: value

    def fail(self, error: BaseException) -> None:
        def outcome() -> T:
            raise error

        self.outcome = outcome

    def _without_end(self) -> T:
        raise RuntimeError("the work was left undone")


class Lanes:
    """*count* lanes; *work* does, in a thread, all jobs that wait in one of them."""

    def __init__(self, count: int, work: Callable[[Sequence[Job[Any]]], None]) -> None:
        self._count = count
        self._work = work
        self._waiting: dict[Lane, list[Job[Any]]] = {}
        # Not anyio's threads: asyncio's own cancellation would leave them, and those who wait.
        # As many as there are lanes in all loops: one waits for its loop, which may be blocked.
        self._threads = ThreadPoolExecutor(_MOST, "agentmaker-store")

    async def do(self, key: Hashable, work: Callable[..., T]) -> T:
        """What *work* returns; work with the same *key* is done in the order it came."""
        await checkpoint_if_cancelled()
        lane = (current_token(), hash(key) % self._count)
        job = Job(work)
        if lane in self._waiting:
            self._waiting[lane].append(job)
        else:
            self._begin(lane, [job])
        try:
            await job.ended.wait()
        except get_cancelled_exc_class():
            if job in self._waiting.get(lane, ()):
                self._waiting[lane].remove(job)
            else:
                await _whatever_comes(job.ended)
            raise
        return job.outcome()

    def _begin(self, lane: Lane, jobs: list[Job[Any]]) -> None:
        self._threads.submit(self._in_thread, lane, jobs)
        self._waiting[lane] = []

    def _in_thread(self, lane: Lane, jobs: list[Job[Any]]) -> None:
        try:
            self._work(jobs)
        except BaseException as error:
            for job in jobs:
                job.fail(error)
        finally:
            from_thread.run_sync(self._end, lane, jobs, token=lane[0])

    def _end(self, lane: Lane, jobs: list[Job[Any]]) -> None:
        for job in jobs:
            job.ended.set()
        if waiting := self._waiting.pop(lane):
            self._begin(lane, waiting)


async def _whatever_comes(event: Event) -> None:
    """Wait for *event*, even where asyncio's own cancellation passes the shield."""
    while not event.is_set():
        try:
            with CancelScope(shield=True):
                await event.wait()
        except get_cancelled_exc_class():
            continue
