"""Tasks that end together, and what one of them raises as it was raised."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from math import inf
from types import TracebackType
from typing import Self, TypeVarTuple

import anyio
from anyio.lowlevel import checkpoint_if_cancelled

Args = TypeVarTuple("Args")


class Together:
    """A task group whose first fault ends the other tasks, and comes out in no exception group.

    Cancellation passes through, and a task that answers it with an error of its own does not
    hide it. One that nobody asked for is a fault as any other.
    """

    def __init__(self) -> None:
        self._group = anyio.create_task_group()
        self._faults: list[BaseException] = []

    async def __aenter__(self) -> Self:
        await self._group.__aenter__()
        return self

    def start_soon(
        self,
        function: Callable[[*Args], Awaitable[None]],
        *args: *Args,
        name: str | None = None,
    ) -> None:
        self._group.start_soon(self._run, function, args, name=name)

    async def _run(self, function: Callable[[*Args], Awaitable[None]], args: tuple[*Args]) -> None:
        try:
            await function(*args)
        except BaseException as fault:
            if is_cancellation(fault):
                raise
            self._faults.append(fault)
            self._group.cancel_scope.cancel()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool | None:
        swallows = await self._group.__aexit__(kind, error, traceback)
        if error is None or swallows:
            await checkpoint_if_cancelled()
            for fault in self._faults:
                raise fault
        return swallows


def is_cancellation(fault: BaseException) -> bool:
    """Whether somebody asked for it: code may raise the same by itself."""
    if not isinstance(fault, anyio.get_cancelled_exc_class()):
        return False
    return anyio.current_effective_deadline() == -inf or _is_cancelled_by_asyncio(fault)


def _is_cancelled_by_asyncio(fault: BaseException) -> bool:
    """Whether this task was cancelled past anyio, by `Task.cancel` or `asyncio.timeout`."""
    import asyncio  # noqa: TID251 - anyio does not tell

    task = asyncio.current_task() if isinstance(fault, asyncio.CancelledError) else None
    return task is not None and task.cancelling() > 0
