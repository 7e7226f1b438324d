"""Mend what a server would refuse, on the way to the wire and never in the caller's list.

Invariants:

1. A healthy conversation comes back unchanged, message by message the same objects.
2. Mending twice is mending once.
3. How a message is mended depends on what comes before it, and for a batch of calls on its
   results, so that a conversation that grows keeps its bytes.
4. Every call is answered right behind it, once, under an id no other call has.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from agentmaker.calls.forms.content import (
    encodable,
    encodable_in,
    is_plain,
    json_object,
    mended,
)
from agentmaker.calls.forms.defects import Defects
from agentmaker.calls.forms.pairing import Batch, Ids, batches
from agentmaker.messages import Message, ToolCall
from agentmaker.prompts import DEFAULT_PROMPTS, PromptRegistry

UNNAMED = "unnamed"
"""The name a call leaves with that came without one."""

_EMPTY = "wire.empty_message"


@dataclass(frozen=True, slots=True, kw_only=True)
class Repaired:
    """The mended conversation.

    Attributes:
        origins: for each message, where in the given ones it came from; for a result that
            stands in for a missing one, where its call did. A range where all are healthy.
        defects: what was mended, in words without content.
        asked: where the question is, as far as that is known.
    """

    messages: tuple[Message, ...]
    origins: Sequence[int]
    defects: tuple[str, ...] = ()
    asked: int | None = field(default=None, compare=False)


def repair(
    messages: Sequence[Message],
    prompts: PromptRegistry = DEFAULT_PROMPTS,
    *,
    used: Container[object] = (),
) -> Repaired:
    """Mend *messages*; *prompts* has the texts for what is missing.

    *used* are ids of calls before them, all answered.
    """
    if _are_healthy(messages, used, prompts):
        return Repaired(messages=tuple(messages), origins=range(len(messages)))
    defects = Defects()
    spoken = list(_spoken(messages, defects, prompts.text(_EMPTY)))
    paired = list(_paired(spoken, Ids(used), defects, prompts.text("wire.missing_result")))
    lines = defects.lines()
    return Repaired(
        messages=tuple(message for _, message in paired),
        origins=tuple(origin for origin, _ in paired) if lines else range(len(paired)),
        defects=lines,
    )


def _are_healthy(
    messages: Sequence[Message], used: Container[object], prompts: PromptRegistry
) -> bool:
    """Whether there is nothing to mend, as in nearly all conversations; it errs by False only."""
    waiting: set[str] = set()
    ids: set[str] = set()
    for message in messages:
        if not (is_plain(message) or mended(message, empty=prompts.text(_EMPTY)) is message):
            return False
        if message.role == "tool":
            if message.tool_call_id not in waiting:
                return False
            waiting.remove(message.tool_call_id)
        elif waiting:
            return False
        for call in message.tool_calls:
            if call.id in ids or call.id in used or not _is_sound(call):
                return False
            ids.add(call.id)
            waiting.add(call.id)
    return not waiting


def _is_sound(call: ToolCall) -> bool:
    """Whether *call* is one of a function, with nothing in it to mend."""
    id, name, arguments, wire = call.id, call.name, call.arguments, call.wire
    return (
        type(id) is type(name) is type(arguments) is str
        and bool(id and name)
        and id.isascii()
        and name.isascii()
        and json_object(arguments) is arguments
        and _says_no_more(wire, "function")
    )


def _says_no_more(wire: Mapping[str, Any], kind: str) -> bool:
    """Whether what a call carries beside its fields is its type."""
    return not wire or (
        wire.get("type") == kind
        and wire.keys() <= _BESIDE[kind]
        and (wire.get(kind) or {}).keys() <= _BODY
    )


_Placed = tuple[int, Message]


def _spoken(messages: Sequence[Message], defects: Defects, empty: str) -> Iterator[_Placed]:
    """The messages that say something, as a server takes them, with their places."""
    for index, message in enumerate(messages):
        kept = mended(message, empty=empty)
        if kept is None:
            defects.add(f"empty {message.role} messages dropped", f"messages[{index}]")
            continue
        if kept is not message:
            defects.add("messages mended", f"messages[{index}]")
        yield index, kept


def _paired(
    spoken: Sequence[_Placed], ids: Ids, defects: Defects, missing: str
) -> Iterator[_Placed]:
    """The messages with every batch of calls followed by its results, and no other results."""
    if not any(message.tool_calls or message.role == "tool" for _, message in spoken):
        yield from spoken
        return
    found = batches([message for _, message in spoken])
    answers = {index for batch in found.values() for index in batch.answers.values()}
    for index, (origin, message) in enumerate(spoken):
        if index in found:
            yield from _batch(spoken, found[index], ids, defects, missing)
        elif message.role != "tool":
            yield origin, message
        elif index not in answers:
            place = message.tool_call_id or f"messages[{origin}]"
            defects.add("results dropped whose call is missing or answered", place)


def _batch(
    spoken: Sequence[_Placed], batch: Batch, ids: Ids, defects: Defects, missing: str
) -> Iterator[_Placed]:
    """An assistant message with calls and a result for each, in the order the results came."""
    origin, message = spoken[batch.index]
    calls = tuple(_mended_call(call, ids, defects) for call in message.tool_calls)
    same = all(new is old for new, old in zip(calls, message.tool_calls, strict=True))
    yield origin, message if same else replace(message, tool_calls=calls)
    if [index for _, index in batch.results] != list(batch.places_behind):
        defects.add("results moved behind their call", f"messages[{origin}]")
    for nth, index in batch.results:
        place, result = spoken[index]
        yield place, _addressed(result, calls[nth].id)
    for nth in batch.unanswered():
        defects.add("results missing, a stand-in was sent", calls[nth].id)
        yield origin, Message(missing, "tool", tool_call_id=calls[nth].id)


def _addressed(result: Message, id: str) -> Message:
    return result if result.tool_call_id == id else replace(result, tool_call_id=id)


def _mended_call(call: ToolCall, ids: Ids, defects: Defects) -> ToolCall:
    kind = "custom" if call.is_custom else "function"
    fields: dict[str, Any] = {
        "id": ids.claim(encodable(str(call.id))),
        "name": encodable(str(call.name or UNNAMED)),
        "arguments": _text(call.arguments) if call.is_custom else json_object(call.arguments),
        "wire": _mended_wire(call.wire, kind),
    }
    changed = {name: new for name, new in fields.items() if new is not getattr(call, name)}
    for name in changed:
        defects.add(f"{_SAID_OF[name]} of calls mended", fields["id"])
    return replace(call, **changed) if changed else call


def _mended_wire(wire: Mapping[str, Any], kind: str) -> Mapping[str, Any]:
    """What a call carries beside its fields, its type said."""
    if _says_no_more(wire, kind):
        return wire
    body = wire.get(kind) or {}
    beside = {key: value for key, value in wire.items() if key not in ("id", kind)}
    within = {key: value for key, value in body.items() if key not in _BODY}
    clean = encodable_in(beside), encodable_in(within)
    same = wire.get("type") == kind and clean[0] is beside and clean[1] is within
    return wire if same else {**clean[0], "type": kind, kind: clean[1]}


_BODY = frozenset({"name", "arguments", "input"})
_BESIDE = {kind: frozenset({"id", "type", kind}) for kind in ("function", "custom")}
_SAID_OF = {"id": "ids", "name": "names", "arguments": "arguments", "wire": "keys"}


def _text(arguments: object) -> str:
    """What a custom tool was given: free text."""
    if isinstance(arguments, str):
        return encodable(arguments)
    return "" if arguments is None else encodable(str(arguments))
