"""What an item of a script stands for: a completion, as the chat API answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentmaker.calls.call import Reply, Usage
from agentmaker.calls.sdk.reading import words_in
from agentmaker.messages import ToolCall
from agentmaker.plain import dumps

Completion = dict[str, Any]


def completion_of(item: object) -> Completion:
    """Read text, a message, a whole completion, a `Reply` or an SDK object.

    Raises:
        TypeError: *item* is none of these.
    """
    if isinstance(item, str):
        return _from_message({"content": item})
    if isinstance(item, Reply):
        return _from_reply(item)
    wire = _as_dict(item)
    if "choices" in wire or "error" in wire:
        return wire
    if {"role", "content", "tool_calls"} & wire.keys():
        return _from_message(wire)
    raise TypeError(
        "a scripted dictionary must be a message (content, tool_calls) or a whole completion "
        f"(choices), not one with the keys {', '.join(map(repr, wire))}"
    )


def is_completion(item: object) -> bool:
    """Whether *item* is one answer by itself, though some of these can be iterated."""
    return isinstance(item, (str, Mapping, Reply)) or hasattr(item, "model_dump")


def reply_of(completion: Completion) -> Reply:
    """The completion as a settled `Reply`."""
    choice = completion["choices"][0]
    message = choice["message"]
    reply = Reply(
        content=words_in(message.get("content")),
        tool_calls=tuple(map(ToolCall.from_wire, message.get("tool_calls") or ())),
        finish_reason=choice.get("finish_reason"),
        usage=Usage.from_wire(completion.get("usage")),
        model=completion.get("model") or "",
        reasoning=message.get("reasoning_content") or message.get("reasoning") or "",
        refusal=message.get("refusal") or "",
        raw=completion,
    )
    reply.settle()
    return reply


def tool_call(name: str, args: Mapping[str, Any] | str, *, call_id: str = "call_1") -> Completion:
    """A completion that calls one tool; *args* given as text is sent as it is, valid or not."""
    arguments = args if isinstance(args, str) else dumps(args)
    function = {"name": name, "arguments": arguments}
    return _from_message(
        {"tool_calls": [{"id": call_id, "type": "function", "function": function}]}
    )


def _from_message(message: Mapping[str, Any]) -> Completion:
    filled = {"role": "assistant", "content": None, **message}
    reason = "tool_calls" if filled.get("tool_calls") else "stop"
    return {"choices": [{"index": 0, "message": filled, "finish_reason": reason}]}


def _from_reply(reply: Reply) -> Completion:
    message: dict[str, Any] = {"content": reply.content}
    if reply.tool_calls:
        message["tool_calls"] = [call.to_wire() for call in reply.tool_calls]
    if reply.reasoning:
        message["reasoning_content"] = reply.reasoning
    if reply.refusal:
        message["refusal"] = reply.refusal
    completion = _from_message(message)
    if reply.finish_reason:
        completion["choices"][0]["finish_reason"] = reply.finish_reason
    if reply.usage:
        completion["usage"] = _usage(reply.usage)
    return {**completion, "model": reply.model} if reply.model else completion


def _usage(usage: Usage) -> dict[str, Any]:
    return {
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "total_tokens": usage.total_tokens,
        "prompt_tokens_details": {"cached_tokens": usage.cached_tokens},
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning_tokens},
    }


def _as_dict(item: object) -> dict[str, Any]:
    if isinstance(item, Mapping):
        return dict(item)
    dump = getattr(item, "model_dump", None)
    if callable(dump):
        return dict(dump(exclude_unset=True, mode="json"))
    raise TypeError(
        "a script holds text, messages, whole completions, replies, exceptions and functions, "
        f"not {type(item).__name__}"
    )
