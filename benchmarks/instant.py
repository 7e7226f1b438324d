"""A server that costs next to nothing: in process, and every answer is ready before it is asked."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import anyio
import httpx
from openai import AsyncOpenAI

SAID = "It is on its way."
FAILING, HANGING = "failing", "hanging"
"""Models whose requests are refused, and never answered."""


class Instant(httpx.AsyncBaseTransport):
    """Answers every request alike, once *together* of them are there.

    Where one is never answered, *on_hanging* is called first.
    """

    def __init__(self) -> None:
        self.together = 1
        self.on_hanging: Callable[[], object] = bool
        self._waiting: list[anyio.Event] = []

    def client(self) -> AsyncOpenAI:
        """The SDK's client of this server."""
        http = httpx.AsyncClient(transport=self)
        url = "http://instant.invalid/v1"
        return AsyncOpenAI(base_url=url, api_key="any", max_retries=0, http_client=http)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        head = request.content[:100]
        if HANGING.encode() in head:
            self.on_hanging()
            await anyio.sleep_forever()
        await self._arrive()
        if FAILING.encode() in head:
            return httpx.Response(503, content=_REFUSAL)
        if b'"stream":true' in request.content:
            return httpx.Response(200, headers=_EVENTS, content=CHUNKS)
        return httpx.Response(200, content=COMPLETION)

    async def _arrive(self) -> None:
        here = anyio.Event()
        self._waiting.append(here)
        if len(self._waiting) < self.together:
            await here.wait()
            return
        for each in self._waiting:
            each.set()
        self._waiting.clear()


def _choice(name: str, said: Any, finish_reason: str | None) -> dict[str, Any]:
    return {"index": 0, name: said, "finish_reason": finish_reason}


def _completion(kind: str, *choices: dict[str, Any]) -> bytes:
    body = {"id": "c", "object": kind, "created": 0, "model": "m", "choices": choices}
    return json.dumps(body).encode()


_MESSAGE = {"role": "assistant", "content": SAID}
_EVENTS = {"content-type": "text/event-stream"}
_REFUSAL = json.dumps({"error": {"message": "busy"}}).encode()
COMPLETION = _completion("chat.completion", _choice("message", _MESSAGE, "stop"))
CHUNKS = b"".join(
    b"data: %b\n\n" % each
    for each in (
        *(
            _completion("chat.completion.chunk", _choice("delta", {"content": f"{word} "}, None))
            for word in SAID.split()
        ),
        _completion("chat.completion.chunk", _choice("delta", {}, "stop")),
        b"[DONE]",
    )
)
