"""May this request still be made?"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from math import inf

from agentmaker.calls.call import Call, Reply, Usage, new_id
from agentmaker.calls.middleware import Next
from agentmaker.errors import ConfigError, RunCancelled, RunLimitExceeded


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPolicy:
    """What one run may spend; None sets no limit.

    Attributes:
        calls: requests to a model, summaries included; sending one of them again is not counted.
        tokens: tokens as the provider counts them, prompt and reply together.
        seconds: time since the run began. A request is refused when it is over; what an agent's
            run awaits then (a reply, a tool, an approval) is cancelled.

    Raises:
        ConfigError: a limit is not a positive number.
    """

    calls: int | None = None
    tokens: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        for name in ("calls", "tokens", "seconds"):
            value = getattr(self, name)
            good = isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0
            if value is not None and not good:
                raise ConfigError(f"RunPolicy.{name} must be above 0 or None, not {value!r}")


@dataclass(slots=True)
class Run:
    """What one run has spent so far.

    Attributes:
        tokens: prompt and reply together, by the provider's count.
        usage: the same in its parts.
        parent: the run this one is a part of, which pays as well.
    """

    policy: RunPolicy
    id: str = field(default_factory=new_id)
    calls: int = 0
    tokens: int = 0
    started: float = field(default_factory=time.monotonic)
    cancelled: bool = False
    usage: Usage = field(default_factory=Usage)
    parent: Run | None = None

    def cancel(self) -> None:
        """Refuse every further request of this run."""
        self.cancelled = True

    def admit(self) -> None:
        """Count one more request, here and with the run this one is a part of.

        Raises:
            RunLimitExceeded: a limit is reached.
            RunCancelled: the run was cancelled.
        """
        self._check()
        if self.parent is not None:
            self.parent.admit()
        self.calls += 1

    def check(self) -> None:
        """Raise what `admit` would, and count nothing."""
        self._check()
        if self.parent is not None:
            self.parent.check()

    def left(self) -> float:
        """Seconds that this run and those it is a part of have left; inf for no limit."""
        if self.parent is None and self.policy.seconds is None:
            return inf
        return self._first_to_end()._end() - time.monotonic()

    def check_time(self) -> None:
        """Raise `late` where no time is left."""
        if self.left() <= 0:
            raise self.late()

    def late(self) -> RunLimitExceeded:
        """What is raised where no time is left."""
        run = self._first_to_end()
        used = time.monotonic() - run.started
        return RunLimitExceeded("seconds", allowed=run.policy.seconds or inf, used=used)

    def _first_to_end(self) -> Run:
        return self if self.parent is None else min(self, self.parent._first_to_end(), key=Run._end)

    def _end(self) -> float:
        return inf if self.policy.seconds is None else self.started + self.policy.seconds

    def add(self, *, calls: int, tokens: int, usage: Usage) -> None:
        """Count what was spent where this meter could not see it."""
        self.calls += calls
        self.tokens += tokens
        self.usage = self.usage.plus(usage)
        if self.parent is not None:
            self.parent.add(calls=calls, tokens=tokens, usage=usage)

    def _check(self) -> None:
        if self.cancelled:
            raise RunCancelled("the run was cancelled: start a new one to go on")
        policy = self.policy
        spent = (
            ("calls", policy.calls, self.calls),
            ("tokens", policy.tokens, self.tokens),
            ("seconds", policy.seconds, time.monotonic() - self.started),
        )
        for name, allowed, used in spent:
            if allowed is not None and used >= allowed:
                raise RunLimitExceeded(name, allowed=allowed, used=used)

    def book(self, reply: Reply) -> None:
        """Add what the provider says the reply cost; an estimate is never booked."""
        if reply.usage is not None:
            prompt = reply.usage.prompt_tokens or 0
            self.tokens += reply.usage.total_tokens or prompt + (reply.usage.completion_tokens or 0)
            self.usage = self.usage.plus(reply.usage)
        if self.parent is not None:
            self.parent.book(reply)


class Limits:
    """Refuse a request whose run has reached a limit, and book what the others cost."""

    async def __call__(self, call: Call, next: Next, /) -> Reply:
        if call.run is None:
            return await next(call)
        call.run.admit()
        reply = await next(call)
        reply.on_settle(call.run.book)
        return reply
