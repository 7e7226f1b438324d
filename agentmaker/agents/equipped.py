"""What an agent is made of, which a run of it is begun from."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

from agentmaker.agents.chat import read_client
from agentmaker.agents.given import (
    read_config,
    read_confirm,
    read_instructions,
    read_limits,
    read_name,
    read_notes,
    read_session,
    read_store,
    read_tools,
)
from agentmaker.agents.knobs import DEFAULT_LIMITS, AgentConfig
from agentmaker.agents.outputs import read_output
from agentmaker.agents.run import ActiveRun
from agentmaker.agents.script import Script
from agentmaker.agents.slots import Slots
from agentmaker.agents.stream import RunStream
from agentmaker.agents.toolbox import Confirm
from agentmaker.calls.limits import RunPolicy
from agentmaker.clients.checks import read_sources
from agentmaker.context.sources import ContextSource
from agentmaker.memory.session import Session
from agentmaker.memory.store import Store
from agentmaker.tools import Tool, ToolRegistry

if TYPE_CHECKING:
    from agentmaker.memory.notes.notes import Notes

Begin = Callable[[bool], Awaitable[ActiveRun]]
"""Gives a run to be played; told whether replies are to be pulled piece by piece."""


_PARTS = frozenset(
    {"name", "chat", "notes", "tools", "sources", "session", "store", "output_type"}
    | {"limits", "confirm", "config"}
)


class Equipped(ABC):
    """A name, a client, and what a run of it may use.

    Args:
        instructions: the role it always has.
        client: an `LLMClient`, a wrapped client, or a model with ``chat``.
        model: the model to ask, for a wrapped client.
        tools: `Tool`s and plain functions.
        sources: asked for every question; None leaves it to the client's own.
        session: what was said before, and where the turns of a run go.
        notes: what the agent writes down for itself: their tools are added, their index stands
            above the question, and it is reminded of them by ``AgentConfig.notes``.
        store: where runs are kept; by default the session's, else this process's memory.
        output: a type that pydantic knows, which answers are read as; text without one.
        limits: what one run may spend, sub-agents included.
        confirm: decides on a call whose tool needs an approval: True, False, or None to wait.
            A run that waits can be resumed; without *confirm*, every such call waits.

    Attributes:
        slots: what all its requests have.

    Raises:
        ConfigError: one of them is of the wrong kind.
    """

    kind: ClassVar[str]

    def __init__(
        self,
        name: str,
        client: Any,
        instructions: str = "",
        *,
        model: str | None = None,
        tools: Iterable[Tool | Callable[..., Any]] | ToolRegistry = (),
        sources: Sequence[ContextSource] | None = None,
        session: Session | None = None,
        notes: Notes | None = None,
        store: Store | None = None,
        output: Any = None,
        limits: RunPolicy = DEFAULT_LIMITS,
        confirm: Confirm | None = None,
        config: AgentConfig | None = None,
    ) -> None:
        self.name = read_name(name)
        self.chat = read_client(client, model)
        self.slots = Slots(role=read_instructions(instructions))
        self.notes = read_notes(notes)
        self.config = read_config(config)
        self.tools = read_tools(tools, self.notes, self.config)
        self.sources = None if sources is None else read_sources(sources)
        self.session = read_session(session)
        self.store = read_store(session, store)
        self.output_type = read_output(output)
        self.limits = read_limits(limits)
        self.confirm = read_confirm(confirm)
        self._made = True

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _PARTS and vars(self).get("_made"):
            raise AttributeError(
                f"an agent's {name} is what it was made with: make another agent for another one"
            )
        super().__setattr__(name, value)

    def with_parts(self, **parts: Any) -> Self:
        """A copy with some of its parts another."""
        twin = copy.copy(self)
        vars(twin).update(parts)
        return twin

    @property
    def instructions(self) -> str:
        """The role it always has."""
        return self.slots.role

    @abstractmethod
    def script(self, run: ActiveRun) -> Script:
        """The parts of a run, from its first on; ends with `ActiveRun.answer`."""

    @abstractmethod
    def played(self, begin: Begin) -> RunStream:
        """The run that *begin* gives, from where it is to its end."""
