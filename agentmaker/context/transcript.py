"""Messages as plain text, for a summariser or an extract: no tool messages, no ids."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentmaker.messages import Message, ToolCall, dumps


def entry_of(message: Message) -> str:
    """One message as ``role: text``, its tool calls written out; "" when it says nothing."""
    calls = (_call(call) for call in message.tool_calls)
    said = " ".join(filter(None, (_spoken(message.content), *calls)))
    return f"{_speaker(message)}: {said}" if said else ""


def _speaker(message: Message) -> str:
    return f"{message.role} {message.name}" if message.name else message.role


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
