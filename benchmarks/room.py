"""How much of the room for the conversation a request uses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from agentmaker.clients.fit import Fitted
from benchmarks.independent import prompt_tokens

Tools = Sequence[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Use:
    """Tokens for retrieved block and conversation: those there are, and those in use."""

    room: int
    used: int

    @property
    def share(self) -> float:
        return self.used / self.room


def use_of(fitted: Fitted, tools: Tools = ()) -> Use:
    """Counted independently; the ledger is asked for the window, the reserve and the margin."""
    ledger = fitted.ledger
    system = list(takewhile(lambda each: each["role"] == "system", fitted.messages))
    fixed = prompt_tokens(system, tools)
    room = ledger.window - ledger["output"].allotted - ledger["margin"].allotted - fixed
    return Use(room, prompt_tokens(fitted.messages, tools) - fixed)
