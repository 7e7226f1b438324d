"""The calls of a run that are under way, as the sub-agents among them see them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace

from agentmaker.agents.result import Delegated
from agentmaker.agents.run import ActiveRun
from agentmaker.agents.work import Work, delegated
from agentmaker.clients.using import Held
from agentmaker.context.sources import Grant
from agentmaker.digests import sha256_of
from agentmaker.errors import RunStopped
from agentmaker.memory.records import Entry
from agentmaker.messages import ToolCall

_current: ContextVar[Batch | None] = ContextVar("agentmaker_batch", default=None)


def current_batch() -> Batch | None:
    """The batch that the tool at work here is called in, None outside of runs."""
    return _current.get()


def _depth() -> int:
    outer = current_batch()
    return 1 if outer is None else outer.depth + 1


@dataclass(slots=True, kw_only=True)
class Batch:
    """One open batch of a run, and what its sub-agents say of their calls.

    Attributes:
        work: as it was before the first of them ran.
        depth: 1 for a run that is no sub-agent's.
        rooms: by the place of a call, tokens for its report where that is less than the grant.
        costs: by the place of a call, what its sub-agent cost.
        stopped: by the place of a call that has no result, the limit of the run that stopped it.
        waiting: by the place of a call that has no result, what somebody has to decide on first.
    """

    run: ActiveRun
    work: Work
    depth: int = field(default_factory=_depth)
    rooms: dict[int, int] = field(default_factory=dict)
    costs: dict[int, Delegated] = field(default_factory=dict)
    stopped: dict[int, RunStopped] = field(default_factory=dict)
    waiting: dict[int, tuple[ToolCall, ...]] = field(default_factory=dict)

    @contextmanager
    def under_way(self) -> Iterator[None]:
        """What is called inside is part of the run, which pays; only its session is not theirs."""
        token = _current.set(self)
        try:
            with Held(self.run.inside):
                yield
        finally:
            _current.reset(token)

    def run_id(self, at: int) -> str:
        """Of the sub-agent that a call is given to: the same whenever it is run again."""
        place = f"{self.run.id}/{self.work.part}/{len(self.work.messages) + at}"
        return sha256_of(place)[:16]

    def is_left(self, at: int) -> bool:
        """Whether that call is not at its end, and is run again when the run goes on."""
        return at in self.stopped or at in self.waiting

    def narrowed(self, at: int, grant: Grant) -> Grant:
        """The room for that call's result."""
        room = self.rooms.get(at, grant.tokens)
        return replace(grant, tokens=room) if room < grant.tokens else grant

    def settled(self, at: int) -> Sequence[Entry]:
        """What is to be kept beside the result of that call."""
        cost = self.costs.get(at)
        if cost is None:
            return ()
        self.run.children.pop(cost.run_id, None)
        return (delegated(cost),)
