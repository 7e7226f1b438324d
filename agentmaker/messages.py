"""Messages of a conversation, and which of them must stay together.

Knows the shape of the chat format, nothing of budgets or servers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Self

from agentmaker.plain import can_dump, dumped, is_exactly, is_mapping_type, plain

ROLES = ("user", "assistant", "system", "tool", "developer", "function")
SYSTEM_ROLES = ("system", "developer")
RESULT_ROLES = ("tool", "function")

BRIDGE = "bridge"
"""The metadata of an answer that only stands between a result and what the user says next."""

ASKED = "asked"
"""The metadata of a message that says more than was asked: what sources are asked instead."""

_TYPED = frozenset({"role", "content", "tool_calls", "tool_call_id", "name"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A call the model made; *arguments* is what the model wrote, valid JSON or not."""

    id: str
    name: str
    arguments: Any = "{}"
    wire: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def from_wire(cls, raw: Any) -> Self:
        wire = _as_mapping(raw)
        kind = "custom" if wire.get("type") == "custom" else "function"
        body = wire.get(kind) or {}
        # Models write what they like.
        if not is_mapping_type(body.__class__) and not can_dump(body):
            wire, body = {**wire, kind: {}}, {}
        body = _as_mapping(body)
        return cls(
            id=wire.get("id") or "",
            name=body.get("name") or "",
            arguments=body.get("input" if wire.get("type") == "custom" else "arguments"),
            wire=wire,
        )

    @property
    def is_custom(self) -> bool:
        """A custom tool takes free text, not JSON."""
        return self.wire.get("type") == "custom"

    def to_wire(self) -> dict[str, Any]:
        kind, key = ("custom", "input") if self.is_custom else ("function", "arguments")
        body = {**_as_mapping(self.wire.get(kind) or {}), "name": self.name, key: self.arguments}
        return {**self.wire, "id": self.id, "type": kind, kind: body}


@dataclass(frozen=True, slots=True)
class Message:  # noqa: PLW1641 - the dataclass has its own
    """One message of a conversation.

    *content* is text, a list of content parts, or None. Keys of the wire format
    that have no field here are kept in *extra* and sent again as they came.
    Equal ones are written alike: one with ``True`` in it is not one with ``1``.

    Raises:
        ValueError: *role* is not a role of the chat format.
    """

    content: Any
    role: str = "user"
    timestamp: datetime = field(default_factory=lambda: datetime.now(UTC), compare=False)
    metadata: Mapping[str, Any] = field(default_factory=dict, compare=False)
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    name: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    _wire: Mapping[str, Any] | None = field(init=False, default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.role not in ROLES:
            raise ValueError(f"role must be one of {', '.join(ROLES)}, not {self.role!r}")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Message):
            return NotImplemented
        mine, others = self._said, other._said
        return mine == others and is_exactly(mine, others)

    @property
    def _said(self) -> tuple[Any, ...]:
        calls = tuple((each.id, each.name, each.arguments, each.wire) for each in self.tool_calls)
        return self.role, self.content, calls, self.tool_call_id, self.name, self.extra

    @classmethod
    def from_wire(cls, raw: Any) -> Message:
        """Read a chat-format dictionary, an SDK message object, or a Message.

        Raises:
            TypeError: *raw* is none of these.
            ValueError: its role is unknown.
        """
        if isinstance(raw, Message):
            return raw
        wire = plain(raw) if is_mapping_type(raw.__class__) else _as_mapping(raw)
        calls = wire.get("tool_calls")
        if not calls and "tool_calls" in wire:
            # Servers refuse an empty list and null here; both say the same as no key.
            wire = {key: value for key, value in wire.items() if key != "tool_calls"}
        message = cls(
            content=wire.get("content"),
            role=wire.get("role", ""),
            tool_calls=(*map(ToolCall.from_wire, calls),) if calls else (),
            tool_call_id=wire.get("tool_call_id"),
            name=wire.get("name"),
            extra={key: value for key, value in wire.items() if key not in _TYPED},
        )
        object.__setattr__(message, "_wire", wire)
        return message

    @property
    def wire(self) -> Mapping[str, Any]:
        """As `to_wire`, but not to be changed: the very object this message was read from."""
        return self.to_wire() if self._wire is None else self._wire

    def to_wire(self) -> dict[str, Any]:
        """The chat-format dictionary: as it came when this message was read from one."""
        if self._wire is not None:
            return dict(self._wire)
        wire: dict[str, Any] = {"role": self.role, "content": self.content}
        if self.name is not None:
            wire["name"] = self.name
        if self.tool_calls:
            wire["tool_calls"] = [call.to_wire() for call in self.tool_calls]
        if self.tool_call_id is not None:
            wire["tool_call_id"] = self.tool_call_id
        return {**wire, **self.extra}

    def to_dict(self) -> dict[str, Any]:
        """Role and content only."""
        return {"role": self.role, "content": self.content}

    @property
    def text(self) -> str:
        """The readable text: the content, or its text parts joined by newlines."""
        return text_of(self.content)

    @property
    def reasoning(self) -> str:
        """What the model thought aloud, under either of the two names servers use."""
        return self.extra.get("reasoning_content") or self.extra.get("reasoning") or ""


