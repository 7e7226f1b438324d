"""The application's own way to make a session shorter: analysis, and handlers by strategy."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from copy import deepcopy
from typing import Any, TypeVar

from anyio import to_thread

from agentmaker.context.measure import messages_tokens
from agentmaker.context.threads import is_async
from agentmaker.errors import ConfigError
from agentmaker.memory.reading import Reading
from agentmaker.memory.records import SessionState
from agentmaker.messages import Message
from agentmaker.tokens import TokenCounter

T = TypeVar("T")

Messages = tuple[Message, ...]

Resized = tuple[Sequence[Any] | None, Sequence[Any] | None, Any]
"""New full conversation, new window, new memo; None keeps what there is."""

Resize = Callable[[Messages, Messages, Any], Resized | Awaitable[Resized]]
"""``(full, window, memo) -> (full, window, memo)``."""

Analyse = Callable[[Messages, Messages, Any], str | Awaitable[str | None] | None]
"""``(full, window, memo) -> name of a strategy``, None for nothing to do."""


class Resizing:
    """Chooses a handler and runs it. Sync ones run in a thread.

    Without *analyse* the one handler runs where the window is over *max_length* tokens, and
    always where there is no such length.

    Raises:
        ConfigError: the handlers cannot be chosen from, or are no functions.
    """

    def __init__(
        self,
        handlers: Resize | Mapping[str, Resize],
        analyse: Analyse | None,
        max_length: int | None,
        counter: TokenCounter,
    ) -> None:
        self._handlers = _checked(handlers, analyse)
        self._analyse = analyse
        self._max_length = max_length
        self._counter = counter

    async def __call__(self, reading: Reading) -> SessionState | None:
        """The state to go on with, None to leave it."""
        handler = await self._chosen(reading)
        if handler is None:
            return None
        full, window, memo = await called(handler, *_given(reading))
        state = reading.changed(full, window, memo)
        return None if state is reading.state else state

    async def _chosen(self, reading: Reading) -> Resize | None:
        if self._analyse is None:
            return self._named("") if self._is_over(reading.window) else None
        strategy = await called(self._analyse, *_given(reading))
        return None if strategy is None else self._named(strategy)

    def _named(self, strategy: str) -> Resize:
        return self._handlers[strategy] if isinstance(self._handlers, Mapping) else self._handlers

    def _is_over(self, window: Messages) -> bool:
        most = self._max_length
        return most is None or messages_tokens(window, self._counter) > most


def _given(reading: Reading) -> tuple[Messages, Messages, Any]:
    # A copy of the memo: what a handler does to it before it fails must not last.
    return reading.full, reading.window, deepcopy(reading.state.memo)


def _checked(
    handlers: Resize | Mapping[str, Resize], analyse: Analyse | None
) -> Resize | Mapping[str, Resize]:
    by_name = isinstance(handlers, Mapping)
    if by_name and analyse is None:
        raise ConfigError("resize has handlers by name: say which by analyse=")
    for each in handlers.values() if isinstance(handlers, Mapping) else (handlers,):
        if not callable(each):
            raise ConfigError(f"a resize handler is a function, not {type(each).__name__}")
    if analyse is not None and not callable(analyse):
        raise ConfigError(f"analyse is a function, not {type(analyse).__name__}")
    return dict(handlers) if isinstance(handlers, Mapping) else handlers


async def called(function: Callable[..., T | Awaitable[T]], *args: Any) -> T:
    """What *function* returns, awaited where it is async, out of the loop's way where not."""
    if is_async(function):
        result = function(*args)
    else:
        # In a list: trio takes a coroutine that leaves a thread for a mistake.
        (result,) = await to_thread.run_sync(lambda: [function(*args)], abandon_on_cancel=True)
    return await result if inspect.isawaitable(result) else result
