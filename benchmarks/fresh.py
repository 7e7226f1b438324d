"""Whether a process that knows nothing of a conversation makes the same bytes of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import anyio

from benchmarks.data import Conversation
from benchmarks.processes import spread
from benchmarks.replay import Outcome, replay

COLUMNS = ("window", "requests", "other bytes")


@dataclass(frozen=True, slots=True)
class Sample:
    """How many requests of a window were made twice, and how many of them differ."""

    window: int
    requests: int
    differing: int

    def row(self) -> Sequence[str]:
        return f"{self.window:,}", f"{self.requests:,}", f"{self.differing:,}"


async def compared(
    found: Sequence[Conversation], windows: Sequence[int], each: int
) -> list[Sample]:
    """Every *each*-th request made once with its conversation, and once with no memory of it."""
    alone = [single for conversation in found for single in _alone(conversation, each)]
    others = await spread(partial(_digests_alone, alone), windows)
    return [
        await _sample(found, window, each, digests)
        for window, digests in zip(windows, others, strict=True)
    ]


async def _sample(
    found: Iterable[Conversation], window: int, each: int, others: Sequence[str]
) -> Sample:
    digests = [one for conversation in found for one in await _digests(conversation, window, each)]
    differing = sum(one != other for one, other in zip(digests, others, strict=True))
    return Sample(window, len(digests), differing)


def _alone(conversation: Conversation, each: int) -> Iterable[Conversation]:
    """Every *each*-th call as all that there is of its conversation."""
    return (replace(conversation, calls=(call,)) for call in conversation.calls[::each])


def _digests_alone(alone: Iterable[Conversation], window: int) -> list[str]:
    async def run() -> list[str]:
        return [one for single in alone for one in await _digests(single, window, 1)]

    return anyio.run(run)


async def _digests(conversation: Conversation, window: int, each: int) -> list[str]:
    outcomes = [outcome async for outcome in replay(conversation, window=window)]
    return list(map(_digest, outcomes[::each]))


def _digest(outcome: Outcome) -> str:
    sent = outcome.fitted.messages if outcome.fitted else repr(outcome.error)
    return hashlib.sha256(json.dumps(sent).encode()).hexdigest()
