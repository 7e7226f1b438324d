"""How many tokens a message, a list of messages or the tools take as they are sent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from agentmaker.messages import Message, ToolCall, dumps
from agentmaker.tokens import TokenCounter

FRAMING = 4
"""Tokens a chat template spends around each message."""

REPLY_PRIMING = 3
"""Tokens a chat template spends once, to open the reply."""

CALL_FRAMING = 8
IMAGE_TOKENS = 1_105
"""An image at high detail, by OpenAI's tile rule for 1,024 x 1,024 and above."""

LOW_DETAIL_IMAGE_TOKENS = 85
AUDIO_TOKENS = 1_000
FILE_TOKENS = 1_500

_LONG = 1_024
_BASE64 = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=-_\r\n")


def message_tokens(message: Message, counter: TokenCounter) -> int:
    """Tokens of one message as sent. Never raises, whatever odd part it holds."""
    return (
        FRAMING
        + _content_tokens(message.content, counter)
        + _extra_tokens(message.name, counter)
        + sum(_call_tokens(call, counter) for call in message.tool_calls)
        + sum(_extra_tokens(value, counter) for value in message.extra.values())
    )


def messages_tokens(messages: Iterable[Message], counter: TokenCounter) -> int:
    """Tokens of *messages*, without `REPLY_PRIMING`."""
    return sum(message_tokens(message, counter) for message in messages)


def tools_tokens(tools: Sequence[Any] | None, counter: TokenCounter) -> int:
    """Tokens of the tool schemas: the JSON that is sent."""
    return counter(dumps(list(tools))) if tools else 0


def _content_tokens(content: Any, counter: TokenCounter) -> int:
    if content is None:
        return 0
    if isinstance(content, str):
        return counter(content)
    if isinstance(content, (list, tuple)):
        return sum(_part_tokens(part, counter) for part in content)
    return _part_tokens(content, counter)


def _part_tokens(part: Any, counter: TokenCounter) -> int:
    if isinstance(part, str):
        return counter(part)
    if not isinstance(part, Mapping):
        return _json_tokens(part, counter)
    kind = str(part.get("type", ""))
    if "image" in kind or "image_url" in part:
        return _image_tokens(part)
    if "audio" in kind:
        return AUDIO_TOKENS
    if "file" in kind or kind == "document":
        return FILE_TOKENS
    text = part.get("text", part.get("refusal"))
    return counter(text) if isinstance(text, str) else _json_tokens(part, counter)


def _image_tokens(part: Mapping[str, Any]) -> int:
    image = part.get("image_url")
    detail = image.get("detail") if isinstance(image, Mapping) else part.get("detail")
    return LOW_DETAIL_IMAGE_TOKENS if detail == "low" else IMAGE_TOKENS


def _call_tokens(call: ToolCall, counter: TokenCounter) -> int:
    return CALL_FRAMING + _text_tokens(call.name, counter) + _arguments_tokens(call, counter)


def _arguments_tokens(call: ToolCall, counter: TokenCounter) -> int:
    if call.arguments is None:
        return counter("{}")
    return _text_tokens(call.arguments, counter)


def _extra_tokens(value: Any, counter: TokenCounter) -> int:
    empty = value is None or (isinstance(value, (str, list, tuple, Mapping)) and not value)
    return 0 if empty else _text_tokens(value, counter)


def _text_tokens(value: Any, counter: TokenCounter) -> int:
    return counter(value) if isinstance(value, str) else _json_tokens(value, counter)


def _json_tokens(value: Any, counter: TokenCounter) -> int:
    """Tokens of *value* as JSON, each blob in it at the constant of its kind."""
    blobs: list[int] = []
    try:
        text = dumps(_without_blobs(value, blobs))
    except Exception:  # any object may stand here; what is no JSON is not sent as it is
        return FILE_TOKENS
    return counter(text) + sum(blobs)


def _without_blobs(value: Any, blobs: list[int]) -> Any:
    if isinstance(value, str) and (size := _blob_tokens(value)):
        blobs.append(size)
        return ""
    if isinstance(value, Mapping):
        return {key: _without_blobs(item, blobs) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_without_blobs(item, blobs) for item in value]
    return value


def _blob_tokens(text: str) -> int:
    if len(text) < _LONG:
        return 0
    if text.startswith("data:"):
        return IMAGE_TOKENS if text.startswith("data:image/") else FILE_TOKENS
    return FILE_TOKENS if _BASE64.issuperset(text) else 0
