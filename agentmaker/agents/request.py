"""One request to an agent: what only it has in its slots."""

from __future__ import annotations

from dataclasses import dataclass, field

from agentmaker.agents.asking import Asking
from agentmaker.agents.equipped import Equipped
from agentmaker.agents.slots import Slots


@dataclass(frozen=True, slots=True)
class Request(Asking):
    """A chain of slots, each filled for this request alone, over those of *agent*.

    Every link is a request of its own: one may be sent many times, and gone on from.
    """

    agent: Equipped
    once: Slots = field(default_factory=Slots)

    def _request(self) -> Request:
        return self
