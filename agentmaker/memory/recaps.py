"""A recap on top of the conversation it stands before: fenced text of the first user message."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from agentmaker.calls.forms.fence import unfence
from agentmaker.calls.wire import note_for, with_text_before
from agentmaker.messages import SYSTEM_ROLES, Message
from agentmaker.prompts import DEFAULT_PROMPTS, PromptRegistry

_OPENING, _, _ = note_for("history", "", DEFAULT_PROMPTS).text.partition("\n")
_CLOSING = "\n</reference>"


def fenced(recap: str, prompts: PromptRegistry) -> str:
    """*recap* as it stands in a window."""
    return note_for("history", recap, prompts).text


def with_recap(
    recap: str, messages: Sequence[Message], prompts: PromptRegistry
) -> tuple[Message, ...]:
    """*messages* with *recap* at the top of the first behind the system messages.

    Where that is no user's, the recap stands before it. "" changes nothing.
    """
    if not recap:
        return tuple(messages)
    at = leading(messages)
    head, body = messages[:at], messages[at:]
    if not body or body[0].role != "user":
        return (*head, Message(fenced(recap, prompts)), *body)
    return (*head, with_text_before(body[0], fenced(recap, prompts)), *body[1:])


def without_recap(messages: Sequence[Message]) -> tuple[str, tuple[Message, ...]]:
    """What `with_recap` was given: the recap, "" for none, and the messages."""
    at = leading(messages)
    if at == len(messages) or messages[at].role != "user":
        return "", tuple(messages)
    recap, content = _parted(messages[at].content)
    if not recap:
        return "", tuple(messages)
    first = (replace(messages[at], content=content),) if content else ()
    return recap, (*messages[:at], *first, *messages[at + 1 :])


def leading(messages: Sequence[Message]) -> int:
    """How many system messages stand first."""
    ahead = (index for index, each in enumerate(messages) if each.role not in SYSTEM_ROLES)
    return next(ahead, len(messages))


def _parted(content: object) -> tuple[str, object]:
    """The recap at the beginning of *content*, and what is behind it."""
    if isinstance(content, str) and content.startswith(f"{_OPENING}\n"):
        inside, closing, rest = content.partition(_CLOSING)
        return (unfence(inside + closing), rest.removeprefix("\n\n")) if closing else ("", content)
    if isinstance(content, (list, tuple)) and content and isinstance(content[0], dict):
        recap, behind = _parted(content[0].get("text"))
        return (recap, content[1:]) if recap and not behind else ("", content)
    return "", content
