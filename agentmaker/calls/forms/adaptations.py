"""A conversation said in a server's dialect, before anything of it is counted.

What becomes of a message by itself is decided here, and where an answer must stand between a
result and what the user says next. What only the order of sending brings about, the turns of
roles and the place of system messages, is left to the wire.

Invariants:

1. How a message is adapted depends on what comes before it, so a conversation that grows keeps
   its bytes.
2. Adapting twice is adapting once.
3. The same message becomes the same object, so what was measured is not measured again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from agentmaker.calls.forms.dialects import Dialect
from agentmaker.calls.forms.ids import short_ids
from agentmaker.calls.forms.retired import Retired
from agentmaker.calls.memory.remembered import Remembered
from agentmaker.calls.window import Window
from agentmaker.messages import BRIDGE, RESULT_ROLES, Message, units
from agentmaker.prompts import PromptRegistry

REASONING = ("reasoning_content", "reasoning")
"""The keys under which messages carry what the model thought aloud."""

BLANK_THOUGHT = " "
"""What stands for a thought that is missing: some servers take an empty one for none."""

MOST_MESSAGES = 20_000
"""So many messages of one dialect are remembered."""

MOST_DIALECTS = 8


class Adaptations:
    """What messages became in the dialects of a client's servers."""

    def __init__(self) -> None:
        self._speakers: Remembered[tuple[Dialect, PromptRegistry], Speaker] = Remembered(
            MOST_DIALECTS
        )

    def of(self, window: Window, dialect: Dialect, prompts: PromptRegistry) -> Window:
        """*window* said in *dialect*; itself where that changes nothing by itself."""
        if not _changes_words(dialect):
            return window
        speaker = self._speakers.get((dialect, prompts))
        if speaker is None:
            speaker = Speaker(dialect, prompts)
            self._speakers.put((dialect, prompts), speaker)
        return speaker.window(window)


def unsaid(dialect: Dialect, prompts: PromptRegistry) -> Message:
    """What stands between a result and what the user says next."""
    thought = {REASONING[0]: BLANK_THOUGHT} if dialect.reasoning == "require" else {}
    text = prompts.text("wire.unsaid")
    return Message(text, "assistant", metadata={BRIDGE: True}, extra=thought)


def _changes_words(dialect: Dialect) -> bool:
    return (
        dialect.developer != "keep"
        or dialect.reasoning != "keep"
        or dialect.content != "any"
        or dialect.blank_results != "keep"
        or dialect.calls != "batch"
        or dialect.tools != "native"
        or dialect.ids != "keep"
        or dialect.roles != "any"
    )


def _roles_changed(dialect: Dialect) -> frozenset[str]:
    """The roles of which *dialect* changes messages whose content is plain text."""
    renames = dialect.ids != "keep"
    answers = renames or dialect.reasoning != "keep"
    results = renames or dialect.blank_results != "keep" or dialect.tools != "native"
    changed = {"developer": dialect.developer != "keep", "assistant": answers}
    changed |= dict.fromkeys(RESULT_ROLES, results)
    return frozenset(role for role, is_changed in changed.items() if is_changed)


def _knows_no_retired(dialect: Dialect) -> bool:
    """Whether calls of the retired kind must be said as those of today."""
    return dialect.roles == "alternate" or dialect.tools == "text"


