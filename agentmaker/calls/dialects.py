"""Where servers differ in what they accept, as data."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from agentmaker.calls.window import Window
from agentmaker.messages import Message

REASONING = ("reasoning_content", "reasoning")
"""The keys under which messages carry what the model thought aloud."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """What a server wants of a request.

    Attributes:
        name: how it is called, in ``wrap(dialect=...)`` too.
        system: ``"first"`` folds system messages in mid-list into the next user
            message, ``"anywhere"`` leaves them in place.
        developer: ``"keep"`` leaves that role as it is, ``"system"`` renames it.
        reasoning: ``"keep"`` sends what the model thought as given, ``"last_turn"`` only
            since the question, ``"strip"`` never.
        block: where retrieved text stands: ``"inside"`` the question's message before
            its text, as content ``"parts"``, as a ``"message"`` of its own, or as a
            ``"system"`` message.
        empty_content: what an assistant message with calls and no text carries.
    """

    name: str = "default"
    system: Literal["first", "anywhere"] = "first"
    developer: Literal["keep", "system"] = "keep"
    reasoning: Literal["keep", "last_turn", "strip"] = "keep"
    block: Literal["inside", "parts", "message", "system"] = "inside"
    empty_content: Literal["null", "empty"] = "null"

    def adapt(self, window: Window) -> Window:
        """*window* without what the server does not take, before anything of it is counted."""
        since = window.trajectory.messages
        return replace(
            window,
            system=tuple(self._renamed(each) for each in window.system),
            history=tuple(self._renamed(self._silenced(each)) for each in window.history),
            trajectory=replace(
                window.trajectory,
                messages=tuple(
                    self._renamed(self._silenced(each, since_question=True)) for each in since
                ),
            ),
        )

    def spell(self, message: Message) -> Message:
        """*message* as it is written on the wire."""
        bare = message.role == "assistant" and message.tool_calls and message.content is None
        return replace(message, content="") if bare and self.empty_content == "empty" else message

    def _renamed(self, message: Message) -> Message:
        renames = self.developer == "system" and message.role == "developer"
        return replace(message, role="system") if renames else message

    def _silenced(self, message: Message, *, since_question: bool = False) -> Message:
        strips = self.reasoning == "strip" or (self.reasoning == "last_turn" and not since_question)
        if not strips or message.extra.keys().isdisjoint(REASONING):
            return message
        extra = {key: value for key, value in message.extra.items() if key not in REASONING}
        return replace(message, extra=extra)


DEFAULT = Dialect()
LENIENT = Dialect(name="lenient", system="anywhere")
DIALECTS = {dialect.name: dialect for dialect in (DEFAULT, LENIENT)}
