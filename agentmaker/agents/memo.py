"""A session's memo in the window: data, above the first thing that the user said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agentmaker.calls.forms.fence import fence
from agentmaker.calls.wire import with_text_before
from agentmaker.messages import Message, dumps
from agentmaker.prompts import PromptRegistry


def with_memo(
    memo: Any, messages: Sequence[Message], prompts: PromptRegistry
) -> tuple[Message, ...]:
    """*messages*, the memo at the top of the first user's; None and "" are no memo."""
    if memo is None or memo == "":
        return tuple(messages)
    text = memo if isinstance(memo, str) else dumps(memo)
    note = fence(text, kind="memo", note=prompts.text("session.memo"))
    at = next(at for at, each in enumerate(messages) if each.role == "user")
    return (*messages[:at], with_text_before(messages[at], note), *messages[at + 1 :])
