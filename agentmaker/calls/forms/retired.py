"""Calls and results of the retired kind, ``function_call`` and the role ``function``, as today's.

No template that counts turns knows them. They come without ids: these are their numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from agentmaker.calls.memory.beginnings import Beginnings, begin_with
from agentmaker.calls.memory.by_message import ByMessage
from agentmaker.calls.window import Window
from agentmaker.messages import Message, ToolCall

MOST = 1_000
"""So many conversations are known to have none of them."""


@dataclass(frozen=True, slots=True, eq=False)
class _Without:
    """Messages that have none of them."""

    messages: tuple[Message, ...]


class Retired:
    """Says such messages as those of today; the same message becomes the same object."""

    def __init__(self) -> None:
        self._known: ByMessage[Message] = ByMessage(_said)
        self._without: Beginnings[_Without] = Beginnings(MOST)

    def window(self, window: Window) -> Window:
        """*window* without any; itself where it has none."""
        old, since = window.history, window.trajectory
        if self._has_none(window.conversation):
            return window
        today = tuple(self._of_today((*old, *since.messages)))
        return replace(
            window,
            history=today[: len(old)],
            trajectory=replace(since, messages=today[len(old) :]),
        )

    def _has_none(self, messages: tuple[Message, ...]) -> bool:
        """Whether none of *messages* is retired; those that are known are not looked at."""

        def mark(count: int) -> int:
            return id(messages[count - 1])

        known = self._without.longest(
            len(messages), mark, lambda each: begin_with(messages, each.messages)
        )
        if any(map(_is_retired, messages[len(known.messages) if known else 0 :])):
            return False
        self._without.put(_Without(messages), len(messages), mark, known)
        return True

    def _of_today(self, messages: Sequence[Message]) -> Iterator[Message]:
        number, waits = 0, ""
        for message in messages:
            if _is_call(message):
                number += 1
                waits = f"function_{number}"
            yield self._known.of(message, waits) if _is_retired(message) else message
            if message.role == "function":
                waits = ""


def _is_retired(message: Message) -> bool:
    return message.role == "function" or _is_call(message)


def _is_call(message: Message) -> bool:
    said = message.extra.get("function_call")
    return message.role == "assistant" and isinstance(said, Mapping) and not message.tool_calls


def _said(message: Message, call_id: str) -> Message:
    """The call or result with that id; a result that no call waits for has none."""
    if message.role == "function":
        return replace(message, role="tool", tool_call_id=call_id)
    said = message.extra["function_call"]
    call = ToolCall(id=call_id, name=said.get("name") or "", arguments=said.get("arguments"))
    extra = {key: value for key, value in message.extra.items() if key != "function_call"}
    return replace(message, tool_calls=(call,), extra=extra)
