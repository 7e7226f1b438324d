"""The door to openai through a client that blocks: each request waits in a thread of ours."""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import partial
from typing import Any

from agentmaker.calls.call import Call, Reply
from agentmaker.calls.sdk.adopted import adopted_blocking_stream
from agentmaker.calls.sdk.blocking_streams import blocking_stream
from agentmaker.calls.sdk.settling import Settling
from agentmaker.calls.transport import Transport
from agentmaker.context.threads import DaemonThreads

THREADS = DaemonThreads(limit=256)
"""A request given up goes on until the server answers or the client's timeout has passed."""


class BlockingTransport(Transport):
    """Send a fitted call through an ``OpenAI`` client; cancelled, it returns at once."""

    async def asked(self, call: Call) -> Any:
        return await THREADS.run(partial(self.ask, self.target, call, None))

    async def opened(self, call: Call, reply: Reply) -> Any:
        return await THREADS.run(partial(self._begun, call, reply))

    def _begun(self, call: Call, reply: Reply) -> Any:
        stream = adopted_blocking_stream(self.ask(self.target, call, blocking_stream()))
        if isinstance(stream, Settling):
            stream.begin(reply)
        return stream

    async def pulled(self, stream: Any) -> AsyncIterator[Any]:
        end = object()
        while (chunk := await THREADS.run(partial(next, stream, end))) is not end:
            yield chunk

    async def closed(self, stream: Any) -> None:
        await THREADS.run(stream.close)
