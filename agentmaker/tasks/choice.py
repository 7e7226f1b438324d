"""Chooses what is to be read at one revision of a task: for a query, or for a plan of several."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, zip_longest

from agentmaker.memory.index.values import EmbeddingUsage
from agentmaker.tasks.asking import Asking
from agentmaker.tasks.catalog import Snapshot
from agentmaker.tasks.filters import Filters
from agentmaker.tasks.narrowing import Seeking, Window
from agentmaker.tasks.omitting import Omitting
from agentmaker.tasks.package import Diagnostic, Reason
from agentmaker.tasks.plan import QueryGroup
from agentmaker.tasks.selection import Choosing
from agentmaker.tasks.source import Span
from agentmaker.tasks.things import Candidates, Key, Pool, Sorting, Thing


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What to read, in order.

    Attributes:
        spans: where the query hit a thing.
        groups: what each group of a plan found.
    """

    things: tuple[Thing, ...]
    spans: Mapping[Key, Span]
    authorised: int
    candidates: int
    considered: int
    groups: tuple[tuple[Key, ...], ...] = ()


@dataclass(slots=True, kw_only=True)
class Chooser:
    """Chooses from *snapshot* what *asking* may have; takes down what it leaves out."""

    asking: Asking
    snapshot: Snapshot
    seeking: Seeking
    choosing: Choosing | None
    omitting: Omitting
    diagnostics: list[Diagnostic] = field(default_factory=list)
    usage: EmbeddingUsage = field(default_factory=EmbeddingUsage)

    async def for_query(self, query: str, filters: Filters) -> Choice:
        """Required things, named ones, then what the index and the selector make of the rest."""
        candidates = self._candidates(filters)
        left = max(0, self.asking.max_blocks - len(candidates.first))
        most = self.asking.max_blocks if left else 0
        window = await self._narrowed(query, candidates, most, fill=self.choosing is not None)
        chosen = await self._chosen(query, window, candidates, left)
        self._leave(
            candidates, {thing.key for thing in window.things}, _left_out(len(window.things), most)
        )
        return Choice(
            things=_parents_first((*candidates.first, *chosen)),
            spans=window.spans,
            authorised=candidates.authorised,
            candidates=len(candidates.first) + candidates.optional,
            considered=len(candidates.first) + len(window.things),
        )

    async def for_groups(self, groups: Sequence[QueryGroup]) -> Choice:
        """Required things, then the best of every group, their second best, and so on."""
        sorted_out = [self._candidates(_filters_of(group)) for group in groups]
        windows = [
            await self._narrowed(group.query, candidates, group.max_results, fill=False)
            for group, candidates in zip(groups, sorted_out, strict=True)
        ]
        ranks = chain.from_iterable(zip_longest(*(window.things for window in windows)))
        first = chain.from_iterable(each.first for each in sorted_out)
        things = {each.key: each for each in (*first, *filter(None, ranks))}
        candidates = _together(sorted_out)
        full = any(
            len(window.things) == group.max_results
            for group, window in zip(groups, windows, strict=True)
        )
        self._leave(
            candidates,
            {thing.key for window in windows for thing in window.things},
            "selection_budget_exhausted" if full else "not_selected",
        )
        return Choice(
            things=_parents_first(things.values()),
            spans={key: span for each in reversed(windows) for key, span in each.spans.items()},
            authorised=candidates.authorised,
            candidates=len(candidates.first) + candidates.optional,
            considered=len(things),
            groups=tuple(tuple(each.key for each in window.things) for window in windows),
        )

    def _candidates(self, filters: Filters) -> Candidates:
        sorting = Sorting(self.snapshot, self.asking.consumer, filters, self.omitting)
        candidates = sorting.candidates()
        self.diagnostics.extend(sorting.diagnostics)
        return candidates

    async def _narrowed(
        self, query: str, candidates: Candidates, most: int, *, fill: bool
    ) -> Window:
        if not most:
            return Window(things=())
        window = await self.seeking.narrow(query, candidates, most, fill=fill)
        self.usage += window.usage
        self.diagnostics.extend(window.diagnostics)
        return window

    async def _chosen(
        self, query: str, window: Window, candidates: Candidates, left: int
    ) -> Sequence[Thing]:
        if candidates.optional <= 1 or not window.things:
            return window.things
        if self.choosing is None:
            self.diagnostics.append(Diagnostic(code="semantic_selector_unavailable"))
            return window.things
        request = self.asking.request(query, window.things, left)
        selection = await self.choosing.choose(window.things, request)
        if selection.reason:
            self.diagnostics.append(Diagnostic(code=selection.reason, detail=selection.detail))
        chosen = {thing.key for thing in selection.things}
        for thing in window.things:
            if thing.key not in chosen:
                self.omitting.add(thing, selection.reason or "not_selected")
        return selection.things

    def _leave(self, candidates: Candidates, seen: Collection[Key], reason: Reason) -> None:
        """Take down the candidates that had no place in a window."""
        self.omitting.rest(candidates, candidates.optional, seen, reason)


def _left_out(found: int, most: int) -> Reason:
    """Why what is not among those *found* had no place in a window of so many."""
    if not most:
        return "block_budget_exhausted"
    return "selection_budget_exhausted" if found == most else "not_selected"


def _together(groups: Sequence[Candidates]) -> Candidates:
    """What stands for choice in any of *groups*, each once."""
    pools: dict[str, Pool] = {}
    for pool in chain.from_iterable(each.pools for each in groups):
        known = pools.get(pool.bound.id)
        things = {**known.things, **pool.things} if known else pool.things
        pools[pool.bound.id] = Pool(pool.bound, things)
    return replace(groups[0], pools=tuple(pools.values()))


def _filters_of(group: QueryGroup) -> Filters:
    return Filters.of(paths=group.paths, roles=group.roles, bindings=group.bindings)


def _parents_first(things: Iterable[Thing]) -> tuple[Thing, ...]:
    """*things* in order, but none before the parent that may hold it."""
    waiting = {thing.key: thing for thing in things}
    ordered: dict[Key, Thing] = {}
    for thing in tuple(waiting.values()):
        line = [thing]
        while (parent := waiting.get((line[-1].bound.id, line[-1].told.parent))) is not None:
            if parent in line:
                break
            line.append(parent)
        ordered.update((each.key, each) for each in reversed(line) if each.key not in ordered)
    return tuple(ordered.values())
