"""A session's memo in the window: data, above the first thing that the user said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agentmaker.calls.forms.fence import fence
from agentmaker.calls.setting import Setting
from agentmaker.calls.wire import with_text_before
from agentmaker.messages import Message
from agentmaker.plain import dumps
from agentmaker.tools.results import cap

SHARE = 0.25
"""Of the window, what a memo may take: a longer one is shown head and tail."""


def memo_note(memo: Any, setting: Setting) -> str:
    """The memo as it is shown; None and "" are no memo, and shown as ""."""
    if memo is None or memo == "":
        return ""
    prompts = setting.prompts
    text = memo if isinstance(memo, str) else dumps(memo)
    shown = cap(text, int(setting.window * SHARE), setting.counter, prompts=prompts)
    return fence(shown, kind="memo", note=prompts.text("session.memo"))


def with_memo(note: str, messages: Sequence[Message]) -> tuple[Message, ...]:
    """*messages*, the memo at the top of the first user's; "" changes nothing."""
    if not note:
        return tuple(messages)
    at = next(at for at, each in enumerate(messages) if each.role == "user")
    return (*messages[:at], with_text_before(messages[at], note), *messages[at + 1 :])
