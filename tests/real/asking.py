"""A wrapped client of a real server, with what left and what came back."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import openai

import agentmaker
from agentmaker.calls.call import Call, Reply
from agentmaker.calls.middleware import Next
from agentmaker.testing import MemorySink
from tests.real.llama import Llama

TOOL = {
    "type": "function",
    "function": {
        "name": "look",
        "description": "Look up an order — by its id.",
        "parameters": {
            "type": "object",
            "properties": {
                "id": {"type": "string", "enum": ["W-007"]},
                "count": {"type": "integer"},
            },
            "required": ["id", "count"],
        },
    },
}


@dataclass(kw_only=True)
class Asked:
    """A wrapped client.

    Attributes:
        sent: the body of every request, oldest first.
        statuses: of every answer, oldest first.
    """

    client: Any
    sink: MemorySink
    sent: list[dict[str, Any]] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)

    async def __call__(self, messages: Any, **params: Any) -> Any:
        given = {"model": "fine", "temperature": 0, "max_tokens": 64, **params}
        return await self.client.chat.completions.create(messages=messages, **given)


@asynccontextmanager
async def asking(llama: Llama, **wrapped: Any) -> AsyncIterator[Asked]:
    """A client that counts as the server does, wrapped for the server's own window."""
    sink = MemorySink()
    asked = Asked(client=None, sink=sink)

    async def note_request(request: Any) -> None:
        asked.sent.append(json.loads(request.content))

    async def note_response(response: Any) -> None:
        asked.statuses.append(response.status_code)

    hooks = {"request": [note_request], "response": [note_response]}
    # Loopback needs no certificates, and reading them takes longer than a call.
    http = openai.DefaultAsyncHttpxClient(event_hooks=hooks, verify=False)
    given = {"window": llama.window, "middleware": [counted_in_bytes], "sinks": [sink], **wrapped}
    async with llama.client(http_client=http) as plain:
        asked.client = agentmaker.wrap(plain, **given)
        yield asked


class Bytes:
    """The vocabulary of the test's model."""

    name, exact = "bytes", True

    def __call__(self, text: str) -> int:
        return len(text.encode())


BYTES = Bytes()


async def counted_in_bytes(call: Call, next: Next, /) -> Reply:
    return await next(replace(call, setting=replace(call.setting, counter=BYTES)))
