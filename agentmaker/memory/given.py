"""What is kept is what was said, whatever its giver does to the same objects later."""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy

from agentmaker.messages import Message


def as_given(messages: Iterable[Message]) -> tuple[Message, ...]:
    """*messages* as they are now; the very objects where something in them cannot be copied."""
    given = tuple(messages)
    try:
        return deepcopy(given)
    except Exception:  # whatever an object of the caller's raises when it is copied
        return given
