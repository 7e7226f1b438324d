"""What the SDK's objects say, read into a reply. Servers leave out or add what they like."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

from agentmaker.calls.call import Reply, Usage
from agentmaker.calls.sdk.raw import choice_of, fields, get, items, objects, reasoning, text
from agentmaker.messages import ToolCall, text_of


def reply_from_completion(raw: Any) -> Reply:
    """Read a ``ChatCompletion``; one without choices makes an empty reply."""
    reply = Reply(model=text(raw, "model"), usage=Usage.from_wire(get(raw, "usage")), raw=raw)
    choice = choice_of(raw)
    message = get(choice, "message")
    reply.content = words_in(get(message, "content"))
    reply.refusal = text(message, "refusal")
    reply.tool_calls = (*map(ToolCall.from_wire, objects(message, "tool_calls")),)
    reply.finish_reason = text(choice, "finish_reason") or None
    reply.reasoning = reasoning(message)
    return reply


def words_in(content: Any) -> str | None:
    """What is said in *content*, in parts or not; None where nothing is."""
    return content if isinstance(content, str) else text_of(content) or None


def body_in(raw: Any) -> Any:
    """What a raw response of the SDK's holds, as far as it was read; *raw* where it is none."""
    if isinstance(raw, dict) or hasattr(raw, "choices"):
        return raw
    with suppress(AttributeError, RuntimeError, TypeError, ValueError):
        # Not its parse(), which is the caller's and may raise what the caller is to see.
        return json.loads(raw.http_response.content)
    return raw


def says_something(chunk: Any) -> bool:
    """Whether the chunk carries a piece of an answer, or the finish of one."""
    finishes = any(get(each, "finish_reason") for each in items(chunk, "choices"))
    return finishes or adds_something(chunk)


def adds_something(chunk: Any) -> bool:
    """Whether the chunk carries a piece of an answer."""
    return any(_adds(get(each, "delta")) for each in items(chunk, "choices"))


def text_in(chunk: Any) -> str:
    """The text that the chunk adds."""
    return text_of(get(get(choice_of(chunk), "delta"), "content"), between="")


def _adds(delta: Any) -> bool:
    said = fields(delta)
    return any(said[key] for key in said if key != "role")
