"""What the SDK's objects say, read into a reply. Servers leave out or add what they like."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from agentmaker.calls.call import Reply, Usage
from agentmaker.messages import ToolCall, dumps


def reply_from_completion(raw: Any) -> Reply:
    """Read a ``ChatCompletion``; one without choices makes an empty reply."""
    reply = Reply(model=_text(raw, "model"), usage=Usage.from_wire(_get(raw, "usage")), raw=raw)
    choice = _first_choice(raw)
    message = _get(choice, "message")
    content = _get(message, "content")
    reply.content = content if isinstance(content, str) else None
    reply.tool_calls = tuple(map(ToolCall.from_wire, _objects(message, "tool_calls")))
    reply.finish_reason = _text(choice, "finish_reason") or None
    reply.reasoning = _reasoning(message)
    return reply


def says_something(chunk: Any) -> bool:
    """Whether the chunk carries a piece of the answer, or its finish."""
    choice = _first_choice(chunk)
    said = _fields(_get(choice, "delta"))
    return bool(_get(choice, "finish_reason") or any(said[key] for key in said if key != "role"))


def text_in(chunk: Any) -> str:
    """The text that the chunk adds."""
    return _text(_get(_first_choice(chunk), "delta"), "content")


class Gathering:
    """Adds up the chunks of one stream in *reply*."""

    def __init__(self, reply: Reply) -> None:
        self.reply = reply
        self._indexes: list[Any] = []

    def add(self, chunk: Any) -> None:
        reply, choice = self.reply, _first_choice(chunk)
        delta = _get(choice, "delta")
        reply.model = _text(chunk, "model") or reply.model
        reply.usage = Usage.from_wire(_get(chunk, "usage")) or reply.usage
        reply.finish_reason = _text(choice, "finish_reason") or reply.finish_reason
        if text := _text(delta, "content"):
            reply.content = (reply.content or "") + text
        reply.reasoning += _reasoning(delta)
        for piece in _objects(delta, "tool_calls"):
            self._add_call(_get(piece, "index"), _piece(piece))

    def _add_call(self, index: Any, piece: ToolCall) -> None:
        calls = list(self.reply.tool_calls)
        at = self._place(index, piece.id)
        if at is None:
            self._indexes.append(index)
            calls.append(piece)
        else:
            calls[at] = _joined(calls[at], piece)
        self.reply.tool_calls = tuple(calls)

    def _place(self, index: Any, id: str) -> int | None:
        """Where the call is that a piece goes on with; None when it begins one.

        Some servers send no index: a new id begins a call there.
        """
        calls = self.reply.tool_calls
        if index is not None:
            return self._indexes.index(index) if index in self._indexes else None
        begins = not calls or (id and id != calls[-1].id)
        return None if begins else len(calls) - 1


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
    said = _fields(raw).items()
    known = {key: value for key, value in said if value is not None and key != "index"}
    kind = "custom" if "custom" in known else "function"
    given = _get(known.get(kind), "input" if kind == "custom" else "arguments")
    return ToolCall(
        id=_text(raw, "id"),
        name=_text(known.get(kind), "name"),
        arguments=given if isinstance(given, str) else "" if given is None else dumps(given),
        wire={**known, "type": kind, kind: {}},
    )


def _reasoning(message: Any) -> str:
    return _text(message, "reasoning_content") or _text(message, "reasoning")


def _first_choice(raw: Any) -> Any:
    return next(iter(_list(raw, "choices")), None)


def _list(raw: Any, name: str) -> list[Any]:
    value = _get(raw, name)
    return value if isinstance(value, list) else []


def _objects(raw: Any, name: str) -> list[Any]:
    return [each for each in _list(raw, name) if _fields(each)]


def _text(raw: Any, name: str) -> str:
    value = _get(raw, name)
    return value if isinstance(value, str) else ""


def _get(raw: Any, name: str) -> Any:
    return raw.get(name) if isinstance(raw, Mapping) else getattr(raw, name, None)


def _fields(raw: Any) -> Mapping[str, Any]:
    """Every field of an SDK object, those it does not know among them."""
    if isinstance(raw, Mapping):
        return raw
    return {**getattr(raw, "__dict__", {}), **(getattr(raw, "model_extra", None) or {})}
