"""A stream of the SDK's own type that completes a reply while its reader pulls."""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import AsyncIterator
from typing import Any, TypeVar

from agentmaker.calls.call import Reply, Usage
from agentmaker.messages import ToolCall


Chunk = TypeVar("Chunk")


@functools.cache
def settling_stream() -> Any:
    """The class, made when openai is first needed."""
    from openai import AsyncStream

    class SettlingStream(AsyncStream[Chunk]):
        """Reads ahead to the first content, then hands on every chunk as it came."""

        _reply: Reply
        _ahead: deque[Any]

        async def open(self, reply: Reply) -> None:
            """Read until the first chunk that says something, so that an error can be retried."""
            self._reply, self._ahead = reply, deque()
            try:
                while True:
                    chunk = await super().__anext__()
                    self._ahead.append(chunk)
                    add(reply, chunk)
                    if says_something(chunk):
                        return
            except StopAsyncIteration:
                return
            except BaseException as error:
                await self._fail(error)
                raise

        async def __anext__(self) -> Any:
            if self._ahead:
                return self._ahead.popleft()
            try:
                chunk = await super().__anext__()
            except StopAsyncIteration:
                self._reply.settle()
                raise
            except BaseException as error:
                await self._fail(error)
                raise
            add(self._reply, chunk)
            return chunk

        async def __aiter__(self) -> AsyncIterator[Any]:
            try:
                while True:
                    yield await self.__anext__()
            except StopAsyncIteration:
                return

        async def close(self) -> None:
            try:
                await super().close()
            finally:
                self._reply.settle()

        async def _fail(self, error: BaseException) -> None:
            self._reply.error = error
            await self.close()

    return SettlingStream


def says_something(chunk: Any) -> bool:
    """Whether the chunk carries content, a tool call, a refusal or the finish."""
    for choice in getattr(chunk, "choices", None) or ():
        delta = choice.delta
        if choice.finish_reason or (delta and (delta.content or delta.tool_calls or delta.refusal)):
            return True
    return False


def add(reply: Reply, chunk: Any) -> None:
    """Add one chunk to the reply it belongs to."""
    reply.model = getattr(chunk, "model", None) or reply.model
    reply.usage = Usage.from_wire(getattr(chunk, "usage", None)) or reply.usage
    for choice in (getattr(chunk, "choices", None) or ())[:1]:
        reply.finish_reason = choice.finish_reason or reply.finish_reason
        if choice.delta is not None:
            _add_delta(reply, choice.delta)


def _add_delta(reply: Reply, delta: Any) -> None:
    if delta.content:
        reply.content = (reply.content or "") + delta.content
    extra = delta.model_extra or {}
    reply.reasoning += extra.get("reasoning_content") or extra.get("reasoning") or ""
    for call in delta.tool_calls or ():
        _add_call(reply, call)


def _add_call(reply: Reply, piece: Any) -> None:
    calls = list(reply.tool_calls)
    index = piece.index if piece.index is not None else max(0, len(calls) - (not piece.id))
    while len(calls) <= index:
        calls.append(ToolCall(id="", name="", arguments=""))
    old, function = calls[index], piece.function
    calls[index] = ToolCall(
        id=old.id or piece.id or "",
        name=old.name + ((function and function.name) or ""),
        arguments=old.arguments + ((function and function.arguments) or ""),
    )
    reply.tool_calls = tuple(calls)
