"""What the tests of cancellation share: work cancelled at its n-th step, and what it left."""

from __future__ import annotations

import asyncio
import types
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import anyio
import httpx
import trio
from anyio.lowlevel import checkpoint

Work = Callable[[], Coroutine[Any, Any, None]]


class Steps:
    """Counts the steps of all tasks, and runs *then* at the one numbered *at*."""

    def __init__(self, at: int, then: Callable[[], object]) -> None:
        self.at, self.then = at, then
        self.taken = 0

    def take(self) -> None:
        self.taken += 1
        if self.taken == self.at:
            self.then()


@dataclass(frozen=True)
class Ended:
    """How a piece of work ended: whether its n-th step came, and whether it was cancelled."""

    reached: bool
    cancelled: bool


async def by_task(work: Work, at: int) -> Ended:
    """Cancel an asyncio task, which is told only once."""
    steps = Steps(at, lambda: task.cancel())  # noqa: PLW0108 (the task comes later)
    with _counted_on_asyncio(steps):
        task = asyncio.get_running_loop().create_task(work())
        await asyncio.wait([task])
    if not task.cancelled():
        task.result()
    return Ended(steps.taken >= at, task.cancelled())


async def by_scope(work: Work, at: int) -> Ended:
    """Cancel a scope on asyncio."""
    with anyio.CancelScope() as scope:
        steps = Steps(at, scope.cancel)
        with _counted_on_asyncio(steps):
            await _stepped(work(), steps)
    return Ended(steps.taken >= at, scope.cancelled_caught)


async def on_trio(work: Work, at: int) -> Ended:
    """Cancel a scope on trio."""
    with anyio.CancelScope() as scope:
        steps = Steps(at, scope.cancel)
        instrument = _Counting(steps)
        trio.lowlevel.add_instrument(instrument)
        try:
            await work()
        finally:
            trio.lowlevel.remove_instrument(instrument)
    return Ended(steps.taken >= at, scope.cancelled_caught)


@contextmanager
def _counted_on_asyncio(steps: Steps) -> Generator[None]:
    loop = asyncio.get_running_loop()

    def task(loop: asyncio.AbstractEventLoop, coroutine: Any, **given: Any) -> asyncio.Task[Any]:
        # The loop itself closes generators that the SDK left open, which is no step of a call.
        if isinstance(coroutine, types.CoroutineType):
            coroutine = _stepped(coroutine, steps)
        return asyncio.Task(coroutine, loop=loop, **given)

    loop.set_task_factory(task)
    try:
        yield
    finally:
        loop.set_task_factory(None)


async def _stepped(coroutine: Coroutine[Any, Any, Any], steps: Steps) -> Any:
    return await _by_hand(coroutine, steps)


@types.coroutine
def _by_hand(coroutine: Coroutine[Any, Any, Any], steps: Steps) -> Generator[Any, Any, Any]:
    """Run *coroutine* from one suspension to the next; each is a step."""
    go_on, value = coroutine.send, None
    while True:
        try:
            waiting = go_on(value)
        except StopIteration as end:
            return end.value
        steps.take()
        try:
            value = yield waiting
            go_on = coroutine.send
        except BaseException as error:
            go_on, value = coroutine.throw, error


class _Counting(trio.abc.Instrument):
    def __init__(self, steps: Steps) -> None:
        self.steps = steps

    def after_task_step(self, task: trio.lowlevel.Task) -> None:
        self.steps.take()


def tasks_alive() -> int:
    """How many tasks there are on this event loop."""
    try:
        return len(asyncio.all_tasks())
    except RuntimeError:
        return trio.lowlevel.current_statistics().tasks_living


class Door(httpx.AsyncBaseTransport):
    """Counts what is sent through it and which responses are open; waits before everything."""

    def __init__(self, inner: httpx.AsyncBaseTransport) -> None:
        self.inner = inner
        self.sent = 0
        self.open: set[object] = set()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.sent += 1
        await checkpoint()
        response = await self.inner.handle_async_request(request)
        # The SDK reads an error's body itself, and leaves it to the transport if that is cut.
        kind = _ClosingItself if response.is_error else _Watched
        stream = kind(response.stream, self.open)
        return httpx.Response(response.status_code, headers=response.headers, stream=stream)


class _Watched(httpx.AsyncByteStream):
    """A response's body; open until it is closed."""

    def __init__(self, pieces: Any, opened: set[object]) -> None:
        self.pieces = pieces
        self.source = aiter(pieces)
        self.opened = opened
        opened.add(self)

    def __aiter__(self) -> _Watched:
        return self

    async def __anext__(self) -> bytes:
        await checkpoint()
        return await anext(self.source)

    async def aclose(self) -> None:
        await self._let_go()
        await checkpoint()
        await self.pieces.aclose()

    async def _let_go(self) -> None:
        self.opened.discard(self)
        if isinstance(self.source, AsyncGenerator):
            await self.source.aclose()


class _ClosingItself(_Watched):
    async def __anext__(self) -> bytes:
        try:
            return await super().__anext__()
        except BaseException:
            await self._let_go()
            raise
