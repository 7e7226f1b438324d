"""Keeps the memories of a scope to a number: those of the least worth make room."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from heapq import nsmallest

from anyio import to_thread

from agentmaker.calls.memory.remembered import Remembered
from agentmaker.memory.memories.record import KIND, from_document
from agentmaker.memory.memories.scoring import Weights
from agentmaker.memory.records import Document
from agentmaker.memory.store import Store
from agentmaker.scope import Scope

_SCOPES = 10_000
"""Whose additions are counted; of another scope the next one is looked at."""


@dataclass(slots=True, kw_only=True)
class Eviction:
    """At most *most* memories a scope, and up to a tenth more for a while.

    They are counted with the first addition to a scope and once every tenth of *most*.
    """

    store: Store
    most: int
    weights: Weights
    _left: Remembered[Scope, int] = field(default_factory=lambda: Remembered(_SCOPES))

    async def make_room(self, scope: Scope, newest: str, now: datetime) -> None:
        """Let others than *newest* go where there are too many."""
        left = self._left.get(scope) or 0
        if left:
            self._left.put(scope, left - 1)
            return
        documents = await self.store.documents(scope, KIND)
        self._left.put(scope, max(0, self.most // 10 - 1))
        excess = len(documents) - self.most
        if excess > 0:
            others = [each for each in documents if each.name != newest]
            await self._let_go(scope, await to_thread.run_sync(self._least, others, excess, now))

    def _least(self, documents: Sequence[Document], number: int, now: datetime) -> list[str]:
        records = map(from_document, documents)
        least = nsmallest(
            number,
            records,
            key=lambda each: (self.weights.lasting(each, now), each.updated, each.id),
        )
        return [each.id for each in least]

    async def _let_go(self, scope: Scope, ids: Sequence[str]) -> None:
        for each in ids:
            await self.store.remove(scope, KIND, each)
        logging.getLogger("agentmaker").warning(
            "%d memories of the least worth made room: a scope may have most=%d",
            len(ids),
            self.most,
        )
