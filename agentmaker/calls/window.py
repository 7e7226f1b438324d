"""What a model is to see, in typed segments that keep their meaning until the wire."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from agentmaker.messages import SYSTEM_ROLES, Message


@dataclass(frozen=True, slots=True, kw_only=True)
class Trajectory:
    """The work since the question; *kind* names the reducer that knows what it lives on."""

    kind: str = "agent"
    messages: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """One request's content.

    Attributes:
        system: the leading system and developer messages; they leave untouched.
        tools: tool schemas, as the API takes them.
        response_format: the wanted output schema, as the API takes it.
        history: earlier turns.
        question: the user message being answered.
        trajectory: the work since.
        recap: what remains of history that was cut.
        progress: what remains of the trajectory that was cut.
        block: retrieved text, built for this turn.
    """

    system: tuple[Message, ...] = ()
    tools: tuple[Any, ...] = ()
    response_format: Any = None
    history: tuple[Message, ...] = ()
    question: Message | None = None
    trajectory: Trajectory = Trajectory()
    recap: str = ""
    progress: str = ""
    block: str = ""
    _conversation: tuple[Message, ...] | None = field(
        init=False, default=None, compare=False, repr=False
    )

    @classmethod
    def from_messages(
        cls,
        messages: Sequence[Message],
        *,
        tools: Iterable[Any] = (),
        response_format: Any = None,
        asked: int | None = None,
    ) -> Self:
        """Split a plain conversation by the rule of ``question_index``; *asked* where known."""
        head = leading_system(messages)
        asked = question_index(messages) if asked is None else asked
        window = cls(
            system=tuple(messages[:head]),
            tools=tuple(tools),
            response_format=response_format,
            history=tuple(messages[head:asked]) if asked is not None else (),
            question=messages[asked] if asked is not None else None,
            trajectory=Trajectory(messages=tuple(messages[head if asked is None else asked + 1 :])),
        )
        object.__setattr__(window, "_conversation", tuple(messages[head:]))
        return window

    @property
    def conversation(self) -> tuple[Message, ...]:
        """History, question and trajectory, in order."""
        if self._conversation is None:
            asked = () if self.question is None else (self.question,)
            joined = (*self.history, *asked, *self.trajectory.messages)
            object.__setattr__(self, "_conversation", joined)
            return joined
        return self._conversation


def leading_system(messages: Sequence[Message]) -> int:
    """How many system and developer messages the conversation begins with."""
    for index, message in enumerate(messages):
        if message.role not in SYSTEM_ROLES:
            return index
    return len(messages)


def question_index(messages: Sequence[Message], start: int = 0) -> int | None:
    """Where the question is: the latest user message that does not directly follow a tool's.

    A user message right behind a tool result carries the tool's picture, not a question. What
    comes before *start* is not looked through.
    """
    for index in range(len(messages) - 1, start - 1, -1):
        if messages[index].role == "user" and not _follows_tool(messages, index):
            return index
    return None


def _follows_tool(messages: Sequence[Message], index: int) -> bool:
    return index > 0 and messages[index - 1].role in ("tool", "function")
