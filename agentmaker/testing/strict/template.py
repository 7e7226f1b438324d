"""What some chat templates demand on top: asked for by name, since most servers do not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agentmaker.messages import SYSTEM_ROLES
from agentmaker.testing.strict.violation import Violation

Messages = Sequence[Mapping[str, Any]]


def alternation(messages: Messages) -> Iterator[Violation]:
    """User and assistant take turns, the user first; tool traffic is not counted."""
    expected = "user"
    for index, message in enumerate(messages):
        if not _is_spoken(message):
            continue
        if message["role"] != expected:
            what = f"roles must alternate user/assistant: expected {expected!r} here"
            yield Violation("alternation", f"messages[{index}].role", what)
        expected = "assistant" if message["role"] == "user" else "user"


def system_first(messages: Messages) -> Iterator[Violation]:
    """At most one system message, at the very beginning."""
    for index, message in enumerate(messages):
        if index and message.get("role") in SYSTEM_ROLES:
            what = "a system message must be the first message"
            yield Violation("system_first", f"messages[{index}].role", what)


def _is_spoken(message: Mapping[str, Any]) -> bool:
    role = message.get("role")
    return role == "user" or (role == "assistant" and not message.get("tool_calls"))
