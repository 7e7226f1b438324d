"""Blocking work in daemon threads: awaited, given up on cancellation, never holding up exit."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Any, Generic, TypeVar

import anyio
from anyio.lowlevel import current_token

T = TypeVar("T")

IDLE_SECONDS = 5.0
"""So long a thread waits for another call: a tool loop comes back for it at every step."""


def is_async(function: Callable[..., Any]) -> bool:
    """Whether a call of *function* blocks nobody: it is async, or an object whose call is."""
    if isinstance(function, partial):
        function = function.func
    return any(
        inspect.iscoroutinefunction(each) or inspect.isasyncgenfunction(each)
        for each in (function, type(function).__call__)
    )


class TooManyHanging(Exception):
    """Raised when the threads given up earlier have still not come back."""


class DaemonThreads:
    """A thread for every call under way, at most *limit* of them given up and still running."""

    def __init__(self, limit: int = 4) -> None:
        self.limit = limit
        self.hanging = 0
        self._lock = Lock()

    async def run(self, function: Callable[[], T]) -> T:
        """What *function* returns or raises; the caller's context variables are seen.

        Cancelled, it returns at once and leaves the thread to itself.

        Raises:
            TooManyHanging: the limit is reached.
        """
        if self.hanging >= self.limit:
            raise TooManyHanging(f"{self.hanging} earlier calls still hang")
        work = _Work(function)
        _in_thread(partial(copy_context().run, self._serve, work))
        try:
            await work.done.wait()
        except BaseException:
            self._leave(work)
            raise
        return work.result()

    def _serve(self, work: _Work[T]) -> Tell | None:
        """Do *work*; how to tell who waits for it, None where it was left."""
        work()
        with self._lock:
            work.ended = True
            self.hanging -= work.left
        if not work.left:
            return work.tell
        work.discard()
        return None

    def _leave(self, work: _Work[T]) -> None:
        with self._lock:
            work.left = not work.ended
            self.hanging += work.left
        if not work.left:
            work.discard()


def _from_thread() -> Callable[[Callable[[], None]], object]:
    """Has this event loop call a function, of which a thread need not see the end."""
    loop: Any = current_token().native_token
    call: Callable[[Callable[[], None]], object]
    call = getattr(loop, "run_sync_soon", None) or loop.call_soon_threadsafe  # trio, asyncio
    return call


class _Work(Generic[T]):
    """One call, and what came of it."""

    def __init__(self, function: Callable[[], T]) -> None:
        self.done = anyio.Event()
        self.ended = False
        self.left = False
        self._call_soon = _from_thread()
        self._function = function
        self._value: T
        self._error: BaseException | None = None

    def __call__(self) -> None:
        try:
            self._value = self._function()
        except BaseException as error:
            self._error = error

    def tell(self) -> None:
        # The loop may have been closed meanwhile: then nobody waits.
        with suppress(RuntimeError):
            self._call_soon(self.done.set)

    def result(self) -> T:
        if self._error is None:
            return self._value
        try:
            raise self._error
        finally:
            # The error's traceback holds this frame, which would hold the error.
            self._error = None

    def discard(self) -> None:
        """Nobody will await or read what came too late: a coroutine, an open stream."""
        close = getattr(self._value, "close", None) if self._error is None else None
        if callable(close):
            with suppress(Exception):
                close()


Tell = Callable[[], None]

Job = Callable[[], Tell | None]
"""Raises nothing; gives how to tell of its end, None where its thread is good for no other one."""


class _Worker:
    """A thread that does one job after the other, until none comes for long."""

    def __init__(self) -> None:
        self.jobs: SimpleQueue[Job] = SimpleQueue()
        Thread(target=self._work, daemon=True).start()

    def _work(self) -> None:
        while self._did_next():
            pass

    def _did_next(self) -> bool:
        """Do the next job; whether to wait for another one."""
        job = self._next()
        tell = None if job is None else job()
        if tell is None:
            return False
        # Told last: who waits finds this thread idle, and has nothing of it to wait for.
        _idle.add(self)
        tell()
        return True

    def _next(self) -> Job | None:
        """The next job, None where none comes for long."""
        try:
            return self.jobs.get(timeout=IDLE_SECONDS)
        except Empty:
            with suppress(KeyError):
                _idle.remove(self)
                return None
            return self.jobs.get()  # not idle any more, so one is on its way


# Those of all DaemonThreads. Each method is atomic, so that no lock can be held across a fork.
_idle: set[_Worker] = set()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_idle.clear)


def _in_thread(job: Job) -> None:
    """Have *job* done by a thread that is idle, else by a new one."""
    try:
        worker = _idle.pop()
    except KeyError:
        worker = _Worker()
    worker.jobs.put(job)
