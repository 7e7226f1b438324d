"""Asks all sources at once: one task group, and a deadline and a grant for each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Literal

import anyio

from agentmaker.context.candidates import UnreadableResults, aread_candidates
from agentmaker.context.results import RetrievalResult, SourceOutcome
from agentmaker.context.sources import ContextSource, Grant, accepts_grant
from agentmaker.context.threads import TooManyHanging
from agentmaker.context.together import Together, is_cancellation
from agentmaker.errors import SourceError
from agentmaker.scope import Scope

_Verdict = Literal["ok", "empty", "failed", "timeout", "rejected"]


@dataclass(frozen=True, slots=True)
class Fetched:
    """What one source gave, or why it gave nothing."""

    outcome: SourceOutcome
    candidates: Sequence[RetrievalResult] = ()


@dataclass(slots=True)
class _Attempt:
    """One fetch under way; what it has when it ends is its result."""

    source: ContextSource
    grant: Grant
    candidates: list[RetrievalResult] = field(default_factory=list)
    verdict: _Verdict = "failed"
    reason: str = ""
    cause: BaseException | None = None
    ms: float = 0.0

    async def run(self, query: str, scope: Scope | None) -> None:
        """Fetch, and take every fault of the source as its result.

        Raises:
            SourceError: the source is required and failed.
        """
        started = perf_counter()
        with anyio.move_on_after(self.grant.deadline) as limit:
            await self._fetch(query, scope)
        if limit.cancel_called and self.verdict != "ok":
            self._fail("timeout", f"gave nothing within {self.grant.deadline:g} s")
        self.ms = round((perf_counter() - started) * 1000, 1)
        if self.source.required and self.verdict not in ("ok", "empty"):
            raise SourceError(self.source.name, self.reason) from self.cause

    async def _fetch(self, query: str, scope: Scope | None) -> None:
        try:
            found = await self._ask(query, scope)
            self.candidates = await aread_candidates(found, self.source.name)
            self.verdict = "ok" if self.candidates else "empty"
        except (UnreadableResults, TooManyHanging) as error:
            self._fail("rejected", str(error), error)
        except Exception as error:
            # Its type only: an error's text may hold keys and content.
            self._fail("failed", type(error).__name__, error)
        except anyio.get_cancelled_exc_class() as fault:
            if is_cancellation(fault):
                raise
            # Nobody cancelled it, so it raised this by itself: the others must not pay.
            self._fail("failed", "cancelled itself")

    async def _ask(self, query: str, scope: Scope | None) -> list[RetrievalResult]:
        if accepts_grant(self.source.afetch):
            return await self.source.afetch(query, scope, grant=self.grant)
        return await self.source.afetch(query, scope)

    def _fail(self, verdict: _Verdict, reason: str, cause: BaseException | None = None) -> None:
        self.verdict, self.reason, self.cause = verdict, reason, cause

    def fetched(self) -> Fetched:
        return Fetched(
            SourceOutcome(
                name=self.source.name,
                outcome=self.verdict,
                found=len(self.candidates),
                ms=self.ms,
                reason=self.reason,
            ),
            self.candidates,
        )


async def gather(
    query: str, sources: Sequence[tuple[ContextSource, Grant]], *, scope: Scope | None
) -> list[Fetched]:
    """What each source gave, in the order of *sources*.

    A fault costs only the source it is in. Cancellation passes through at once, and so does
    what is no Exception; neither leaves a task behind.

    Raises:
        SourceError: a required source failed; the others are not waited for.
    """
    attempts = [_Attempt(source, grant) for source, grant in sources]
    async with Together() as tasks:
        for each in attempts:
            tasks.start_soon(each.run, query, scope, name=f"source {each.source.name}")
    return [each.fetched() for each in attempts]
