"""What the tests of one request share: messages in short, and calls by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agentmaker.calls.call import Call, Reply
from agentmaker.calls.ledger import Ledger, Row
from agentmaker.calls.setting import Setting
from agentmaker.calls.window import Window
from agentmaker.messages import read_messages

Wire = dict[str, Any]


def user(content: Any = "q") -> Wire:
    return {"role": "user", "content": content}


def assistant(content: Any = "a") -> Wire:
    return {"role": "assistant", "content": content}


def system(content: Any = "s") -> Wire:
    return {"role": "system", "content": content}


def calls(*ids: Any, arguments: Any = "{}") -> Wire:
    made = [
        {"id": id, "type": "function", "function": {"name": "f", "arguments": arguments}}
        for id in ids
    ]
    return {"role": "assistant", "content": None, "tool_calls": made}


def result(id: Any, content: Any = "ok") -> Wire:
    return {"role": "tool", "tool_call_id": id, "content": content}


def retired_call(name: str = "f", arguments: Any = "{}") -> Wire:
    call = {"name": name, "arguments": arguments}
    return {"role": "assistant", "content": None, "function_call": call}


def retired_result(name: str = "f", content: Any = "ok") -> Wire:
    return {"role": "function", "name": name, "content": content}


def roles(messages: Sequence[Wire]) -> list[str]:
    return [each["role"] for each in messages]


def window_of(*messages: Wire, **given: Any) -> Window:
    return Window.from_messages(read_messages(messages), **given)


def call_of(*messages: Wire, window: int = 8_000, **given: Any) -> Call:
    setting = given.pop("setting", None) or Setting(window=window)
    return Call(window=window_of(*messages), setting=setting, **given)


def ledger_of(window: int, estimate: int) -> Ledger:
    return Ledger(window=window, rows=(Row(name="free", used=window),), estimate=estimate)


def settled(content: str | None = "ok", **given: Any) -> Reply:
    reply = Reply(content=content, **given)
    reply.settle()
    return reply


class Server:
    """The end of a line: answers each call with the next of *answers*, or raises it."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.calls: list[Call] = []

    async def __call__(self, call: Call) -> Reply:
        self.calls.append(call)
        answer = self.answers.pop(0) if self.answers else settled()
        if isinstance(answer, BaseException):
            raise answer
        return answer(call) if callable(answer) else answer
