"""A stream of the SDK's own type that completes a reply while its reader pulls."""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any, TypeVar

from agentmaker.calls.call import Reply
from agentmaker.calls.reading import Gathering, says_something

Chunk = TypeVar("Chunk")


@functools.cache
def settling_stream() -> Any:
    """The class, made when openai is first needed."""
    from openai import AsyncStream

    class SettlingStream(AsyncStream[Chunk]):
        """Reads ahead to the first piece of the answer, then hands on every chunk as it came.

        Its reply settles once: at the end, at an error, or when the reader closes it.
        """

        def __init__(self, **given: Any) -> None:
            super().__init__(**given)
            self._gathering = Gathering(Reply())
            self._ahead: deque[Any] = deque()

        async def begin(self, reply: Reply) -> None:
            """Read to the first chunk that says something: until then an error can be retried."""
            self._gathering = Gathering(reply)
            with suppress(StopAsyncIteration):
                while not (self._ahead and says_something(self._ahead[-1])):
                    self._ahead.append(await self._pull())

        async def __anext__(self) -> Any:
            return self._ahead.popleft() if self._ahead else await self._pull()

        async def __aiter__(self) -> AsyncIterator[Any]:
            with suppress(StopAsyncIteration):
                while True:
                    yield await self.__anext__()

        async def close(self) -> None:
            self._ahead.clear()
            try:
                await super().close()
            finally:
                self._gathering.reply.settle()

        aclose = close

        def __del__(self) -> None:
            # Left by its reader without being closed: its record is written all the same.
            with suppress(AttributeError):
                self._gathering.reply.settle()

        async def _pull(self) -> Any:
            try:
                chunk = await super().__anext__()
            except StopAsyncIteration:
                self._gathering.reply.settle()
                raise
            except BaseException as error:
                # The SDK has given the connection back by now.
                self._gathering.reply.settle(error)
                raise
            self._gathering.add(chunk)
            return chunk

    return SettlingStream
