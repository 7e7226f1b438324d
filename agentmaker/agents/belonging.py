"""Whose a run is, and which agent may go on with it."""

from __future__ import annotations

from agentmaker.agents.equipped import Equipped
from agentmaker.errors import ConfigError, SessionError
from agentmaker.memory.keys import owner_of
from agentmaker.memory.records import RunRecord
from agentmaker.scope import Scope


def scope_of(agent: Equipped) -> Scope:
    here = agent.chat.held().scope or Scope()
    if agent.session is None:
        return here
    theirs = agent.session.scope
    if here != Scope() and owner_of(here) != owner_of(theirs):
        raise ConfigError(
            f"the session {agent.session.id!r} belongs to another scope than the one in force: "
            "make it with Session(..., scope=...), or what one user said is shown to another"
        )
    return theirs


def check_resumer(agent: Equipped, record: RunRecord) -> None:
    """Do nothing for a run that *agent* can go on with."""
    if (record.agent, record.kind) != (agent.name, agent.kind):
        raise SessionError(
            f"run {record.id} is one of {record.agent!r} (kind {record.kind!r}), "
            f"not of {agent.name!r} (kind {agent.kind!r}): resume it with that agent"
        )
    # A sub-agent has no session, whatever scope its run is in.
    bound = agent.session or record.scope.session or agent.chat.held().scope
    if bound and "parent" not in record.data and scope_of(agent) != record.scope:
        session = record.scope.session
        where = f"session {session!r} of its scope" if session else "another scope"
        raise SessionError(f"run {record.id} belongs to {where}: resume it with an agent of that")
    if record.status == "abandoned":
        raise SessionError(
            f"run {record.id} was left behind when its session went on with another question: "
            "ask it again"
        )
