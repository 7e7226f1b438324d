"""Ids of calls for servers that want them short."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

from agentmaker.digests import hashed
from agentmaker.messages import Message, ToolCall

SHORT = 9
"""Letters and digits of a short id."""

_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def short_ids(message: Message) -> dict[str, Any]:
    """The fields of *message* that hold ids, with short ones; the same objects where they are."""
    calls, answered = message.tool_calls, message.tool_call_id
    short = tuple(map(_with_short_id, calls))
    same = all(new is old for new, old in zip(short, calls, strict=True))
    return {
        "tool_calls": calls if same else short,
        "tool_call_id": answered and short_id(answered),
    }


@lru_cache(maxsize=4_096)
def short_id(id: str) -> str:
    """*id* itself where it is nine letters and digits, else nine made of it, always the same."""
    if len(id) == SHORT and id.isascii() and id.isalnum():
        return id
    number = int.from_bytes(hashed(id))
    return "".join(_ALPHABET[number // 62**place % 62] for place in range(SHORT))


def _with_short_id(call: ToolCall) -> ToolCall:
    short = short_id(call.id)
    return call if short == call.id else replace(call, id=short)