def text_of(content: Any, between: str = "\n") -> str:
    """The readable text of a message's content, *between* its parts; "" where there is none."""
    if isinstance(content, str):
        return content
    if isinstance(content, (list, tuple)):
        return between.join(filter(None, map(_text_of_part, content)))
    return ""


def _text_of_part(part: Any) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, Mapping):
        text = part.get("text") or part.get("refusal")
        return text if isinstance(text, str) else ""
    return ""


def units(messages: Sequence[Message]) -> list[range]:
    """Split *messages* into the index ranges that must stay together.

    An assistant message with tool calls and the tool messages right behind it are
    one unit; every other message is a unit of its own.
    """
    found: list[range] = []
    start = 0
    while start < len(messages):
        end = start + 1
        if messages[start].tool_calls:
            while end < len(messages) and messages[end].role == "tool":
                end += 1
        found.append(range(start, end))
        start = end
    return found


def begin_of_newest(messages: Sequence[Message], count: int) -> int:
    """Where the newest *count* units of *messages* begin, which are read no further."""
    end = len(messages)
    while end and count:
        start = end - 1
        while start and messages[start].role == "tool":
            start -= 1
        found = 1 if messages[start].tool_calls else end - start
        if found > count:
            return end - count
        end, count = start, count - found
    return end


def joined_units(messages: Sequence[Message]) -> list[range]:
    """The units of *messages*, each with the user messages that came with its results.

    A user message right behind a tool's result carries the tool's picture or a word in between.
    """
    found: list[range] = []
    for unit in units(messages):
        first = messages[unit.start]
        comes_along = first.role == "user" or BRIDGE in first.metadata
        if found and comes_along and _has_results(messages, found[-1]):
            found[-1] = range(found[-1].start, unit.stop)
        else:
            found.append(unit)
    return found


def _has_results(messages: Sequence[Message], unit: range) -> bool:
    return any(messages[index].role in RESULT_ROLES for index in unit)


def checked_messages(raw: Any) -> list[Any]:
    """*raw* as a list of what may be messages.

    Raises:
        TypeError: it is a single string or dictionary, or cannot be gone through.
    """
    if type(raw) in (list, tuple):  # nearly all are, and an ABC is slow
        return list(raw)
    if isinstance(raw, (str, bytes, Mapping)) or not isinstance(raw, Iterable):
        raise TypeError(
            f"messages must be a list of messages, not {type(raw).__name__}: "
            'give [{"role": "user", "content": "..."}]'
        )
    return list(raw)


def read_messages(raw: Iterable[Any]) -> tuple[Message, ...]:
    """Read a conversation; a fault names the message it is in.

    Raises:
        TypeError: an item is no message, or *raw* is a single string or dictionary.
        ValueError: an item's role is unknown.
    """
    if type(raw) in (list, tuple) and {*map(type, raw)} <= {Message}:
        return tuple(raw)
    items, found = checked_messages(raw), []
    for index, item in enumerate(items):
        try:
            found.append(Message.from_wire(item))
        except (TypeError, ValueError) as error:
            raise type(error)(f"messages[{index}]: {error}") from None
    return tuple(found)


def has_media(content: Any) -> bool:
    """Whether *content* has parts that are no text: pictures, sounds, files."""
    return isinstance(content, (list, tuple)) and any(
        isinstance(part, Mapping) and part.get("type") != "text" for part in content
    )


def _as_mapping(raw: Any) -> Mapping[str, Any]:
    if is_mapping_type(raw.__class__):
        return raw  # type: ignore[no-any-return]
    if can_dump(raw) and is_mapping_type((read := dumped(raw)).__class__):
        return read  # type: ignore[no-any-return]
    raise TypeError(
        f"expected a message dictionary or object, not {type(raw).__name__}: "
        'give {"role": "user", "content": "..."}'
    )
