"""Runs async code for sync callers, on one event loop in a thread of its own.

A loop for each call would break pooled connections, which belong to the loop that opened them.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass
from functools import cache, partial
from threading import Thread
from typing import TYPE_CHECKING, Generic, TypeVar, TypeVarTuple
from warnings import warn

if TYPE_CHECKING:
    from anyio import CancelScope, Event
    from anyio.from_thread import BlockingPortal

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

# By process id: a forked child has the entry of its parent, but not the thread behind it.
_portals: dict[int, Future[BlockingPortal]] = {}


def run(function: Callable[[*Ts], Awaitable[T]], *args: *Ts) -> T:
    """Call the async *function* and wait for its result.

    The caller's context variables are seen. What the work raises is raised here, ``SystemExit``
    and ``KeyboardInterrupt`` too: the calls of other threads go on. Ctrl-C cancels the work and
    waits for it to clean up; a second Ctrl-C does not wait. Called inside a running event loop,
    as in a notebook, it blocks that loop and warns once, naming *function* as the thing to await.
    """
    if _in_event_loop():
        _warn_once(_name_of(function))
    portal = _portal()
    work = _Work(partial(function, *args))
    try:
        result = portal.call(work)
    except KeyboardInterrupt:
        portal.call(work.cancel)
        raise
    if isinstance(result, _Ending):
        raise result.error
    return result


def _name_of(function: Callable[..., object]) -> str:
    inner = getattr(function, "func", function)
    owner = getattr(inner, "__self__", None)
    if owner is not None:
        return f"{type(owner).__name__}.{inner.__name__}"
    return str(getattr(inner, "__qualname__", repr(inner)))


@dataclass(frozen=True, slots=True)
class _Ending:
    """What the work raised to end the program: on its way through the loop it would end that."""

    error: BaseException


class _Work(Generic[T]):
    """One call, which can be cancelled at any moment, even before it has begun."""

    def __init__(self, function: Callable[[], Awaitable[T]]) -> None:
        self._function = function
        self._begun: tuple[CancelScope, Event] | None = None

    async def __call__(self) -> T | _Ending:
        from anyio import CancelScope, Event, get_cancelled_exc_class

        with CancelScope() as scope:
            ended = Event()
            self._begun = scope, ended
            try:
                return await self._function()
            except (Exception, get_cancelled_exc_class()):
                raise
            except BaseException as error:
                return _Ending(error)
            finally:
                ended.set()
        raise CancelledError

    async def cancel(self) -> None:
        # The loop takes calls in order, so work that has not begun by now never will.
        if self._begun is not None:
            scope, ended = self._begun
            scope.cancel()
            await ended.wait()


def _portal() -> BlockingPortal:
    mine: Future[BlockingPortal] = Future()
    kept = _portals.setdefault(os.getpid(), mine)
    if kept is mine:
        _start(mine)
    return kept.result()


def _start(started: Future[BlockingPortal]) -> None:
    # As a daemon it never holds up exit, nor do the worker threads it starts.
    thread = Thread(target=_serve, args=(started,), name="agentmaker-sync", daemon=True)
    try:
        thread.start()
    except RuntimeError as error:
        _end(started, error)


def _serve(started: Future[BlockingPortal]) -> None:
    import anyio

    try:
        anyio.run(_hold, started)
    except BaseException as error:
        _end(started, error)


def _end(started: Future[BlockingPortal], error: BaseException) -> None:
    """Forget a loop that could not start or was ended by a call; the next call starts another."""
    _portals.pop(os.getpid(), None)
    if not started.done():
        started.set_exception(error)


async def _hold(started: Future[BlockingPortal]) -> None:
    from anyio.from_thread import BlockingPortal

    async with BlockingPortal() as portal:
        started.set_result(portal)
        await portal.sleep_until_stopped()


def _in_event_loop() -> bool:
    from anyio import get_cancelled_exc_class

    try:
        get_cancelled_exc_class()
    except RuntimeError:
        return False
    return True


@cache
def _warn_once(name: str) -> None:
    # 4: past run() and the one-line sync form, to the line that called it.
    warn(
        f"a sync call inside a running event loop blocks the loop until it is done: "
        f"await {name}(...) instead",
        stacklevel=4,
    )
