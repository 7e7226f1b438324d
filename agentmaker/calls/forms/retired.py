"""Calls and results of the retired kind, ``function_call`` and the role ``function``, as today's.

No template that counts turns knows them. They come without ids: these are their numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from agentmaker.calls.memory.remembered import Remembered
from agentmaker.calls.window import Window
from agentmaker.messages import Message, ToolCall

MOST = 1_000
"""So many messages of that kind are remembered."""


class Retired:
    """Says such messages as those of today; the same message becomes the same object."""

    def __init__(self) -> None:
        self._known: Remembered[tuple[int, str], tuple[Message, Message]] = Remembered(MOST)

    def window(self, window: Window) -> Window:
        """*window* without any; itself where it has none."""
        old, since = window.history, window.trajectory
        given = (*old, *since.messages)
        if not any(map(_is_retired, given)):
            return window
        today = tuple(self._of_today(given))
        return replace(
            window,
            history=today[: len(old)],
            trajectory=replace(since, messages=today[len(old) :]),
        )

    def _of_today(self, messages: Sequence[Message]) -> Iterator[Message]:
        number, waits = 0, ""
        for message in messages:
            if _is_call(message):
                number += 1
                waits = f"function_{number}"
            yield self._remembered(message, waits) if _is_retired(message) else message
            if message.role == "function":
                waits = ""

    def _remembered(self, message: Message, call_id: str) -> Message:
        key = id(message), call_id
        known = self._known.get(key)
        if known is None or known[0] is not message:
            known = message, _said(message, call_id)
            self._known.put(key, known)
        return known[1]


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
