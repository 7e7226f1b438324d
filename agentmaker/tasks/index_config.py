"""The index of a task as it is configured: opened when it is needed, closed when it is not."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, get_args

from agentmaker.errors import ConfigError
from agentmaker.memory.index.index import Index
from agentmaker.memory.index.values import Strategy

if TYPE_CHECKING:
    from agentmaker.memory.index.embedding import Embedder


class ConfiguredIndex:
    """One index after the other; one that was given is used by others too, and never closed."""

    def __init__(self, given: Index | str | Path | None) -> None:
        if given is not None and not isinstance(given, (Index, str, Path)):
            raise ConfigError(f"index is an Index, a path or None, not {type(given).__name__}")
        self._given = given if isinstance(given, Index) else None
        self._path = given if isinstance(given, (str, Path)) else None
        self._embedder: Embedder | None = None
        self._own: Index | None = None
        self._retired: list[Index] = []
        self.strategy: Strategy = "lexical"

    @property
    def kept(self) -> bool:
        """Whether it outlives the task, or serves others."""
        return self._given is not None or self._path is not None

    @property
    def current(self) -> Index | None:
        """None where nothing is searched for."""
        if self.strategy == "structural":
            return None
        if self._given is not None:
            return self._given
        if self._own is None:
            self._own = Index(self._path, embedder=self._embedder)
        return self._own

    def configure(self, strategy: Strategy, embedder: Embedder | None) -> None:
        """Raises ConfigError: the two do not go together."""
        if strategy not in get_args(Strategy):
            known = ", ".join(map(repr, get_args(Strategy)))
            raise ConfigError(f"there is no strategy {strategy!r}: use one of {known}")
        self._check(strategy, embedder)
        if self._own is not None:
            self._retired.append(self._own)
        self.strategy, self._embedder, self._own = strategy, embedder, None

    async def settle(self) -> None:
        """Close what is no longer used."""
        while self._retired:
            await self._retired.pop().aclose()

    async def aclose(self) -> None:
        if self._own is not None:
            self._retired.append(self._own)
            self._own = None
        await self.settle()

    def _check(self, strategy: Strategy, embedder: Embedder | None) -> None:
        if embedder is not None and not callable(embedder):
            raise ConfigError(
                f"embedding_provider is a function of texts, not {type(embedder).__name__}"
            )
        if embedder is not None and self._given is not None:
            raise ConfigError("the index was given: make it with Index(embedder=...)")
        if embedder is not None and strategy != "hybrid":
            raise ConfigError("an embedding_provider needs strategy='hybrid': set it as well")
        if strategy == "hybrid" and embedder is None and self._given is None:
            raise ConfigError("strategy='hybrid' needs an embedding_provider: pass one")
