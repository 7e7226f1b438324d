"""How many tokens a message, a list of messages or the tools take as they are sent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agentmaker.messages import Message, ToolCall
from agentmaker.plain import dumps
from agentmaker.tokens import MediaTokens, TokenCounter, media_of

FRAMING = 4
"""Tokens a chat template spends around each message."""

REPLY_PRIMING = 3
"""Tokens a chat template spends once, to open the reply."""

CALL_FRAMING = 8

_LONG = 1_024
_BASE64 = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=-_\r\n"


def message_tokens(message: Message, counter: TokenCounter) -> int:
    """Tokens of one message as sent. Never raises, whatever odd part it holds."""
    tokens = FRAMING + _content_tokens(message.content, counter)
    if message.name is not None:
        tokens += _extra_tokens(message.name, counter)
    for call in message.tool_calls:
        tokens += _call_tokens(call, counter)
    for value in message.extra.values():
        tokens += _extra_tokens(value, counter)
    return tokens


def messages_tokens(messages: Iterable[Message], counter: TokenCounter) -> int:
    """Tokens of *messages*, without `REPLY_PRIMING`."""
    return sum([message_tokens(message, counter) for message in messages])


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
    try:
        return _inner_tokens(part, counter)
    except RecursionError:  # nested too deep to be sent
        return media_of(counter).file


def _inner_tokens(part: Any, counter: TokenCounter) -> int:
    if isinstance(part, str):
        return counter(part)
    if isinstance(part, (list, tuple)):
        return sum(_inner_tokens(each, counter) for each in part)
    if not isinstance(part, Mapping):
        return _json_tokens(part, counter)
    if tokens := _media_tokens(part, media_of(counter)):
        return tokens
    text = part.get("text", part.get("refusal"))
    if isinstance(text, str):
        return counter(text)
    inner = part.get("content")
    if not isinstance(inner, (list, tuple)):
        return _json_tokens(part, counter)
    around = {key: value for key, value in part.items() if key != "content"}
    return _json_tokens(around, counter) + _inner_tokens(inner, counter)


def _media_tokens(part: Mapping[str, Any], media: MediaTokens) -> int:
    """What *part* costs where it is no text, else 0."""
    kind = str(part.get("type", ""))
    image = part.get("image_url")
    if "image" in kind or image is not None:
        detail = image.get("detail") if isinstance(image, Mapping) else part.get("detail")
        return media.low_detail_image if detail == "low" else media.image
    if "audio" in kind:
        return media.audio
    return media.file if "file" in kind or kind in ("document", "video_url") else 0


def _call_tokens(call: ToolCall, counter: TokenCounter) -> int:
    arguments = "{}" if call.arguments is None else call.arguments
    return CALL_FRAMING + _text_tokens(call.name, counter) + _text_tokens(arguments, counter)


def _extra_tokens(value: Any, counter: TokenCounter) -> int:
    empty = value is None or (isinstance(value, (str, list, tuple, Mapping)) and not value)
    return 0 if empty else _text_tokens(value, counter)


def _text_tokens(value: Any, counter: TokenCounter) -> int:
    return counter(value) if isinstance(value, str) else _json_tokens(value, counter)


def _json_tokens(value: Any, counter: TokenCounter) -> int:
    """Tokens of *value* as JSON, each blob in it at the constant of its kind."""
    media, blobs = media_of(counter), _Blobs()
    try:
        text = dumps(blobs.taken_from(value, media))
    except Exception:  # any object may stand here; what is no JSON is not sent as it is
        return media.file
    return counter(text) + blobs.tokens


@dataclass(slots=True)
class _Blobs:
    """The long data found in a value."""

    tokens: int = 0

    def taken_from(self, value: Any, media: MediaTokens) -> Any:
        """*value* with "" in the place of each blob."""
        if isinstance(value, str) and (tokens := _blob_tokens(value, media)):
            self.tokens += tokens
            return ""
        if isinstance(value, Mapping):
            return {key: self.taken_from(item, media) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.taken_from(item, media) for item in value]
        return value


def _blob_tokens(text: str, media: MediaTokens) -> int:
    if len(text) < _LONG:
        return 0
    if text.startswith("data:"):
        kinds = {"data:image": media.image, "data:audio": media.audio}
        return kinds.get(text[:10], media.file)
    return media.file if _is_base64(text) else 0


def _is_base64(text: str) -> bool:
    return text.isascii() and not text.encode().translate(None, _BASE64)
