"""Mend what a server would refuse, on the way to the wire and never in the caller's list.

A healthy conversation comes back unchanged, and mending twice is mending once. Pairing is
positional: a result answers the nearest earlier call with its id that is still open, the first
result wins, and ids used again are renamed in order of appearance, so that the same
conversation always gives the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from agentmaker.messages import Message, ToolCall, dumps, text_of

EMPTY = "(empty message)"
_SPOKEN = ("refusal", "audio", "function_call")


@dataclass(frozen=True, slots=True, kw_only=True)
class Repaired:
    """The mended conversation and, in words without content, what was mended."""

    messages: tuple[Message, ...]
    defects: tuple[str, ...] = ()


def repair(messages: Sequence[Message], *, missing: str) -> Repaired:
    """Mend *messages*; *missing* is the text that stands in for a result that never came."""
    defects: list[str] = []
    spoken = _spoken(messages, defects)
    answers = _answers(spoken)
    ids = _Ids()
    mended: list[Message] = []
    for index, message in enumerate(spoken):
        if message.tool_calls:
            mended.extend(_batch(message, answers.get(index, {}), ids, missing, defects))
        elif message.role != "tool":
            mended.append(message)
    placed = sum(len(found) for found in answers.values())
    lost = sum(message.role == "tool" for message in spoken) - placed
    if lost:
        defects.append(f"{lost} tool results dropped: their call is missing or answered")
    return Repaired(messages=tuple(mended), defects=tuple(defects))


@dataclass(slots=True)
class _Ids:
    """Ids in use so far; hands out a free one for an id that is empty or taken."""

    used: set[str] = field(default_factory=set)

    def claim(self, wanted: str) -> str:
        base, free, count = wanted or "call", wanted or "call_1", 1
        while free in self.used:
            count += 1
            free = f"{base}_{count}"
        self.used.add(free)
        return free


def _answers(messages: Sequence[Message]) -> dict[int, dict[int, Message]]:
    """For each assistant message with calls: which result answers its n-th call."""
    found: dict[int, dict[int, Message]] = {}
    open_calls: dict[str, list[tuple[int, int]]] = {}
    latest = -1
    for index, message in enumerate(messages):
        if message.tool_calls:
            latest = index
            found[index] = {}
            for id in {call.id for call in message.tool_calls}:
                open_calls[id] = [
                    (index, nth) for nth, call in enumerate(message.tool_calls) if call.id == id
                ]
        elif message.role == "tool":
            waiting = open_calls.get(message.tool_call_id or "")
            if not message.tool_call_id and not waiting and latest >= 0:
                waiting = _unanswered(messages[latest], latest, found[latest])
            if waiting:
                batch, nth = waiting.pop(0)
                found[batch][nth] = message
    return found


def _unanswered(
    message: Message, index: int, answered: Mapping[int, Message]
) -> list[tuple[int, int]]:
    return [(index, nth) for nth in range(len(message.tool_calls)) if nth not in answered]


def _batch(
    message: Message,
    answers: Mapping[int, Message],
    ids: _Ids,
    missing: str,
    defects: list[str],
) -> list[Message]:
    """An assistant message with calls, and a result for each, in the order they came."""
    calls = tuple(_mended_call(call, ids, defects) for call in message.tool_calls)
    if calls != message.tool_calls:
        message = replace(message, tool_calls=calls)
    results = [_addressed(result, calls[nth].id) for nth, result in answers.items()]
    for nth, call in enumerate(calls):
        if nth not in answers:
            defects.append(f"call {call.id}: no result, a stand-in was sent")
            results.append(Message(missing, "tool", tool_call_id=call.id))
    return [message, *results]


def _addressed(result: Message, id: str) -> Message:
    return result if result.tool_call_id == id else replace(result, tool_call_id=id)


def _mended_call(call: ToolCall, ids: _Ids, defects: list[str]) -> ToolCall:
    id = ids.claim(call.id)
    arguments = call.arguments if call.is_custom else _json_object(call.arguments)
    if id == call.id and arguments == call.arguments:
        return call
    defects.append(f"call {id}: {'arguments' if id == call.id else 'id'} mended")
    return replace(call, id=id, arguments=arguments)


def _json_object(arguments: Any) -> str:
    """Arguments as the text of a JSON object, kept to the letter where they are one."""
    if arguments is None or arguments == "":
        return "{}"
    if isinstance(arguments, str):
        try:
            value = json.loads(arguments)
        except ValueError:
            return dumps({"arguments": encodable(arguments)})
        if isinstance(value, dict):
            return encodable(arguments)
        arguments = value
    return encodable(dumps(arguments if isinstance(arguments, Mapping) else {"value": arguments}))


def _spoken(messages: Sequence[Message], defects: list[str]) -> list[Message]:
    """The messages that say something, each with content a server accepts."""
    # Whoever asks with an empty message still asks.
    last_user = max((i for i, m in enumerate(messages) if m.role == "user"), default=0)
    kept: list[Message] = []
    for index, message in enumerate(messages):
        content = _mended_content(message)
        if _is_silent(message, content):
            if index != last_user:
                defects.append(f"messages[{index}]: empty {message.role} message dropped")
                continue
            content = EMPTY
        if content != message.content:
            defects.append(f"messages[{index}]: content mended")
            message = replace(message, content=content)
        kept.append(message)
    return kept


def _is_silent(message: Message, content: Any) -> bool:
    if message.tool_calls or message.role in ("tool", "function"):
        return False
    if any(message.extra.get(key) for key in _SPOKEN):
        return False
    return not content


def _mended_content(message: Message) -> Any:
    content = message.content
    if isinstance(content, (list, tuple)):
        content = _mended_parts(content) or None
    if content is None:
        return "" if message.role in ("tool", "function") else None
    if isinstance(content, (list, tuple)):
        return content
    text = encodable(content if isinstance(content, str) else dumps(content))
    if message.role in ("tool", "function") or text.strip():
        return text
    return None


def _mended_parts(parts: Sequence[Any]) -> list[Any] | tuple[Any, ...]:
    mended = [part for part in map(_mended_part, parts) if part is not None]
    return parts if mended == list(parts) else mended  # type: ignore[return-value]


def _mended_part(part: Any) -> Any:
    """A content part a server accepts; None for one that says nothing."""
    if isinstance(part, Mapping):
        text = part.get("text")
        if "type" in part and not isinstance(text, str):
            return part
        if isinstance(text, str):
            return _text_part(part, text)
        return {"type": "text", "text": encodable(dumps(part))}
    text = part if isinstance(part, str) else "" if part is None else dumps(part)
    return _text_part({}, text)


def _text_part(part: Mapping[str, Any], text: str) -> Any:
    if not text.strip():
        return None
    clean = encodable(text)
    if clean is text and "type" in part:
        return part
    return {"type": "text", **part, "text": clean}


def encodable(text: str) -> str:
    """*text* itself if UTF-8 can carry it, else with surrogate pairs joined and strays replaced."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def has_text(message: Message) -> bool:
    """Whether the message carries readable text."""
    return bool(text_of(message.content).strip())
