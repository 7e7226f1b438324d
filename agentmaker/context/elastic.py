"""How far a message can shrink and still be a valid message: its elastic parts and their cuts.

Results and texts keep head and tail around a marker; arguments of answered calls stay a JSON
object with its long strings cut.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from agentmaker.context.clip import cut_middle, fits
from agentmaker.context.measure import message_tokens
from agentmaker.context.sizes import Kind, Unit
from agentmaker.messages import Message, ToolCall
from agentmaker.plain import dumps
from agentmaker.tokens import TokenCounter

_Cut = Callable[[str], str]
Marker = Callable[[int], str]
"""The text that stands where so many tokens were left out."""


def unit_sizes(
    messages: Sequence[Message], spans: Iterable[range], counter: TokenCounter
) -> list[Unit]:
    """The sizes of the units of *messages* that are at *spans*."""
    return [_size(messages[span.start : span.stop], counter) for span in spans]


def _size(members: Sequence[Message], counter: TokenCounter) -> Unit:
    total = 0
    elastic: list[int] = []
    for member in members:
        total += message_tokens(member, counter)
        elastic += map(counter, elastic_texts(member))
    return Unit(
        rigid=max(0, total - sum(elastic)),
        elastic=tuple(elastic),
        kind=_kind(members[0]),
    )


def _kind(head: Message) -> Kind:
    if head.tool_calls:
        return "work"
    return _KINDS.get(head.role, "other")


_KINDS: dict[str, Kind] = {"user": "question", "assistant": "answer"}


def elastic_texts(message: Message) -> Iterable[str]:
    """What can be cut in *message*: its texts, and the arguments of its calls."""
    content = message.content
    texts = [content] if isinstance(content, str) else _texts(content)
    for call in message.tool_calls:
        if isinstance(call.arguments, str):
            texts.append(call.arguments)
    return filter(None, texts)


def _texts(content: Any) -> list[str]:
    if isinstance(content, (list, tuple)):
        return [part["text"] for part in content if _is_text(part)]
    return []


def _is_text(part: Any) -> bool:
    return isinstance(part, dict) and isinstance(part.get("text"), str)


def shorten(message: Message, cap: int, counter: TokenCounter, marker: Marker) -> Message:
    """*message* with each elastic part cut to *cap* tokens; itself when nothing is longer."""

    def cut(text: str) -> str:
        over = counter(text) - cap
        return text if over <= 0 else cut_middle(text, cap, counter, marker(over))

    content = _cut_content(message.content, cut)
    calls = tuple(_cut_call(call, cap, counter) for call in message.tool_calls)
    if content == message.content and calls == message.tool_calls:
        return message
    return replace(message, content=content, tool_calls=calls)


def _cut_content(content: Any, cut: _Cut) -> Any:
    if isinstance(content, str):
        return cut(content)
    if isinstance(content, (list, tuple)):
        return [{**part, "text": cut(part["text"])} if _is_text(part) else part for part in content]
    return content


def _cut_call(call: ToolCall, cap: int, counter: TokenCounter) -> ToolCall:
    if not isinstance(call.arguments, str) or counter(call.arguments) <= cap:
        return call
    if call.is_custom:
        return replace(call, arguments=cut_middle(call.arguments, cap, counter, "…"))
    return replace(call, arguments=_cut_arguments(call.arguments, cap, counter))


def _cut_arguments(arguments: str, cap: int, counter: TokenCounter) -> str:
    with suppress(ValueError, RecursionError):
        value, longest = json.loads(arguments), len(arguments)
        while longest >= 8:
            longest //= 2
            shorter = dumps(_with_strings_cut(value, longest))
            if fits(shorter, cap, counter):
                return shorter
    return "{}"


def _with_strings_cut(value: Any, longest: int) -> Any:
    if isinstance(value, str):
        half = longest // 2
        return value if len(value) <= longest else f"{value[:half]}…{value[-half:]}"
    if isinstance(value, dict):
        return {key: _with_strings_cut(item, longest) for key, item in value.items()}
    if isinstance(value, list):
        return [_with_strings_cut(item, longest) for item in value]
    return value
