"""What the tests of the clients share: conversations, and a wrapped client of a server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import agentmaker
from agentmaker.testing import MemorySink, ModelServer

QUESTION = [{"role": "user", "content": "How are you?"}]
TOOL = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def assistant(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def step(nth: int, result: str = "seen", arguments: str = "{}") -> list[dict[str, Any]]:
    """One tool call and its result."""
    function = {"name": "look", "arguments": arguments}
    call = {"id": f"c{nth}", "type": "function", "function": function}
    return [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"c{nth}", "content": result},
    ]


def talk(turns: int, words: int = 100) -> list[dict[str, Any]]:
    """So many exchanges, about so many tokens each."""
    half = "word " * (words // 2)
    pairs = ((user(f"{nth} {half}"), assistant(f"{nth} {half}")) for nth in range(turns))
    return [message for pair in pairs for message in pair]


class Asked:
    """A server, a client of it, and what was recorded."""

    def __init__(self, replies: Any = "Fine.", *, server: Mapping[str, Any] = {}, **wrapped: Any):
        self.sink = MemorySink()
        self.server = ModelServer(replies, **{"window": 8_000, **server})
        self.plain = self.server.client(max_retries=0)
        given = {"window": 8_000, "sinks": [self.sink], **wrapped}
        self.client: Any = agentmaker.wrap(self.plain, **given)

    async def __call__(self, messages: Any = QUESTION, **params: Any) -> Any:
        arguments = {"model": "m", "messages": messages, **params}
        return await self.client.chat.completions.create(**arguments)

    @property
    def sent(self) -> list[list[Any]]:
        """The messages of every request, oldest first."""
        return [received.messages for received in self.server.requests]

    @property
    def bodies(self) -> list[Mapping[str, Any]]:
        return [received.body for received in self.server.requests]


def text_of(message: Mapping[str, Any]) -> str:
    """The readable text of a message as sent."""
    content = message.get("content") or ""
    return content if isinstance(content, str) else "\n".join(each["text"] for each in content)
