"""What a store keeps, as values. Everything belongs to a `Scope`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

from agentmaker.messages import Message
from agentmaker.scope import Scope

Status = Literal["running", "waiting", "done", "stopped", "failed", "abandoned"]
"""Of a run: at work, waiting for an approval, answered, ended by a limit, ended by an error, left
behind by its session, which went on without it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionState:
    """What the window sees of a session beside the turns themselves.

    Attributes:
        version: grows with every change of the state; a change made from an older one is refused.
        upto: how many of the session's turns *full* and *window* stand for; later ones follow.
        full: the conversation in the place of those turns, None for the turns as they were said.
        window: what is shown in the place of those turns, None for *full*.
        memo: what the application keeps of them, as JSON.
    """

    version: int = 0
    upto: int = 0
    full: tuple[Message, ...] | None = None
    window: tuple[Message, ...] | None = None
    memo: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """One run of an agent, as far as it has come.

    Attributes:
        agent: the agent's name.
        kind: its paradigm: ``"agent"``, ``"plan"`` or ``"reflection"``.
        scope: whose run it is; its ``session`` is the one the turns go to, None for none.
        owner: who may go on with it: changes when it is resumed.
        data: JSON: the ``question``, the ``prompt`` around it, what was ``spent``, the ``parent``
            run of a sub-agent's.
    """

    id: str
    agent: str
    scope: Scope
    owner: str
    kind: str = "agent"
    status: Status = "running"
    data: Mapping[str, Any] = field(default_factory=dict)
    created: datetime = field(default_factory=lambda: datetime.now(UTC))
    updated: datetime = field(default_factory=lambda: datetime.now(UTC))

    def gone_on(self, status: Status, data: Mapping[str, Any]) -> RunRecord:
        """The run as it is from now on."""
        return RunRecord(
            id=self.id,
            agent=self.agent,
            scope=self.scope,
            owner=self.owner,
            kind=self.kind,
            status=status,
            data=data,
            created=self.created,
        )


@dataclass(frozen=True, slots=True)
class Entry:
    """Something that happened in a run, as JSON; never changed once it is committed."""

    kind: str
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A text with a name: a note, or a tool's result that was put away.

    Attributes:
        kind: what it is, such as ``"note"``; names are unique within it.
        gist: it in one line.
    """

    kind: str
    name: str
    text: str
    gist: str = ""
    updated: datetime = field(default_factory=lambda: datetime.now(UTC))
