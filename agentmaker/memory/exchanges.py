"""Which turns of a session stay together, and the newest of them that fit a room."""

from __future__ import annotations

from collections.abc import Sequence

from agentmaker.context.measure import messages_tokens
from agentmaker.messages import Message, joined_units
from agentmaker.tokens import TokenCounter


def exchanges(messages: Sequence[Message]) -> list[range]:
    """The index ranges of what the user said, each with all that answers it."""
    found: list[range] = []
    for unit in joined_units(messages):
        if found and messages[unit.start].role != "user":
            found[-1] = range(found[-1].start, unit.stop)
        else:
            found.append(unit)
    return found


def newest_within(
    messages: Sequence[Message], room: int, counter: TokenCounter
) -> tuple[Message, ...]:
    """The newest exchanges of *messages* that fit *room* tokens.

    Of one that is longer the newest units, and the newest unit whatever it takes.
    """
    parts = joined_units(messages)
    return (
        _newest(messages, exchanges(messages), room, counter)
        or _newest(messages, parts, room, counter)
        or tuple(messages[parts[-1].start :] if parts else ())
    )


def _newest(
    messages: Sequence[Message], parts: Sequence[range], room: int, counter: TokenCounter
) -> tuple[Message, ...]:
    start = len(messages)
    for part in reversed(parts):
        room -= messages_tokens(messages[part.start : part.stop], counter)
        if room < 0:
            break
        start = part.start
    return tuple(messages[start:])
