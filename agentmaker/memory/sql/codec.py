"""What is kept, as JSON text, and back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from typing import Any

from agentmaker.errors import ConfigError
from agentmaker.memory.records import SessionState
from agentmaker.messages import Message, ToolCall
from agentmaker.scope import Scope

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def to_json(value: Any) -> str:
    """*value* as JSON.

    Raises:
        ConfigError: it has something that JSON has no form for.
    """
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise ConfigError(f"only JSON can be kept ({error}): turn it into plain values") from None


def message_to_json(message: Message) -> str:
    return to_json(_message_to_plain(message))


def message_from_json(text: str) -> Message:
    return _message_from_plain(json.loads(text))


def state_to_json(state: SessionState) -> str:
    views = {"full": _views_to_plain(state.full), "window": _views_to_plain(state.window)}
    return to_json({"upto": state.upto, "memo": state.memo, **views})


def state_from_json(text: str, version: int) -> SessionState:
    kept = json.loads(text)
    return SessionState(
        version=version,
        upto=kept["upto"],
        full=_views_from_plain(kept["full"]),
        window=_views_from_plain(kept["window"]),
        memo=kept["memo"],
    )


def scope_to_json(scope: Scope) -> str:
    """All five parts, so that no two scopes have the same text."""
    return to_json([getattr(scope, field.name) for field in fields(scope)])


def scope_from_json(text: str) -> Scope:
    return Scope(*json.loads(text))


def to_microseconds(when: datetime) -> int:
    return (when.astimezone(UTC) - _EPOCH) // _MICROSECOND


def from_microseconds(number: int) -> datetime:
    return _EPOCH + number * _MICROSECOND


def now() -> int:
    return to_microseconds(datetime.now(UTC))


def _views_to_plain(view: Sequence[Message] | None) -> list[dict[str, Any]] | None:
    return None if view is None else [_message_to_plain(message) for message in view]


def _views_from_plain(view: list[dict[str, Any]] | None) -> tuple[Message, ...] | None:
    return None if view is None else tuple(map(_message_from_plain, view))


def _message_to_plain(message: Message) -> dict[str, Any]:
    wire = message.wire
    # Only a message that was read gives the same object twice: it comes back as it was read.
    body = {"wire": wire} if message.wire is wire else {"made": _made_to_plain(message)}
    metadata = {key: value for key, value in message.metadata.items() if _is_json(value)}
    at = message.timestamp.isoformat()
    return {**body, "at": at, **({"metadata": metadata} if metadata else {})}


def _made_to_plain(message: Message) -> dict[str, Any]:
    made = {
        "content": message.content,
        "role": message.role,
        "tool_call_id": message.tool_call_id,
        "name": message.name,
        "extra": message.extra,
        "tool_calls": [_call_to_plain(call) for call in message.tool_calls],
    }
    return {key: value for key, value in made.items() if value or key == "content"}


def _call_to_plain(call: ToolCall) -> dict[str, Any]:
    return {"id": call.id, "name": call.name, "arguments": call.arguments, "wire": call.wire}


def _message_from_plain(kept: Mapping[str, Any]) -> Message:
    message = Message.from_wire(kept["wire"]) if "wire" in kept else _made(**kept["made"])
    object.__setattr__(message, "timestamp", datetime.fromisoformat(kept["at"]))
    object.__setattr__(message, "metadata", kept.get("metadata", {}))
    return message


def _made(*, tool_calls: Sequence[Mapping[str, Any]] = (), **made: Any) -> Message:
    return Message(tool_calls=tuple(ToolCall(**call) for call in tool_calls), **made)


def _is_json(value: Any) -> bool:
    try:
        to_json(value)
    except ConfigError:
        return False
    return True
