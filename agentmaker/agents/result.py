"""What came of a run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from agentmaker.calls.call import Usage
from agentmaker.calls.ledger import Ledger
from agentmaker.errors import RunStopped, RunUnfinished, SessionError
from agentmaker.memory.records import Status
from agentmaker.messages import Message, ToolCall


@dataclass(frozen=True, slots=True, kw_only=True)
class Delegated:
    """What a sub-agent cost.

    Attributes:
        run_id: its run, kept in the store of the run it is a part of.
        status: as in `RunResult`, or ``"failed"``.
        calls: its requests to a model, those of its own sub-agents included.
        usage: tokens by the provider's count, likewise.
    """

    agent: str
    run_id: str
    status: Status
    calls: int
    usage: Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """The answer of a run, and what it took.

    Attributes:
        output: the answer: text, or the agent's output type; None where there is none yet.
        status: ``"done"``; ``"waiting"`` for an approval; ``"stopped"`` by a limit.
        finish_reason: how the newest reply ended, as its server says: ``"length"`` for an answer
            that was cut off.
        messages: what the run added to the conversation, the question first.
        usage: tokens by the provider's count, of all its requests, summaries and sub-agents.
        ledgers: of its latest requests, the oldest first.
        delegated: what its sub-agents cost, the latest at the end.
        waiting: the calls that wait for an approval, those of sub-agents too.
        stopped_by: the limit that ended it.
    """

    run_id: str
    status: Status
    output: Any = None
    finish_reason: str | None = None
    messages: tuple[Message, ...] = ()
    usage: Usage = field(default_factory=Usage)
    ledgers: tuple[Ledger, ...] = ()
    delegated: tuple[Delegated, ...] = ()
    waiting: tuple[ToolCall, ...] = ()
    stopped_by: RunStopped | None = None

    def answered(self) -> Any:
        """The answer.

        Raises:
            RunUnfinished: there is none yet.
        """
        if self.status == "done":
            return self.output
        raise RunUnfinished(
            self.run_id, waiting=tuple(call.id for call in self.waiting), why=self.stopped_by
        ) from self.stopped_by

    def raise_for_status(self) -> None:
        """Do nothing for a run that is done.

        Raises:
            RunStopped: a limit ended it.
            SessionError: it waits for an approval.
        """
        if self.stopped_by is not None:
            raise self.stopped_by
        if self.status == "waiting":
            names = ", ".join(sorted({call.name for call in self.waiting}))
            raise SessionError(
                f"run {self.run_id} waits for an approval of {names}: "
                "resume it with approvals={call id: True or False}"
            )
