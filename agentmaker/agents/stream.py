"""A run that its reader pulls: awaited for the result alone, iterated for what happens."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator
from contextlib import aclosing
from typing import Any, Self

from agentmaker.agents.events import Event, Finished
from agentmaker.agents.result import RunResult
from agentmaker.errors import SessionError

Begin = Callable[[bool], AsyncGenerator[Event, None]]
"""Begins the run; told whether replies are to be pulled piece by piece."""


class RunStream:
    """A run that begins when it is awaited or first pulled.

    ``await`` gives the `RunResult`; ``async for`` gives every `Event`, a `Finished` last. Whoever
    leaves early closes it, best by ``async with``: the run is stopped then and can be resumed.

    Raises:
        SessionError: it is awaited although it has begun, which would ask a second time.
    """

    def __init__(self, begin: Begin) -> None:
        self._begin = begin
        self._events: Any = None

    def __await__(self) -> Generator[Any, None, RunResult]:
        return self._result().__await__()

    async def _result(self) -> RunResult:
        if self._events is not None:
            raise SessionError("this run has begun: await or iterate a stream once, then resume it")
        self._events = self._begin(False)
        async with aclosing(self._events) as events:
            async for event in events:
                if isinstance(event, Finished):
                    return event.result
        raise AssertionError("a run ends with Finished")

    def __aiter__(self) -> AsyncIterator[Event]:
        return self

    async def __anext__(self) -> Event:
        if self._events is None:
            self._events = self._begin(True)
        event: Event = await self._events.__anext__()
        return event

    async def aclose(self) -> None:
        """End the run where it is, if it is not over."""
        if self._events is not None:
            await self._events.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()
