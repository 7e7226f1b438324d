"""Chooses what is to be read at one revision of a task: for a query, or for a plan of several."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, zip_longest

from agentmaker.memory.index.values import EmbeddingUsage
from agentmaker.tasks.candidates import CandidateFinder, Candidates, Item, Key, Pool
from agentmaker.tasks.filters import Filters
from agentmaker.tasks.omissions import OmissionLog
from agentmaker.tasks.package import Diagnostic, Reason
from agentmaker.tasks.plan import QueryGroup
from agentmaker.tasks.reader_options import ReaderOptions
from agentmaker.tasks.search import Search, Window
from agentmaker.tasks.selection import SelectorGate
from agentmaker.tasks.snapshot import Snapshot
from agentmaker.tasks.source import Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieved:
    """What to read, in order.

    Attributes:
        spans: where the query hit an item.
        groups: what each group of a plan found.
    """

    items: tuple[Item, ...]
    spans: Mapping[Key, Span]
    authorised: int
    candidates: int
    considered: int
    groups: tuple[tuple[Key, ...], ...] = ()


@dataclass(slots=True, kw_only=True)
class Retriever:
    """Chooses from *snapshot* what *options* may have; takes down what it leaves out."""

    options: ReaderOptions
    snapshot: Snapshot
    search: Search
    selector: SelectorGate | None
    omissions: OmissionLog
    diagnostics: list[Diagnostic] = field(default_factory=list)
    usage: EmbeddingUsage = field(default_factory=EmbeddingUsage)

    async def for_query(self, query: str, filters: Filters) -> Retrieved:
        """Required items, named ones, then what the index and the selector make of the rest."""
        candidates = self._candidates(filters)
        left = max(0, self.options.max_blocks - len(candidates.first))
        most = self.options.max_blocks if left else 0
        window = await self._narrowed(query, candidates, most, fill=self.selector is not None)
        chosen = await self._chosen(query, window, candidates, left)
        self._leave_out(candidates, [window], _left_out(len(window.items), most))
        return Retrieved(
            items=_parents_first((*candidates.first, *chosen)),
            spans=window.spans,
            authorised=candidates.authorised,
            candidates=len(candidates.first) + candidates.optional,
            considered=len(candidates.first) + len(window.items),
        )

    async def for_groups(self, groups: Sequence[QueryGroup]) -> Retrieved:
        """Required items, then the best of every group, their second best, and so on."""
        sorted_out = [self._candidates(_filters_of(group)) for group in groups]
        windows = [
            await self._narrowed(group.query, candidates, group.max_results, fill=False)
            for group, candidates in zip(groups, sorted_out, strict=True)
        ]
        candidates = _together(sorted_out)
        items = {each.key: each for each in (*candidates.first, *_by_turns(windows))}
        rooms = (group.max_results for group in groups)
        full = any(len(each.items) == most for each, most in zip(windows, rooms, strict=True))
        reason: Reason = "selection_budget_exhausted" if full else "not_selected"
        self._leave_out(candidates, windows, reason)
        return Retrieved(
            items=_parents_first(items.values()),
            spans={key: span for each in reversed(windows) for key, span in each.spans.items()},
            authorised=candidates.authorised,
            candidates=len(candidates.first) + candidates.optional,
            considered=len(items),
            groups=tuple(tuple(each.key for each in window.items) for window in windows),
        )

    def _candidates(self, filters: Filters) -> Candidates:
        finder = CandidateFinder(self.snapshot, self.options.consumer, filters, self.omissions)
        candidates = finder.find()
        self.diagnostics.extend(finder.diagnostics)
        if not candidates.first and not candidates.optional:
            self.diagnostics.append(Diagnostic(code="no_candidates", detail=_why_none(candidates)))
        return candidates

    async def _narrowed(
        self, query: str, candidates: Candidates, most: int, *, fill: bool
    ) -> Window:
        if not most:
            return Window(items=())
        window = await self.search.narrow(query, candidates, most, fill=fill)
        self.usage += window.usage
        self.diagnostics.extend(window.diagnostics)
        return window

    async def _chosen(
        self, query: str, window: Window, candidates: Candidates, left: int
    ) -> Sequence[Item]:
        if candidates.optional <= 1 or not window.items:
            return window.items
        if self.selector is None:
            self.diagnostics.append(Diagnostic(code="semantic_selector_unavailable"))
            return window.items
        request = self.options.request(query, window.items, left)
        selection = await self.selector.choose(window.items, request)
        if selection.reason:
            self.diagnostics.append(Diagnostic(code=selection.reason, detail=selection.detail))
        chosen = {item.key for item in selection.items}
        for item in window.items:
            if item.key not in chosen:
                self.omissions.add(item, selection.reason or "not_selected")
        return selection.items

    def _leave_out(self, candidates: Candidates, windows: Sequence[Window], reason: Reason) -> None:
        """Take down the candidates that had no place in a window."""
        seen = {item.key for window in windows for item in window.items}
        self.omissions.rest(candidates, candidates.optional, seen, reason)


def _left_out(found: int, most: int) -> Reason:
    """Why what is not among those *found* had no place in a window of so many."""
    if not most:
        return "block_budget_exhausted"
    return "selection_budget_exhausted" if found == most else "not_selected"


def _by_turns(windows: Sequence[Window]) -> Iterable[Item]:
    """The best of each window, then their second best, and so on."""
    ranks = zip_longest(*(window.items for window in windows))
    return filter(None, chain.from_iterable(ranks))


def _together(groups: Sequence[Candidates]) -> Candidates:
    """What stands for choice in any of *groups*, each once."""
    first = {item.key: item for each in groups for item in each.first}
    pools: dict[str, Pool] = {}
    for pool in chain.from_iterable(each.pools for each in groups):
        known = pools.get(pool.bound.source_id)
        items = {**known.descriptors, **pool.descriptors} if known else pool.descriptors
        pools[pool.bound.source_id] = Pool(pool.bound, items)
    return replace(groups[0], first=tuple(first.values()), pools=tuple(pools.values()))


def _why_none(candidates: Candidates) -> str:
    if not candidates.authorised:
        return "nothing is bound for this consumer, or its sources are empty"
    return f"the filters leave none of {candidates.authorised}"


def _filters_of(group: QueryGroup) -> Filters:
    return Filters.of(paths=group.paths, roles=group.roles, bindings=group.bindings)


def _parents_first(items: Iterable[Item]) -> tuple[Item, ...]:
    """*items* in order, but none before the parent that may hold it."""
    waiting = {item.key: item for item in items}
    ordered: dict[Key, Item] = {}
    for item in tuple(waiting.values()):
        line = [item]
        while (parent := waiting.get(line[-1].parent)) is not None:
            if parent in line:
                break
            line.append(parent)
        ordered.update((each.key, each) for each in reversed(line) if each.key not in ordered)
    return tuple(ordered.values())