class Speaker:
    """Says messages in one dialect, and remembers what it said."""

    def __init__(self, dialect: Dialect, prompts: PromptRegistry) -> None:
        self.dialect = dialect
        self.prompts = prompts
        self.bridge = unsaid(dialect, prompts)
        self._roles = _roles_changed(dialect)
        self._retired = Retired() if _knows_no_retired(dialect) else None
        self._known: Remembered[tuple[int, bool, str], tuple[Message, Message]] = Remembered(
            MOST_MESSAGES
        )
        self._single: Remembered[int, tuple[Message, tuple[Message, ...]]] = Remembered(
            MOST_MESSAGES
        )

    def window(self, window: Window) -> Window:
        """*window* in this dialect, segment by segment."""
        window = self._retired.window(window) if self._retired else window
        reasoning, question, since = self.dialect.reasoning, window.question, window.trajectory
        old = self._conversation(window.history, strips=reasoning in ("strip", "last_turn"))
        new = self._conversation(since.messages, strips=reasoning == "strip")
        return replace(
            window,
            system=tuple(self._conversation(window.system, strips=False)),
            history=tuple(old),
            question=question and next(self._conversation([question], strips=False)),
            trajectory=replace(since, messages=tuple(new)),
        )

    def _conversation(self, messages: Sequence[Message], *, strips: bool) -> Iterator[Message]:
        bridges, flattens = self.dialect.roles == "alternate", self.dialect.content == "text"
        before, names = "", dict[str, str]()
        for message in self._one_by_one(messages) if self.dialect.calls == "single" else messages:
            if bridges and message.role == "user" and before in RESULT_ROLES:
                yield self.bridge
            if message.tool_calls and self._roles:
                names = {call.id: call.name for call in message.tool_calls}
            if message.role in self._roles or (flattens and not isinstance(message.content, str)):
                name = names.get(message.tool_call_id or "", "")
                message = self._remembered(message, strips, name)
            yield message
            before = message.role

    def _one_by_one(self, messages: Sequence[Message]) -> Iterator[Message]:
        """Every call of a batch in a message of its own, its result right behind it."""
        for unit in units(messages):
            first, *results = (messages[index] for index in unit)
            if len(first.tool_calls) < 2:
                yield from (first, *results)
                continue
            answers = {each.tool_call_id: each for each in results}
            for single in self._singles(first):
                yield single
                yield answers.get(single.tool_calls[0].id, results[0])

    def _singles(self, batch: Message) -> tuple[Message, ...]:
        known = self._single.get(id(batch))
        if known is None or known[0] is not batch:
            first, *others = batch.tool_calls
            made = (Message(None, "assistant", tool_calls=(call,)) for call in others)
            known = batch, (replace(batch, tool_calls=(first,)), *made)
            self._single.put(id(batch), known)
        return known[1]

    def _remembered(self, message: Message, strips: bool, name: str) -> Message:
        key = id(message), strips, name
        known = self._known.get(key)
        if known is None or known[0] is not message:
            known = message, self._said(message, strips, name)
            self._known.put(key, known)
        return known[1]

    def _said(self, message: Message, strips: bool, name: str) -> Message:
        fields = {
            "role": self._role(message),
            "content": self._content(message, name),
            "extra": self._extra(message, strips),
            **(short_ids(message) if self.dialect.ids == "short" else {}),
        }
        changed = {key: new for key, new in fields.items() if new is not getattr(message, key)}
        return replace(message, **changed) if changed else message

    def _role(self, message: Message) -> str:
        renames = self.dialect.developer == "system" and message.role == "developer"
        return "system" if renames else message.role

    def _content(self, message: Message, name: str) -> Any:
        content, is_result = message.content, message.role in RESULT_ROLES
        if self.dialect.content == "text" and _is_all_text(content):
            content = message.text
        if is_result and self.dialect.blank_results == "text" and _is_blank(content):
            content = self.prompts.text("wire.blank_result")
        if is_result and self.dialect.tools == "text":
            content = self._headed(content, name or message.name or "")
        return content

    def _headed(self, content: Any, name: str) -> Any:
        """A result's content under a line that says whose it is."""
        head = self.prompts.render("wire.result", name=name)
        if isinstance(content, str):
            return content if content.startswith(head) else f"{head}\n{content}"
        first = {"type": "text", "text": head}
        return content if content and content[0] == first else [first, *(content or ())]

    def _extra(self, message: Message, strips: bool) -> Any:
        extra = message.extra
        if strips and not extra.keys().isdisjoint(REASONING):
            return {key: value for key, value in extra.items() if key not in REASONING}
        requires = self.dialect.reasoning == "require" and message.role == "assistant"
        if requires and not any(extra.get(key) for key in REASONING):
            return {**extra, REASONING[0]: BLANK_THOUGHT}
        return extra


def _is_all_text(content: Any) -> bool:
    return isinstance(content, (list, tuple)) and all(
        isinstance(part, str) or (isinstance(part, dict) and part.get("type") == "text")
        for part in content
    )


def _is_blank(content: Any) -> bool:
    return not (content.strip() if isinstance(content, str) else content)
