"""Streams that something else has made its own, such as a tracer, read so that replies settle.

They are the SDK's streams to whoever asks; all but reading is left to the stream within.
"""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator, Iterator
from inspect import isawaitable
from typing import Any

from agentmaker.calls.call import Reply
from agentmaker.calls.sdk.blocking_streams import blocking_stream
from agentmaker.calls.sdk.listening import Listening
from agentmaker.calls.sdk.settling import Settling
from agentmaker.calls.sdk.streams import settling_stream


def adopted_stream(raw: Any) -> Any:
    """*raw* as a stream that settles its reply; what is no stream to be awaited as it is."""
    return _adopting()(raw) if _is_foreign(raw, AsyncIterator) else raw


def adopted_blocking_stream(raw: Any) -> Any:
    """*raw* as a stream that settles its reply; what is no stream that blocks as it is."""
    return _adopting_blocking()(raw) if _is_foreign(raw, Iterator) else raw


def _is_foreign(raw: Any, kind: type) -> bool:
    # Mocks can do everything, and mean nothing by it.
    mocked = type(raw).__module__ == "unittest.mock"
    return isinstance(raw, kind) and not isinstance(raw, Settling) and not mocked


class Overhearing(Listening):
    """Hears the SDK's chunks; others pass as they are, and the first of them begins the answer."""

    _understood = True

    def hear(self, chunk: Any, response: Any) -> bool:
        self._understood = hasattr(chunk, "model_dump")
        return super().hear(chunk, response) if self._understood else True

    @property
    def has_begun(self) -> bool:
        return super().has_begun or (bool(self.ahead) and not self._understood)


class Adopted(Settling):
    """What is *within* has the chunks, and whatever else is asked of the stream."""

    listens = Overhearing

    def __init__(self, within: Any) -> None:
        self._within = self._iterator = within
        self.response = getattr(within, "response", None)
        self._is_whole = False
        self._listen(Reply())
        close = "aclose" if isinstance(self, AsyncIterator) else "close"
        if callable(getattr(self.response, close, None)):
            self._settle_with(self.response, close)

    @property
    def is_silent(self) -> bool:
        """Whether it ended without a word; what no server sent may say nothing."""
        return self.response is not None and super().is_silent

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "_within":
            raise AttributeError(name)
        return getattr(self._within, name)


@functools.cache
def _adopting() -> Any:
    class AdoptedStream(Adopted, settling_stream()):  # type: ignore[misc]
        """An ``AsyncStream`` around another's."""

        async def _hang_up(self) -> None:
            await _done(_leave(self._within, "__aexit__", "aclose", "close"))
            # Some leave the connection open.
            await _done(_leave(self.response, "aclose"))

    return AdoptedStream


@functools.cache
def _adopting_blocking() -> Any:
    class AdoptedBlockingStream(Adopted, blocking_stream()):  # type: ignore[misc]
        """A ``Stream`` around another's."""

        def _hang_up(self) -> None:
            _leave(self._within, "__exit__", "close")
            _leave(self.response, "close")

    return AdoptedBlockingStream


def _leave(what: Any, *ways: str) -> Any:
    """Leave by the first of *ways* that *what* has."""
    for name in ways:
        if callable(leave := getattr(what, name, None)):
            return leave(None, None, None) if name.endswith("exit__") else leave()
    return None


async def _done(left: Any) -> None:
    if isawaitable(left):
        await left
