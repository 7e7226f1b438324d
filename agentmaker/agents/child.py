"""The run of an agent that another one calls as a tool."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from agentmaker.agents.beginning import begun, taken_up
from agentmaker.agents.equipped import Equipped
from agentmaker.agents.run import ActiveRun
from agentmaker.agents.slots import Slots
from agentmaker.calls.limits import RunPolicy
from agentmaker.errors import SessionError
from agentmaker.messages import Message

if TYPE_CHECKING:
    from agentmaker.agents.stream import RunStream


def child(
    agent: Equipped,
    parent: ActiveRun,
    run_id: str,
    task: Message,
    *,
    limits: RunPolicy,
    approvals: Mapping[str, bool],
    began: Callable[[ActiveRun], None],
) -> RunStream:
    """The run of *agent* as a sub-agent of *parent*: gone on with where it is known, else begun.

    It has no session. *began* is told the run before anything is asked.
    """
    always = agent.slots
    # Whose it is and who pays for it is its caller's to say.
    chat = replace(agent.chat, bound=replace(agent.chat.bound, scope=None, run=None))
    agent = agent.with_parts(session=None, store=parent.store, limits=limits, chat=chat)

    async def begin(streams: bool) -> ActiveRun:
        try:
            outputs = (always.output, agent.output_type)
            run = await taken_up(agent, run_id, approvals, limits, outputs, streams)
        except SessionError:
            once = Slots(input=task)
            run = await begun(agent, always, once, streams, run_id=run_id, parent=parent.id)
        began(run)
        return run

    return agent.played(begin)
