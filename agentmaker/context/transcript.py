"""Messages as plain text, for a summariser or an extract: no tool messages, no ids."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Reversible
from itertools import tee
from typing import Any, Generic, TypeVar

from agentmaker.messages import Message, ToolCall
from agentmaker.plain import dumps

T = TypeVar("T")


class Entries(Reversible[str], Generic[T]):
    """What *write* makes of *items*, made when it is read, and without what is empty.

    An extract reads the newest of them alone, and more than once: they are written once.
    """

    def __init__(self, items: Reversible[T], write: Callable[[T], str]) -> None:
        self._items = items
        self._write = write
        self._newest: Iterator[str] = filter(None, map(write, reversed(items)))

    def __iter__(self) -> Iterator[str]:
        return filter(None, map(self._write, self._items))

    def __reversed__(self) -> Iterator[str]:
        self._newest, newest = tee(self._newest)
        return newest


def entry_of(message: Message) -> str:
    """One message as ``role: text``, its tool calls written out; "" when it says nothing."""
    said = " ".join(filter(None, (_spoken(message.content), *map(_call, message.tool_calls))))
    speaker = f"{message.role} {message.name}" if message.name else message.role
    return f"{speaker}: {said}" if said else ""


def _call(call: ToolCall) -> str:
    given = call.arguments if isinstance(call.arguments, str) else dumps(call.arguments or {})
    return f"{call.name}({given})"


def _spoken(content: Any) -> str:
    if isinstance(content, (list, tuple)):
        return "\n".join(filter(None, map(_spoken_part, content)))
    return content.strip() if isinstance(content, str) else ""


def _spoken_part(part: Any) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, Mapping):
        return ""
    text = part.get("text") or part.get("refusal")
    return text if isinstance(text, str) else f"[{part.get('type') or 'attachment'}]"
