"""`ContextReader`: reads for one consumer what a task has for a query, within a budget."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from agentmaker.errors import ConfigError
from agentmaker.memory.index.values import EmbeddingUsage
from agentmaker.tasks.asking import Asking
from agentmaker.tasks.catalog import Snapshot
from agentmaker.tasks.choice import Choice, Chooser
from agentmaker.tasks.contents import Moved, Suspects
from agentmaker.tasks.filters import Filters
from agentmaker.tasks.making import Making
from agentmaker.tasks.narrowing import Seeking
from agentmaker.tasks.package import ContextPackage
from agentmaker.tasks.plan import RetrievalPlan, check_plan, check_query
from agentmaker.tasks.selection import Choosing, Selector

Current: TypeAlias = Callable[[bool], Awaitable[tuple[Snapshot, Seeking]]]
"""The task as it is now, its index up to date; True looks whatever is known already."""

_RESTARTS = 3
"""So often a package is begun anew because a source changed while it was read."""


@dataclass(frozen=True, slots=True)
class ContextReader:
    """Reads of one consumer in one phase; made by ``TaskContext.reader``.

    - A package belongs to one revision of the task. Where a source changes while it is read,
      the read begins anew; what still is not as it was told is left out, and said so.
    - The same task gives equal packages for equal questions.
    - Readers may work at the same time, and be cancelled without harm to each other.
    """

    current: Current
    asking: Asking
    selector: Selector | None

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
        """What bears on *query*; for an empty one things come in the order of their sources.

        Args:
            paths: patterns of refs, where ``*`` stands for any characters.
            roles: of what is wanted, such as ``"file"``.
            bindings: where to look.
            refs: read before all others, whatever is chosen.
            skip: refs that are not wanted.
            seen: packages the consumer still has; what they show completely is not repeated.

        Raises:
            ConfigError: a filter is no list of strings, or names a binding there is not; *seen*
                is no list of packages.
            ContextWindowExceeded: there is no room for what the task requires.
            SourceError: a required source failed.
            StoreError: the index cannot be read or written.
        """
        check_query(query)
        filters = Filters.of(paths=paths, roles=roles, bindings=bindings, refs=refs, skip=skip)
        return await self._package(query, lambda chooser: chooser.for_query(query, filters), seen)

    async def retrieve(
        self, plan: RetrievalPlan, *, seen: Iterable[ContextPackage] = ()
    ) -> ContextPackage:
        """What answers the queries of *plan*, in one package at one revision, without a selector.

        ``metadata["groups"]`` tells which reference ids answer which query.

        Raises:
            ConfigError: *plan* is none, or a group of it names a binding there is not; *seen* is
                no list of packages.
            ContextWindowExceeded: there is no room for what the task requires.
            SourceError: a required source failed.
            StoreError: the index cannot be read or written.
        """
        check_plan(plan)
        query = "\n".join(group.query for group in plan.groups)
        return await self._package(query, lambda chooser: chooser.for_groups(plan.groups), seen)

    async def _package(
        self,
        query: str,
        choose: Callable[[Chooser], Awaitable[Choice]],
        seen: Iterable[ContextPackage],
    ) -> ContextPackage:
        suspects = Suspects()
        choosing = Choosing(self.selector, self.asking.timeout) if self.selector else None
        packages, used = _packages(seen), EmbeddingUsage()
        for restart in range(_RESTARTS + 1):
            suspects.begin(patient=restart < _RESTARTS)
            snapshot, seeking = await self.current(restart > 0)
            making = Making(
                query=query,
                asking=self.asking,
                snapshot=snapshot,
                seeking=seeking,
                choosing=choosing,
                suspects=suspects,
                used=used,
            )
            try:
                return await making.package(choose, packages)
            except Moved:
                used = making.used
        raise AssertionError("a read that is not patient ends")


def _packages(seen: Iterable[ContextPackage]) -> tuple[ContextPackage, ...]:
    if not isinstance(seen, ContextPackage):
        packages = tuple(seen)
        if all(isinstance(each, ContextPackage) for each in packages):
            return packages
    raise ConfigError("seen is a list of packages that were read: write seen=[package]")
