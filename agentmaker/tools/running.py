"""Runs one batch of calls at once; whatever a tool does becomes a result the model can act on."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from math import inf

import anyio
from anyio.lowlevel import checkpoint_if_cancelled

from agentmaker.context.knobs import check_count
from agentmaker.context.sources import Grant
from agentmaker.context.together import Together
from agentmaker.messages import ToolCall
from agentmaker.prompts import DEFAULT_PROMPTS, PromptRegistry
from agentmaker.scope import Scope
from agentmaker.tools.attempt import Attempt
from agentmaker.tools.functions import is_threaded
from agentmaker.tools.registry import ToolRegistry
from agentmaker.tools.values import Outcome

Began = Callable[[ToolCall], Awaitable[None]]
Ended = Callable[[Outcome], Awaitable[None]]


async def _pass(_: object) -> None:
    """Nobody wants to know."""


async def run_calls(
    calls: Sequence[ToolCall],
    registry: ToolRegistry,
    *,
    grant: Grant,
    scope: Scope | None = None,
    limit: int = 8,
    began: Began = _pass,
    ended: Ended = _pass,
    prompts: PromptRegistry = DEFAULT_PROMPTS,
) -> tuple[Outcome, ...]:
    """The outcomes of *calls*, in their order, at most *limit* of them under way at a time.

    *grant* is what each call is told; its deadline runs from now, for calls that wait too.
    Whether a tool that needs an approval has it is for the caller to see to.

    *began* is awaited just before a call runs, and not for one that cannot: an unknown name,
    arguments that are no JSON object. *ended* is awaited for every call, as its outcome comes.

    - No Exception of a tool comes out, and none of its text but an error's own message.
    - Cancellation passes through, and so does what is no Exception and what *began* or
      *ended* raise, as it is; all running calls are cancelled, and none is left behind.

    Raises:
        ConfigError: *limit* is no whole number of at least 1.
    """
    batch = _Batch(registry, grant, scope, began, ended, prompts, _until(grant))
    return await batch.run(calls, check_count("limit", limit, least=1))


def _until(grant: Grant) -> float:
    return inf if grant.deadline is None else anyio.current_time() + grant.deadline


@dataclass(frozen=True, slots=True)
class _Batch:
    registry: ToolRegistry
    grant: Grant
    scope: Scope | None
    began: Began
    ended: Ended
    prompts: PromptRegistry
    until: float

    async def run(self, calls: Sequence[ToolCall], limit: int) -> tuple[Outcome, ...]:
        attempts = list(map(self._attempt, calls))
        if len(attempts) == 1 and is_threaded(attempts[0].tool):
            return (await self._alone(attempts[0]),)
        outcomes: dict[int, Outcome] = {}
        room = anyio.Semaphore(limit, fast_acquire=True)

        async def one(place: int, attempt: Attempt) -> None:
            try:
                outcomes[place] = await self._one(attempt)
            finally:
                room.release()

        async with Together() as tasks:
            for place, attempt in enumerate(attempts):
                await room.acquire()  # out here, so that they begin in the order asked
                tasks.start_soon(one, place, attempt, name=f"tool {attempt.call.name}")
        return tuple(outcomes[place] for place in range(len(calls)))

    def _attempt(self, call: ToolCall) -> Attempt:
        return Attempt(call, self.registry, self.grant, self.scope, self.prompts, self.until)

    async def _alone(self, attempt: Attempt) -> Outcome:
        """What comes of a call that has a thread, and leaves this task as it is."""
        await checkpoint_if_cancelled()
        try:
            return await self._one(attempt)
        finally:
            await checkpoint_if_cancelled()

    async def _one(self, attempt: Attempt) -> Outcome:
        outcome = await attempt.run(self.began)
        await self.ended(outcome)
        return outcome
