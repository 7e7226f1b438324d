"""A completion cut into the chunks of a stream."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from agentmaker.testing.completions import Completion

DONE = b"data: [DONE]\n\n"

_MOST_PIECES = 64
_SHORTEST_PIECE = 4


def event(data: Any) -> bytes:
    """One server-sent event; bytes are sent as they are."""
    if isinstance(data, bytes):
        return data
    return b"data: " + json.dumps(data).encode() + b"\n\n"


def chunks(completion: Completion, *, include_usage: bool) -> Iterator[dict[str, Any]]:
    """The chunks of *completion*: its role, its deltas, its finish, and the usage if wanted."""
    head = {key: completion[key] for key in ("id", "created", "model")}
    head |= {"object": "chat.completion.chunk"} | ({"usage": None} if include_usage else {})
    for choice in completion["choices"]:
        for delta in _deltas(choice.get("message") or {}):
            yield head | {"choices": [_choice(choice, delta, None)]}
        yield head | {"choices": [_choice(choice, {}, choice.get("finish_reason"))]}
    if include_usage:
        yield head | {"choices": [], "usage": completion["usage"]}


def carries_text(chunk: Any) -> bool:
    """Whether the chunk brings a piece of the answer: not its role, finish or usage."""
    choices = chunk.get("choices") if isinstance(chunk, dict) else None
    deltas = (choice.get("delta") for choice in choices or ())
    return any(delta and "role" not in delta for delta in deltas)


def _choice(choice: dict[str, Any], delta: dict[str, Any], finish: Any) -> dict[str, Any]:
    return {"index": choice.get("index", 0), "delta": delta, "finish_reason": finish}


def _deltas(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    texts = {key: value for key, value in message.items() if key in _STREAMED and value}
    rest = {key: value for key, value in message.items() if key not in _STREAMED}
    yield {"role": "assistant", "content": "", **{k: v for k, v in rest.items() if v is not None}}
    for key, text in texts.items():
        if key != "tool_calls":
            yield from ({key: piece} for piece in _pieces(text))
    for index, call in enumerate(texts.get("tool_calls", ())):
        yield from ({"tool_calls": [{"index": index, **part}]} for part in _call_parts(call))


def _call_parts(call: dict[str, Any]) -> Iterator[dict[str, Any]]:
    kind, key = ("custom", "input") if call.get("type") == "custom" else ("function", "arguments")
    body = call.get(kind) or {}
    said = body.get(key) or ""
    if not isinstance(said, str):
        yield call  # as the servers do that send an object here
        return
    yield {**call, kind: {**body, key: ""}}
    yield from ({kind: {key: piece}} for piece in _pieces(said))


def _pieces(text: str) -> Iterator[str]:
    size = max(_SHORTEST_PIECE, -(-len(text) // _MOST_PIECES))
    return (text[start : start + size] for start in range(0, len(text), size))


_STREAMED = frozenset({"content", "reasoning_content", "reasoning", "refusal", "tool_calls"})
