"""A transport for ``httpx.AsyncClient`` that hands each request to a `ModelServer` in process.

Streams are pulled piece by piece, which ``httpx.ASGITransport`` does not do, and the
client's read timeout holds.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable
from typing import TypeVar

import anyio
import httpx

from agentmaker.testing.endpoint import Endpoint
from agentmaker.testing.http import ConnectionBroken, Request

T = TypeVar("T")


class DirectTransport(httpx.AsyncBaseTransport):
    """Answers from *endpoint*, without sockets, tasks or threads."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        timeout = request.extensions.get("timeout", {}).get("read")
        received = Request(
            method=request.method,
            path=request.url.path,
            headers={key.lower(): value for key, value in request.headers.items()},
            content=await request.aread(),
        )
        answer = await _within(timeout, self.endpoint.answer(received))
        headers = dict(answer.headers)
        if isinstance(answer.content, bytes):
            return httpx.Response(answer.status, headers=headers, content=answer.content)
        stream = _Pulled(answer.content, timeout)
        return httpx.Response(answer.status, headers=headers, stream=stream)


class _Pulled(httpx.AsyncByteStream):
    def __init__(self, pieces: AsyncIterator[bytes], timeout: float | None) -> None:
        self.pieces = pieces
        self.timeout = timeout

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        try:
            return await _within(self.timeout, anext(self.pieces))
        except ConnectionBroken:
            raise httpx.RemoteProtocolError("the server broke the connection") from None

    async def aclose(self) -> None:
        if isinstance(self.pieces, AsyncGenerator):
            await self.pieces.aclose()


async def _within(seconds: float | None, awaitable: Awaitable[T]) -> T:
    try:
        with anyio.fail_after(seconds):
            return await awaitable
    except TimeoutError:
        raise httpx.ReadTimeout("the server did not answer in time") from None
