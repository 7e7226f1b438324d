"""Servers that were asked for a stream and answered in one piece."""

from __future__ import annotations

import json
from typing import Any

from agentmaker.calls.sdk.raw import get, items


def is_whole(response: Any) -> bool:
    """Whether *response* says that it is one JSON document and no stream of events."""
    media = str(response.headers.get("content-type", "")).partition(";")[0].strip().lower()
    return media == "application/json" or media.endswith("+json")


def is_json(body: bytes) -> bool:
    """Whether *body* is what its label says; some servers label a stream of events so."""
    return body.lstrip()[:1] in (b"{", b"[")


def chunk_of(body: bytes) -> Any:
    """The answer as one chunk; what is no answer as it came.

    Raises:
        json.JSONDecodeError: it is not JSON.
    """
    from openai.types.chat import ChatCompletionChunk

    whole = json.loads(body)
    choices = [_streamed(each) for each in items(whole, "choices") if isinstance(each, dict)]
    if not choices:
        return whole
    return ChatCompletionChunk.construct(
        **{**whole, "object": "chat.completion.chunk", "choices": choices}
    )


def _streamed(choice: dict[str, Any]) -> dict[str, Any]:
    said = {name: value for name, value in choice.items() if name != "message"}
    return {"index": 0, **said, "delta": get(choice, "message")}
