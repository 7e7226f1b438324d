"""Messages in turns: user, answer, user, answer, as strict chat templates want them.

Calls and their results belong to neither side. Texts in a row are joined; where nothing can be
joined, a few words stand for the turn that is missing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from agentmaker.calls.forms.adaptations import REASONING
from agentmaker.messages import RESULT_ROLES, SYSTEM_ROLES, Message

Part = Literal["system", "user", "answer", "call", "result"]

_GOES_ON = ("prefix", "partial")
"""Keys by which an answer at the end asks to be gone on with."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One message to be sent, and which of the given ones it is made of; none for a filler."""

    places: tuple[int, ...]
    message: Message

    @property
    def part(self) -> Part:
        return part_of(self.message)


def part_of(message: Message) -> Part:
    """Whose turn a message is."""
    if message.role in SYSTEM_ROLES:
        return "system"
    if message.role in RESULT_ROLES:
        return "result"
    if message.role == "user":
        return "user"
    return "call" if message.tool_calls else "answer"


def in_turns(
    messages: Sequence[Message], *, opening: Message, unsaid: Message, after: Part = "system"
) -> list[Turn]:
    """*messages* in turns, *opening* and *unsaid* where the user's or an answer is missing.

    They stand behind a turn of *after*'s, with which nothing of them is joined.
    System messages stay where they are.
    """
    turns: list[Turn] = []
    for place, message in enumerate(messages):
        before = turns[-1] if turns else None
        last, part = before.part if before else after, part_of(message)
        if before is not None and are_joined(last, part):
            turns[-1] = Turn((*before.places, place), joined(before.message, message))
            continue
        if part == "user" and last in ("result", "call"):
            turns.append(Turn((), unsaid))
        elif part in ("answer", "call") and last == "system":
            turns.append(Turn((), opening))
        turns.append(Turn((place,), message))
    if turns and turns[-1].part == "system":
        turns.append(Turn((), opening))
    return turns


def is_answer(message: Message) -> bool:
    """Whether a conversation that ends with *message* asks for nothing."""
    goes_on = any(message.extra.get(key) for key in _GOES_ON)
    return message.role == "assistant" and not goes_on


def joined(first: Message, second: Message) -> Message:
    """Two messages of one role as one."""
    return replace(
        first,
        content=joined_content(first.content, second.content),
        tool_calls=first.tool_calls + second.tool_calls,
        extra=_joined_extra(first.extra, second.extra),
    )


def joined_content(first: Any, second: Any) -> Any:
    """Two contents as one: text below text, else the parts of both."""
    if not first or not second:
        return first or second
    if isinstance(first, str) and isinstance(second, str):
        return f"{first}\n\n{second}"
    return [*_parts(first), *_parts(second)]


def are_joined(last: Part, part: Part) -> bool:
    """Whether messages of these parts in a row become one."""
    return part == last == "user" or (last == "answer" and part in ("answer", "call"))


def _joined_extra(first: Mapping[str, Any], second: Mapping[str, Any]) -> Mapping[str, Any]:
    thoughts = {
        key: f"{first[key]}\n\n{second[key]}"
        for key in REASONING
        if isinstance(first.get(key), str) and isinstance(second.get(key), str)
    }
    return {**first, **second, **thoughts} if first or second else first


def _parts(content: Any) -> Sequence[Any]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content
