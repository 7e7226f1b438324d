"""Keeps the memories of a scope to a number: those of the least worth make room."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from datetime import datetime

from agentmaker.calls.memory.remembered import Remembered
from agentmaker.memory.memories.record import KIND, MemoryRecord, from_document
from agentmaker.memory.memories.worth import Weights
from agentmaker.memory.store import Store
from agentmaker.scope import Scope

_SCOPES = 10_000
"""Whose additions are counted; of another scope the next one is looked at."""


@dataclass(slots=True, kw_only=True)
class Room:
    """At most *most* memories a scope, and up to a tenth more for a while.

    They are counted with the first addition to a scope and once every tenth of *most*.
    """

    store: Store
    most: int
    weights: Weights
    _left: Remembered[Scope, int] = field(default_factory=lambda: Remembered(_SCOPES))

    async def make(self, scope: Scope, newest: str, now: datetime) -> None:
        """Let others than *newest* go where there are too many."""
        left = self._left.get(scope) or 0
        if left:
            self._left.put(scope, left - 1)
            return
        documents = await self.store.documents(scope, KIND)
        self._left.put(scope, max(0, self.most // 10 - 1))
        excess = len(documents) - self.most
        if excess > 0:
            others = [from_document(each) for each in documents if each.name != newest]
            others.sort(key=lambda each: (self.weights.lasting(each, now), each.updated, each.id))
            await self._let_go(scope, others[:excess])

    async def _let_go(self, scope: Scope, records: list[MemoryRecord]) -> None:
        for each in records:
            await self.store.remove(scope, KIND, each.id)
        logging.getLogger("agentmaker").warning(
            "%d memories of the least worth made room: a scope may have most=%d",
            len(records),
            self.most,
        )
