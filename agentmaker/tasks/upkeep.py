"""When a task looks at its sources again, and brings its index up to date."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from agentmaker.context.knobs import check_number
from agentmaker.memory.index.values import Strategy
from agentmaker.tasks.index_config import ConfiguredIndex
from agentmaker.tasks.registry import SourceRegistry
from agentmaker.tasks.search import Search
from agentmaker.tasks.single_flight import SingleFlight
from agentmaker.tasks.snapshot import Snapshot
from agentmaker.tasks.synced_source import Changed

if TYPE_CHECKING:
    from agentmaker.memory.index.embedding import Embedder


class Upkeep:
    """Looks at *sources* for what is *max_age* seconds old; one refresh is at work at a time.

    Raises:
        ConfigError: *max_age* is no number, or below 0.
    """

    def __init__(
        self,
        sources: SourceRegistry,
        index: ConfiguredIndex,
        *,
        max_age: float,
        clock: Callable[[], float],
    ) -> None:
        self.index = index
        self._sources = sources
        self._max_age = check_number("max_age", max_age, least=0)
        self._clock = clock
        self._looked = -math.inf
        self._refreshed = SingleFlight(self._refresh)

    async def refresh(self) -> Changed:
        """Look in any case; who comes while one is at work shares the next."""
        return await self._refreshed()

    async def current(self, look: bool) -> tuple[Snapshot, Search]:
        """The task as it is now, and how it is searched; *look* whatever is known already."""
        aged = self._looked + self._max_age <= self._clock()
        if look or aged or self._sources.failing:
            await self.refresh()
        while not self._sources.asked:
            await self.refresh()  # something was attached meanwhile
        search = Search(index=self.index.current, strategy=self.index.strategy)
        return self._sources.snapshot(), search

    def configure(self, strategy: Strategy, embedder: Embedder | None) -> None:
        """Raises ConfigError: the two do not go together."""
        self.index.configure(strategy, embedder)
        self._forget_stored()

    async def aclose(self) -> None:
        await self.index.aclose()
        self._forget_stored()

    async def _refresh(self) -> Changed:
        await self.index.settle()
        index, now = self.index.current, self._clock()
        changed = await self._sources.refresh(index)
        if index is self.index.current:  # none was configured meanwhile
            self._looked = now
        return changed

    def _forget_stored(self) -> None:
        self._sources.forget_stored()
        self._looked = -math.inf
