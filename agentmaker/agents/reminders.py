"""When to remind the model of its notes."""

from __future__ import annotations

from collections.abc import Sequence

from agentmaker.memory.note_policy import NotePolicy
from agentmaker.memory.note_tools import WRITE
from agentmaker.messages import Message
from agentmaker.prompts import PromptRegistry


def reminder(
    policy: NotePolicy, messages: Sequence[Message], fill: float, prompts: PromptRegistry
) -> str:
    """What *policy* has to say after *messages*, "" for nothing."""
    return policy.reminder(_steps_since_note(messages), fill, prompts)


def _steps_since_note(messages: Sequence[Message]) -> int:
    steps = 0
    for message in reversed(messages):
        if any(call.name == WRITE for call in message.tool_calls):
            break
        steps += message.role == "assistant"
    return steps
