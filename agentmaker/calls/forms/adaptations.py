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

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from agentmaker.calls.forms.dialects import Dialect
from agentmaker.calls.forms.ids import short_ids
from agentmaker.calls.forms.retired import Retired
from agentmaker.calls.memory.beginnings import Beginnings, begin_with
from agentmaker.calls.memory.by_message import ByMessage, characters_in
from agentmaker.calls.memory.remembered import Remembered
from agentmaker.calls.window import Window
from agentmaker.messages import BRIDGE, RESULT_ROLES, Message, units
from agentmaker.prompts import PromptRegistry

REASONING = ("reasoning_content", "reasoning")
"""The keys under which messages carry what the model thought aloud."""

BLANK_THOUGHT = " "
"""What stands for a thought that is missing: some servers take an empty one for none."""

MOST_CONVERSATIONS = 2_000
"""So many segments of windows are remembered in one dialect."""

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


@dataclass(frozen=True, slots=True, eq=False)
class _Beginning:
    """Messages, and how they are said.

    Attributes:
        names: of the functions that the latest calls call, by the calls' ids.
    """

    strips: bool
    messages: tuple[Message, ...] = ()
    said: tuple[Message, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    characters: int = 0

    def begins(self, messages: tuple[Message, ...], strips: bool) -> bool:
        """Whether *messages* begin like that, and no result of theirs comes later."""
        goes_on = messages[len(self.messages) :][:1]
        grows = any(message.role in RESULT_ROLES for message in goes_on)
        same = strips == self.strips and begin_with(messages, self.messages)
        return same and not grows


class Speaker:
    """Says messages in one dialect, and remembers what it said."""

    def __init__(self, dialect: Dialect, prompts: PromptRegistry) -> None:
        self.dialect = dialect
        self.prompts = prompts
        self.bridge = unsaid(dialect, prompts)
        self._roles = _roles_changed(dialect)
        self._retired = Retired() if _knows_no_retired(dialect) else None
        self._known: ByMessage[Message] = ByMessage(self._said)
        self._single: ByMessage[tuple[Message, ...]] = ByMessage(_singles)
        self._beginnings: Beginnings[_Beginning] = Beginnings(MOST_CONVERSATIONS)

    def window(self, window: Window) -> Window:
        """*window* in this dialect, segment by segment."""
        window = self._retired.window(window) if self._retired else window
        reasoning, question, since = self.dialect.reasoning, window.question, window.trajectory
        return replace(
            window,
            system=self._conversation(window.system, strips=False),
            history=self._conversation(window.history, strips=reasoning in ("strip", "last_turn")),
            question=question and self._conversation((question,), strips=False)[0],
            trajectory=replace(
                since, messages=self._conversation(since.messages, strips=reasoning == "strip")
            ),
        )

    def _conversation(self, messages: tuple[Message, ...], *, strips: bool) -> tuple[Message, ...]:
        """*messages* in this dialect; those that are known from an earlier call are not read."""

        def mark(count: int) -> Hashable:
            return id(messages[count - 1]), strips

        known = self._beginnings.longest(
            len(messages), mark, lambda each: each.begins(messages, strips)
        )
        known = known or _Beginning(strips)
        if len(known.messages) == len(messages):
            return known.said
        longer = self._longer(known, messages)
        self._beginnings.put(longer, len(messages), mark, known, longer.characters)
        return longer.said

    def _longer(self, known: _Beginning, messages: tuple[Message, ...]) -> _Beginning:
        fresh, said, names = messages[len(known.messages) :], [], known.names
        bridges, flattens = self.dialect.roles == "alternate", self.dialect.content == "text"
        before = known.said[-1].role if known.said else ""
        for message in self._one_by_one(fresh) if self.dialect.calls == "single" else fresh:
            if bridges and message.role == "user" and before in RESULT_ROLES:
                said.append(self.bridge)
            if message.tool_calls and self._roles:
                names = {call.id: call.name for call in message.tool_calls}
            if message.role in self._roles or (flattens and not isinstance(message.content, str)):
                name = names.get(message.tool_call_id or "", "")
                message = self._known.of(message, known.strips, name)
            said.append(message)
            before = message.role
        characters = known.characters + sum(map(characters_in, fresh))
        return _Beginning(known.strips, messages, known.said + tuple(said), names, characters)

    def _one_by_one(self, messages: Sequence[Message]) -> Iterator[Message]:
        """Every call of a batch in a message of its own, its result right behind it."""
        for unit in units(messages):
            first, *results = (messages[index] for index in unit)
            if len(first.tool_calls) < 2:
                yield from (first, *results)
                continue
            answers = {each.tool_call_id: each for each in results}
            for single in self._single.of(first):
                yield single
                yield answers.get(single.tool_calls[0].id, results[0])

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


def _singles(batch: Message) -> tuple[Message, ...]:
    """The calls of *batch* in messages of their own, its text in the first."""
    first, *others = batch.tool_calls
    made = (Message(None, "assistant", tool_calls=(call,)) for call in others)
    return (replace(batch, tool_calls=(first,)), *made)


def _is_all_text(content: Any) -> bool:
    return isinstance(content, (list, tuple)) and all(
        isinstance(part, str) or (isinstance(part, dict) and part.get("type") == "text")
        for part in content
    )


def _is_blank(content: Any) -> bool:
    return not (content.strip() if isinstance(content, str) else content)
