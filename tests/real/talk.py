"""Conversations in short."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Wire = dict[str, Any]


def system(content: Any) -> Wire:
    return {"role": "system", "content": content}


def user(content: Any) -> Wire:
    return {"role": "user", "content": content}


def assistant(content: Any, **more: Any) -> Wire:
    return {"role": "assistant", "content": content, **more}


def talk(turns: int, *, size: int) -> list[Wire]:
    """So many exchanges of two messages with about *size* bytes each."""
    pairs = ((user(_filled(nth, size)), assistant(_filled(nth, size))) for nth in range(turns))
    return [message for pair in pairs for message in pair]


def called(
    *ids: str,
    content: str | None = None,
    arguments: str = '{"id": "W-007", "count": 1}',
    result: str = "on its way",
    **more: Any,
) -> list[Wire]:
    """An assistant's calls, side by side, and their results."""
    calls = [
        {"id": id, "type": "function", "function": {"name": "look", "arguments": arguments}}
        for id in ids
    ]
    results = [{"role": "tool", "tool_call_id": id, "content": result} for id in ids]
    return [assistant(content, tool_calls=calls, **more), *results]


def tool_loop(steps: int, *, size: int, **more: Any) -> list[Wire]:
    """So many calls, one after the other, with results of about *size* bytes."""
    return [message for step in _steps(steps, size, **more) for message in step]


def _steps(steps: int, size: int, **more: Any) -> Iterator[list[Wire]]:
    for nth in range(steps):
        # As long as the ids of most servers.
        yield called(f"call_{nth:024d}", result=_filled(nth, size), **more)


def _filled(nth: int, size: int) -> str:
    return f"{nth}: " + "on its way to W-007, " * (size // 21)
