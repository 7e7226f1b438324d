"""Whether a process that knows nothing of a conversation makes the same bytes of it."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace

import anyio

from benchmarks.data import Conversation
from benchmarks.replay import Outcome, replay


@dataclass(frozen=True, slots=True)
class Sample:
    """How many requests of a window were made twice, and how many of them differ."""

    window: int
    requests: int
    differing: int

    def row(self) -> Sequence[str]:
        return f"{self.window:,}", f"{self.requests:,}", f"{self.differing:,}"


async def differing(found: Sequence[Conversation], window: int, each: int) -> Sample:
    """Make every *each*-th request again in another process, with no memory of those before."""
    digests = [await _digests(conversation, window, each) for conversation in found]
    alone = [_single_calls(conversation, each) for conversation in found]
    others = await anyio.to_thread.run_sync(_in_another_process, alone, window)
    pairs = list(zip((one for these in digests for one in these), others, strict=True))
    return Sample(window, len(pairs), sum(one != other for one, other in pairs))


def _in_another_process(alone: list[list[Conversation]], window: int) -> list[str]:
    """Spawned, not forked: the other process has another hash seed and empty memories."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(max_workers=1, mp_context=context) as pool:
        return pool.submit(_digests_alone, alone, window).result()


def _digests_alone(alone: list[list[Conversation]], window: int) -> list[str]:
    async def run() -> list[str]:
        singles = (single for these in alone for single in these)
        return [digest for single in singles for digest in await _digests(single, window, 1)]

    return anyio.run(run)


async def _digests(conversation: Conversation, window: int, each: int) -> list[str]:
    outcomes = [outcome async for outcome in replay(conversation, window=window)]
    return list(map(_digest, outcomes[::each]))


def _single_calls(conversation: Conversation, each: int) -> list[Conversation]:
    """Every *each*-th call as a conversation of its own, so that it is fitted by itself."""
    return [replace(conversation, calls=(call,)) for call in conversation.calls[::each]]


def _digest(outcome: Outcome) -> str:
    sent = outcome.fitted.messages if outcome.fitted else repr(outcome.error)
    return hashlib.sha256(json.dumps(sent).encode()).hexdigest()
