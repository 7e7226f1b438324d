"""What the tests of the steps share: a call by hand, the line of steps, a summariser."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from agentmaker.calls.call import Call, Reply
from agentmaker.calls.setting import Setting
from agentmaker.calls.window import Window
from agentmaker.clients.engine import STEPS
from agentmaker.messages import read_messages

Ask = Callable[[Call], Awaitable[Reply]]


def call_of(messages: list[dict[str, Any]], setting: Setting, **given: Any) -> Call:
    tools = given.pop("tools", ())
    return Call(
        window=Window.from_messages(read_messages(messages), tools=tools), setting=setting, **given
    )


async def nobody(call: Call) -> Reply:
    raise AssertionError("nobody was to be asked")


async def prepared(call: Call, ask: Ask = nobody) -> Call:
    for step in STEPS:
        call = await step(call, ask)
    return call


class Summariser:
    """Answers every summary call with *text* and remembers what it was asked."""

    def __init__(self, text: Any, finish_reason: str | None = "stop") -> None:
        self.text = text
        self.finish_reason = finish_reason
        self.asked: list[Call] = []

    async def __call__(self, call: Call) -> Reply:
        self.asked.append(call)
        if isinstance(self.text, Exception):
            raise self.text
        reply = Reply(content=self.text, finish_reason=self.finish_reason)
        reply.settle()
        return reply
