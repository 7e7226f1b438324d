"""`TaskContext`: the sources of a task, and what each consumer may read of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from agentmaker.context.knobs import check_seconds
from agentmaker.context.results import RetrievalResult
from agentmaker.context.sources import ContextSource, Grant
from agentmaker.errors import ConfigError
from agentmaker.memory.index.values import Strategy
from agentmaker.prompts import DEFAULT_PROMPTS, PromptRegistry
from agentmaker.scope import Scope
from agentmaker.sync import run
from agentmaker.tasks.binding import Attachable, bind
from agentmaker.tasks.index_config import ConfiguredIndex
from agentmaker.tasks.reader import ContextReader
from agentmaker.tasks.reader_options import ReaderOptions
from agentmaker.tasks.registry import SourceRegistry
from agentmaker.tasks.selection import Selector, check_selector
from agentmaker.tasks.snapshot import CatalogEntry, Snapshot
from agentmaker.tasks.sources.evidence import EvidenceSource
from agentmaker.tasks.synced_source import Changed
from agentmaker.tasks.upkeep import Upkeep
from agentmaker.tokens import TokenCounter, adopted, count_tokens

if TYPE_CHECKING:
    from agentmaker.memory.index.embedding import Embedder
    from agentmaker.memory.index.index import Index


class TaskContext(ContextSource):
    """What a task may see: sources bound to it, an index over them, readers by consumer.

    As a `ContextSource` it is the reader of the consumer ``scope.agent``. It may be
    used by many tasks at once; ``async with`` closes it.

    Args:
        scope: whose task it is; what is indexed is kept apart by it.
        index: where the index is kept: a file, an `Index`, or in memory for None.
        name: as a source, the key of its share: that of what is retrieved. Where a knowledge
            base draws on that one too, give another name and a share in ``source_ratios``.
        required: as a source, whether its failure stops the turn.
        source_timeout: seconds for a page or a read of a source, and for one choice of a
            selector; None for no limit.
        max_age: seconds for which a read takes the sources to be as they were found; by default
            it always looks. What it shows is read and verified in any case, and a source that
            failed or is new is asked at once.
        clock: seconds, for *max_age*.

    Raises:
        ConfigError: an option is not what it should be.
    """

    def __init__(
        self,
        *,
        scope: Scope | None = None,
        index: Index | str | Path | None = None,
        counter: TokenCounter = count_tokens,
        prompts: PromptRegistry = DEFAULT_PROMPTS,
        name: str = "rag",
        required: bool = False,
        source_timeout: float | None = 30.0,
        max_age: float = 0.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.scope = scope
        self.name = _checked_name("task", name)
        self.required = required
        self._counter = adopted(counter)
        self._prompts = prompts
        self._timeout = check_seconds("source_timeout", source_timeout)
        self._sources = SourceRegistry(scope, self._timeout)
        self._upkeep = Upkeep(self._sources, ConfiguredIndex(index), max_age=max_age, clock=clock)

    def attach(
        self,
        source: Attachable,
        *,
        binding_id: str | None = None,
        consumers: Iterable[str] | None = None,
        required: bool = False,
        priority: int = 0,
        metadata: Mapping[str, Any] | None = None,
    ) -> str:
        """Bind *source* to the task; returns the id of the binding.

        Args:
            source: any `TaskSource`; a path stands for its folder, a list for records of the
                name *binding_id*.
            binding_id: the source's own id by default.
            consumers: who may see it; everyone for None.
            required: all it has is always shown, and its failure stops a read.
            priority: larger ones come first where the index does not tell.
            metadata: JSON, for the application.

        Raises:
            ConfigError: the id is taken, another source has the same one, or an option is wrong;
                records without a name, where the index is kept.
        """
        return self._sources.add(
            bind(
                source,
                binding_id=binding_id,
                consumers=consumers,
                required=required,
                priority=priority,
                metadata=metadata,
                kept=self._upkeep.index.kept,
            )
        )

    def put(
        self,
        text: str,
        *,
        title: str = "",
        binding_id: str | None = None,
        consumers: Iterable[str] | None = None,
        required: bool = False,
        priority: int = 0,
        metadata: Mapping[str, Any] | None = None,
    ) -> str:
        """Bind a text as evidence; options and result are those of `attach`.

        Raises:
            ConfigError: the id is taken, or an option is wrong.
            TypeError: *text* or *title* is no string.
        """
        return self.attach(
            EvidenceSource(text, title=title),
            binding_id=binding_id,
            consumers=consumers,
            required=required,
            priority=priority,
            metadata=metadata,
        )

    def remove(self, binding_id: str) -> None:
        """Take a source from the task. A stored index keeps what it has of it.

        Raises:
            ConfigError: there is no such binding.
        """
        self._sources.remove(binding_id)

    @property
    def revision(self) -> str:
        """Of bindings and sources as they were at the last refresh: the same for the same data."""
        return self.snapshot().revision

    def snapshot(self) -> Snapshot:
        """The task as it was at the last refresh."""
        return self._sources.snapshot()

    def source_catalog(self, consumer: str | None = None) -> tuple[CatalogEntry, ...]:
        """The sources that *consumer* may see, all for None, as they were at the last refresh."""
        return self.snapshot().catalog(consumer)

    def configure_index(
        self, *, strategy: Strategy = "lexical", embedding_provider: Embedder | None = None
    ) -> None:
        """Say how candidates are found: not at all, by words, or by words and meaning.

        Raises:
            ConfigError: there is no such strategy, or the provider is missing or not needed.
        """
        self._upkeep.configure(strategy, embedding_provider)

    async def refresh(self) -> Changed:
        """Bring index and revision up to date, by what changed; a read does so first.

        One refresh is at work at a time; who comes meanwhile shares the next one.

        Raises:
            StoreError: the index cannot be read or written.
        """
        return await self._upkeep.refresh()

    def reader(
        self,
        *,
        consumer: str,
        phase: str = "execution",
        max_blocks: int = 16,
        budget_tokens: int | None = None,
        semantic_selector: Selector | None = None,
        name: str | None = None,
    ) -> ContextReader:
        """A reader for *consumer*, which is a source as well.

        Args:
            max_blocks: candidates that are considered, and blocks that are shown.
            budget_tokens: for the whole of a package's text; None allows each block 2,000.
            semantic_selector: chooses among the candidates, such as ``ModelSelector(client)``;
                without one they are taken in the order of the index.
            name: as a source, the key of its share; the task's by default.

        Raises:
            ConfigError: an option is not what it should be.
        """
        options = ReaderOptions(
            consumer=consumer,
            phase=phase,
            max_blocks=max_blocks,
            budget=budget_tokens,
            counter=self._counter,
            prompts=self._prompts,
            timeout=self._timeout,
        )
        return ContextReader(
            self._upkeep.current,
            options,
            check_selector(semantic_selector),
            scope=self.scope,
            name=self.name if name is None else _checked_name("reader", name),
            required=self.required,
        )

    def fetch(
        self, query: str, scope: Scope | None = None, *, grant: Grant | None = None
    ) -> list[RetrievalResult]:
        """The sync form of `afetch`."""
        return run(partial(self.afetch, grant=grant), query, scope)

    async def afetch(
        self, query: str, scope: Scope | None = None, *, grant: Grant | None = None
    ) -> list[RetrievalResult]:
        """What a `reader` for the consumer ``scope.agent`` fetches."""
        reader = self.reader(consumer=(scope.agent if scope else None) or "")
        return await reader.afetch(query, scope, grant=grant)

    async def aclose(self) -> None:
        """Give back what the index holds open; one in memory is forgotten, a given one is left."""
        await self._upkeep.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()


def _checked_name(what: str, name: object) -> str:
    if isinstance(name, str) and name:
        return name
    raise ConfigError(f"a {what}'s name is a key of source_ratios, not {name!r}")
