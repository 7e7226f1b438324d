"""One call of a sub-agent: its run begun or gone on with, paid for, and told as a result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import anyio

from agentmaker.agents.batch import Batch
from agentmaker.agents.child import child
from agentmaker.agents.equipped import Equipped
from agentmaker.agents.result import Delegated, RunResult
from agentmaker.agents.run import ActiveRun
from agentmaker.calls.limits import RunPolicy
from agentmaker.errors import RunLimitExceeded, RunStopped
from agentmaker.messages import Message, ToolCall

EVENT = "agentmaker.delegated"
"""The name of the log line of a sub-agent that is over."""


@dataclass(slots=True)
class SubRun:
    """One call of a sub-agent.

    Attributes:
        child: its run, once there is one.
    """

    agent: Equipped
    batch: Batch
    at: int
    child: ActiveRun | None = None

    async def run(self, task: Message, limits: RunPolicy) -> object:
        parent, run_id = self.batch.run, self.batch.run_id(self.at)
        approvals = _for_child(parent.approvals, run_id)
        try:
            result = await child(
                self.agent,
                parent,
                run_id,
                task,
                limits=limits,
                approvals=approvals,
                began=self._joined,
            )
        except anyio.get_cancelled_exc_class():
            self._leave_late()
            raise
        finally:
            self._account()
        return self._told(result)

    def _joined(self, child: ActiveRun) -> None:
        self.child = child
        self.batch.run.pay_for(child)

    def _leave_late(self) -> None:
        """Where the run that calls it has no time left, the call is one to go on with."""
        meter = self.batch.run.meter
        if meter.left() <= 0:
            self.batch.stopped[self.at] = meter.late()

    def _account(self) -> None:
        """Note what the sub-agent cost, however it ended."""
        if self.child is None:
            return
        run = self.child
        cost = Delegated(
            agent=self.agent.name,
            run_id=run.id,
            status=run.record.status,
            calls=run.meter.calls,
            usage=run.meter.usage,
        )
        self.batch.costs[self.at] = cost
        self.batch.run.add_delegated(cost)
        _log(cost, parent=self.batch.run.id)

    def _told(self, result: RunResult) -> object:
        if result.status == "waiting":
            self.batch.waiting[self.at] = _of_child(result.waiting, result.run_id)
            return None
        if result.stopped_by is None:
            return result.output
        try:
            self.batch.run.meter.check()
        except RunStopped as error:
            self.batch.stopped[self.at] = error
            return None
        return self._so_far(result, result.stopped_by)

    def _so_far(self, result: RunResult, stopped_by: RunStopped) -> str:
        """What a sub-agent had when its own limit stopped it."""
        prompts = self.batch.run.setting.prompts
        limit = stopped_by.limit if isinstance(stopped_by, RunLimitExceeded) else str(stopped_by)
        texts = [each.text for each in result.messages[1:] if each.text]
        found = "\n\n".join(texts) or prompts.text("tool.none")
        return prompts.render("delegate.stopped", name=self.agent.name, limit=limit, found=found)


def _for_child(approvals: Mapping[str, bool], run_id: str) -> Mapping[str, bool]:
    """Those *approvals* that are for calls of that sub-agent."""
    mark = f"{run_id}/"
    return {
        id.removeprefix(mark): allowed for id, allowed in approvals.items() if id.startswith(mark)
    }


def _of_child(calls: Sequence[ToolCall], run_id: str) -> tuple[ToolCall, ...]:
    """Calls that wait in that sub-agent, with ids that no other's have."""
    return tuple(replace(call, id=f"{run_id}/{call.id}") for call in calls)


def _log(cost: Delegated, *, parent: str) -> None:
    import structlog

    structlog.get_logger("agentmaker").info(
        EVENT,
        agent=cost.agent,
        run_id=cost.run_id,
        parent=parent,
        status=cost.status,
        calls=cost.calls,
        prompt_tokens=cost.usage.prompt_tokens,
        completion_tokens=cost.usage.completion_tokens,
    )
