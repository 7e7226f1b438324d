"""The same stream for a reader that blocks."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, TypeVar

from agentmaker.calls.call import Reply
from agentmaker.calls.sdk.settling import Settling
from agentmaker.calls.sdk.unstreamed import chunk_of, is_json, is_whole

Chunk = TypeVar("Chunk")


@functools.cache
def blocking_stream() -> Any:
    """The class, made when openai is first needed."""
    from openai import Stream

    class BlockingStream(Stream[Chunk], Settling):
        """The SDK's own stream, settling its reply."""

        def __init__(self, **given: Any) -> None:
            super().__init__(**given)
            self._listen(Reply())
            self._is_whole = is_whole(self.response)
            self._settle_with(self.response, "close")

        def begin(self, reply: Reply) -> None:
            """Read to the first chunk that says something: until then an error can be retried."""
            listening = self._listen(reply)
            with suppress(StopIteration):
                while not listening.has_begun:
                    listening.ahead.append(self._pull())

        def __next__(self) -> Any:
            ahead = self._listening.ahead
            return ahead.popleft() if ahead else self._pull()

        def __iter__(self) -> Iterator[Any]:
            with suppress(StopIteration):
                while True:
                    yield self.__next__()

        def close(self) -> None:
            self._listening.ahead.clear()
            try:
                self._hang_up()
            finally:
                self._listening.reply.settle()

        def _hang_up(self) -> None:
            super().close()

        def _pull(self) -> Any:
            listening = self._listening
            try:
                while not listening.hear(chunk := self._read(), self.response):
                    pass
            except StopIteration:
                listening.reply.settle()
                raise
            except BaseException as error:
                failure = self._broken_by(error, self.response)
                self._hang_up()
                if failure is error:
                    raise
                raise failure from error
            return chunk

        def _read(self) -> Any:
            with self._reading():
                return self._next()

        def _next(self) -> Any:
            if self._is_whole:
                self._is_whole = False
                if is_json(body := self.response.read()):
                    return chunk_of(body)
            return super().__next__()

    return BlockingStream
