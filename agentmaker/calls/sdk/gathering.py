"""Adds up the chunks of a stream, and numbers the pieces of calls that servers number badly."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import replace
from typing import Any

from agentmaker.calls.call import Reply, Usage
from agentmaker.calls.sdk.raw import fields, get, items, objects, reasoning, text
from agentmaker.messages import ToolCall, text_of
from agentmaker.plain import dumps


class Gathering:
    """Adds up the chunks of one stream; the reply is its first choice."""

    def __init__(self, reply: Reply) -> None:
        self.reply = reply
        self._calls: defaultdict[Any, Calls] = defaultdict(Calls)

    def add(self, chunk: Any) -> None:
        """Add *chunk*; pieces of calls in it are numbered where their own index is of no use."""
        reply = self.reply
        reply.model = text(chunk, "model") or reply.model
        reply.usage = Usage.from_wire(get(chunk, "usage")) or reply.usage
        for choice in items(chunk, "choices"):
            number, delta = _index(choice) or 0, get(choice, "delta")
            for piece in objects(delta, "tool_calls"):
                self._calls[number].add(piece)
            if number == 0:
                self._add(choice, delta)

    def _add(self, choice: Any, delta: Any) -> None:
        reply = self.reply
        reply.finish_reason = text(choice, "finish_reason") or reply.finish_reason
        if said := text_of(get(delta, "content"), between=""):
            reply.content = (reply.content or "") + said
        reply.refusal += text(delta, "refusal")
        reply.reasoning += reasoning(delta)
        reply.tool_calls = tuple(self._calls[0].calls)


class Calls:
    """The calls of one choice, put together from their pieces."""

    def __init__(self) -> None:
        self.calls: list[ToolCall] = []
        self._came_as: list[int | None] = []
        self._numbers: list[int] = []

    def add(self, raw: Any) -> None:
        """Add a piece; one whose index is missing or another call's is given the right one."""
        piece, index = _piece(raw), _index(raw)
        at = self._place(piece, index)
        if at is None:
            at = len(self.calls)
            self.calls.append(piece)
            self._came_as.append(index)
            self._numbers.append(self._number(index))
        else:
            self.calls[at] = _joined(self.calls[at], piece)
        _renumber(raw, self._numbers[at])
        _say_kind(raw, self.calls[at])

    def _place(self, piece: ToolCall, index: int | None) -> int | None:
        """Where the call is that a piece goes on with; None when it begins one."""
        places = range(len(self.calls) - 1, -1, -1)
        at = next((at for at in places if index is None or self._came_as[at] == index), None)
        if at is None or _begins(piece, self.calls[at], numbered=index is not None):
            return None
        return at

    def _number(self, index: int | None) -> int:
        """*index* itself unless another call has it, then the next one."""
        free = index is not None and index not in self._numbers
        return index if free and index is not None else max(self._numbers, default=-1) + 1


def _begins(piece: ToolCall, call: ToolCall, *, numbered: bool) -> bool:
    """Whether *piece* begins a call though nothing but its index, if any, says it is not *call*.

    Some servers give every call the same index, and some give every piece a new id, or its name.
    """
    if piece.id and call.id and piece.id != call.id:
        ended = not call.arguments or _is_whole(call.arguments)
        return (bool(piece.name) and ended) or not numbered
    anew = not numbered and not piece.id and bool(piece.name and piece.arguments)
    return anew and _is_whole(call.arguments)


def _is_whole(arguments: str) -> bool:
    try:
        json.loads(arguments)
    except (ValueError, RecursionError):
        return False
    return True


def _joined(call: ToolCall, piece: ToolCall) -> ToolCall:
    # Some servers say the whole name again with every piece.
    more = "" if piece.name == call.name else piece.name
    return replace(
        call,
        id=call.id or piece.id,
        name=call.name + more,
        arguments=call.arguments + piece.arguments,
        wire={**piece.wire, **call.wire},
    )


def _piece(raw: Any) -> ToolCall:
    """A piece of a call; what it does not say is empty text."""
    said = fields(raw).items()
    known = {key: value for key, value in said if value is not None and key != "index"}
    kind = "custom" if "custom" in known else "function"
    given = get(known.get(kind), "input" if kind == "custom" else "arguments")
    return ToolCall(
        id=text(raw, "id"),
        name=text(known.get(kind), "name"),
        arguments=given if isinstance(given, str) else "" if given is None else dumps(given),
        wire={**known, "type": kind, kind: {}},
    )


def _index(raw: Any) -> int | None:
    index = get(raw, "index")
    return index if isinstance(index, int) else None


def _renumber(raw: Any, index: int) -> None:
    if isinstance(raw, dict):
        return
    if raw.index != index:
        raw.index = index


def _say_kind(raw: Any, call: ToolCall) -> None:
    """Say the type of a piece that leaves it blank: the SDK's helpers keep the last one said."""
    if "type" in getattr(raw, "model_fields_set", ()) and not raw.type:
        raw.type = call.wire["type"]
