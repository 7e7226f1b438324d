"""`ContextReader`: reads for one consumer what a task has for a query, within a budget."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from typing import TypeAlias

from agentmaker.context.results import RetrievalResult
from agentmaker.context.sources import ContextSource, Grant
from agentmaker.errors import ConfigError
from agentmaker.memory.index.values import EmbeddingUsage
from agentmaker.scope import Scope
from agentmaker.sync import run
from agentmaker.tasks.as_source import check_scope, results_of
from agentmaker.tasks.filters import Filters
from agentmaker.tasks.item_reader import Staleness, StaleSnapshot
from agentmaker.tasks.package import ContextPackage
from agentmaker.tasks.package_builder import PackageBuilder
from agentmaker.tasks.plan import RetrievalPlan, check_plan, check_query
from agentmaker.tasks.reader_options import ReaderOptions
from agentmaker.tasks.retriever import Retrieved, Retriever
from agentmaker.tasks.search import Search
from agentmaker.tasks.selection import Selector, SelectorGate
from agentmaker.tasks.snapshot import Snapshot

Current: TypeAlias = Callable[[bool], Awaitable[tuple[Snapshot, Search]]]
"""The task as it is now, its index up to date; True looks whatever is known already."""

_RESTARTS = 3
"""So often a package is begun anew because a source changed while it was read."""


class ContextReader(ContextSource):
    """Reads of one consumer in one phase; made by ``TaskContext.reader``.

    As a `ContextSource` it gives a builder a result for each block, in what tokens it is granted
    and no more than its own budget.

    - A package belongs to one revision of the task. Where a source changes while it is read,
      the read begins anew; what still is not as it was told is left out, and said so.
    - The same task gives equal packages for equal questions.
    - Readers may work at the same time, and be cancelled without harm to each other.
    """

    def __init__(
        self,
        current: Current,
        options: ReaderOptions,
        selector: Selector | None,
        *,
        scope: Scope | None,
        name: str,
        required: bool,
    ) -> None:
        self.name = name
        self.required = required
        self._current = current
        self._options = options
        self._selector = selector
        self._scope = scope

    def __repr__(self) -> str:
        return f"ContextReader(consumer={self._options.consumer!r}, phase={self._options.phase!r})"

    async def read(
        self,
        query: str,
        *,
        paths: Iterable[str] = (),
        roles: Iterable[str] = (),
        bindings: Iterable[str] = (),
        refs: Iterable[str] = (),
        skip: Iterable[str] = (),
        seen: Iterable[ContextPackage] = (),
    ) -> ContextPackage:
        """What bears on *query*; for an empty one items come in the order of their sources.

        Args:
            paths: patterns of refs, where ``*`` stands for any characters.
            roles: of what is wanted, such as ``"file"``.
            bindings: where to look.
            refs: read before all others, whatever is chosen.
            skip: refs that are not wanted.
            seen: packages the consumer still has; what they show completely is not repeated.

        Raises:
            ConfigError: a filter is no list of strings, or names a binding that the consumer has
                not; *seen* is no list of packages.
            ContextWindowExceeded: there is no room for what the task requires.
            SourceError: a required source failed.
            StoreError: the index cannot be read or written.
        """
        filters = Filters.of(paths=paths, roles=roles, bindings=bindings, refs=refs, skip=skip)
        return await self._read(self._options, query, filters, seen)

    async def retrieve(
        self, plan: RetrievalPlan, *, seen: Iterable[ContextPackage] = ()
    ) -> ContextPackage:
        """What answers the queries of *plan*, in one package at one revision, without a selector.

        ``metadata["groups"]`` tells which reference ids answer which query.

        Raises:
            ConfigError: *plan* is none, or a group of it names a binding that the consumer has
                not; *seen* is no list of packages.
            ContextWindowExceeded: there is no room for what the task requires.
            SourceError: a required source failed.
            StoreError: the index cannot be read or written.
        """
        check_plan(plan)
        query = "\n".join(group.query for group in plan.groups)
        return await self._package(
            self._options, query, lambda retriever: retriever.for_groups(plan.groups), seen
        )

    def fetch(
        self, query: str, scope: Scope | None = None, *, grant: Grant | None = None
    ) -> list[RetrievalResult]:
        """The sync form of `afetch`."""
        return run(partial(self.afetch, grant=grant), query, scope)

    async def afetch(
        self, query: str, scope: Scope | None = None, *, grant: Grant | None = None
    ) -> list[RetrievalResult]:
        """What `read` shows, the best first.

        A result's ``metadata`` holds its ``reference_id`` and its `Ref`.

        Raises:
            ConfigError: *scope* is another one's than the task's.
            ContextWindowExceeded: there is no room for what the task requires.
            SourceError: a required source failed.
            StoreError: the index cannot be read or written.
        """
        check_scope(self._scope, scope)
        options = self._options if grant is None else self._options.within(grant)
        return results_of(await self._read(options, query, Filters(), ()), self.name)

    async def _read(
        self, options: ReaderOptions, query: str, filters: Filters, seen: Iterable[ContextPackage]
    ) -> ContextPackage:
        check_query(query)
        return await self._package(
            options, query, lambda retriever: retriever.for_query(query, filters), seen
        )

    async def _package(
        self,
        options: ReaderOptions,
        query: str,
        choose: Callable[[Retriever], Awaitable[Retrieved]],
        seen: Iterable[ContextPackage],
    ) -> ContextPackage:
        staleness = Staleness()
        selector = SelectorGate(self._selector, options.timeout) if self._selector else None
        packages, used = _packages(seen), EmbeddingUsage()
        for restart in range(_RESTARTS + 1):
            staleness.begin(patient=restart < _RESTARTS)
            snapshot, search = await self._current(restart > 0)
            builder = PackageBuilder(
                query=query,
                options=options,
                snapshot=snapshot,
                search=search,
                selector=selector,
                staleness=staleness,
                used=used,
            )
            try:
                return await builder.build(choose, packages)
            except StaleSnapshot:
                used = builder.used
        raise AssertionError("a read that is not patient ends")


def _packages(given: object) -> tuple[ContextPackage, ...]:
    packages = tuple(given) if isinstance(given, Iterable) else (None,)
    if all(isinstance(each, ContextPackage) for each in packages):
        return packages
    raise ConfigError("seen is a list of packages that were read: write seen=[package]")
