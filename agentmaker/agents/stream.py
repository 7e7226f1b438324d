"""A run that its reader pulls: awaited for the result alone, iterated for what happens."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator
from contextlib import aclosing
from typing import Any, Self

from agentmaker.agents.events import Event, Finished
from agentmaker.agents.result import RunResult
from agentmaker.errors import SessionError

Play = Callable[[bool], AsyncGenerator[Event, None]]
"""Plays the run; told whether replies are to be pulled piece by piece."""


class RunStream:
    """A run that begins when it is awaited or first pulled, and runs once.

    ``async for`` gives every `Event`, a `Finished` last; ``await`` gives the `RunResult`, once
    what is left is over, and a `SessionError` where the run was left or failed before. Whoever
    leaves early closes it, best by ``async with``: the run is stopped then and can be resumed.
    """

    def __init__(self, play: Play) -> None:
        self._play = play
        self._events: AsyncGenerator[Event, None] | None = None
        self._result: RunResult | None = None

    def __await__(self) -> Generator[Any, None, RunResult]:
        return self._awaited().__await__()

    async def _awaited(self) -> RunResult:
        if self._result is None:
            async with aclosing(self._begun(streams=False)):
                async for _ in self:
                    pass
        if self._result is None:
            raise SessionError("this run was left or failed before its end: resume it")
        return self._result

    def _begun(self, *, streams: bool) -> AsyncGenerator[Event, None]:
        """The events, begun where nobody did."""
        self._check_free()
        if self._events is None:
            self._events = self._play(streams)
        return self._events

    def _check_free(self) -> None:
        if getattr(self._events, "ag_running", False):
            raise SessionError(
                "another task is at work with this run: leave it to that one, or cancel that"
            )

    def __aiter__(self) -> AsyncIterator[Event]:
        return self

    async def __anext__(self) -> Event:
        event = await anext(self._begun(streams=True))
        if isinstance(event, Finished):
            self._result = event.result
        return event

    async def aclose(self) -> None:
        """End the run where it is, if it is not over.

        Raises:
            SessionError: another task is at work with it.
        """
        self._check_free()
        if self._events is not None:
            await self._events.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()
