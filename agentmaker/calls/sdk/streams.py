"""A stream of the SDK's own type that completes a reply while its reader pulls."""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any, TypeVar

import anyio

from agentmaker.calls.call import Reply
from agentmaker.calls.sdk.settling import Settling
from agentmaker.calls.sdk.unstreamed import chunk_of, is_json, is_whole

Chunk = TypeVar("Chunk")


@functools.cache
def settling_stream() -> Any:
    """The class, made when openai is first needed."""
    from openai import AsyncStream

    class SettlingStream(AsyncStream[Chunk], Settling):
        """The SDK's own stream, settling its reply."""

        def __init__(self, **given: Any) -> None:
            super().__init__(**given)
            self._listen(Reply())
            self._is_whole = is_whole(self.response)
            self._settle_with(self.response, "aclose")

        async def begin(self, reply: Reply) -> None:
            """Read to the first chunk that says something: until then an error can be retried."""
            listening = self._listen(reply)
            with suppress(StopAsyncIteration):
                while not listening.has_begun:
                    listening.ahead.append(await self._pull())

        async def __anext__(self) -> Any:
            ahead = self._listening.ahead
            return ahead.popleft() if ahead else await self._pull()

        async def __aiter__(self) -> AsyncIterator[Any]:
            with suppress(StopAsyncIteration):
                while True:
                    yield await self.__anext__()

        async def close(self) -> None:
            self._listening.ahead.clear()
            try:
                await self._hang_up()
            finally:
                self._listening.reply.settle()

        aclose = close

        async def _hang_up(self) -> None:
            await super().close()

        async def _pull(self) -> Any:
            listening = self._listening
            try:
                while not listening.hear(chunk := await self._read(), self.response):
                    pass
            except StopAsyncIteration:
                listening.reply.settle()
                raise
            except BaseException as error:
                failure = self._broken_by(error, self.response)
                with anyio.CancelScope(shield=True):
                    await self._hang_up()
                if failure is error:
                    raise
                raise failure from error
            return chunk

        async def _read(self) -> Any:
            with self._reading():
                return await self._next()

        async def _next(self) -> Any:
            if self._is_whole:
                self._is_whole = False
                if is_json(body := await self.response.aread()):
                    return chunk_of(body)
            return await super().__anext__()

    return SettlingStream
