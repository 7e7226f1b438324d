"""What a consumer may see of a task, and which of it stands for choice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import nsmallest

from agentmaker.errors import ConfigError
from agentmaker.tasks.catalog import Bound, Snapshot
from agentmaker.tasks.filters import Filters
from agentmaker.tasks.omitting import Omitting
from agentmaker.tasks.package import Diagnostic
from agentmaker.tasks.source import Descriptor

_LABEL = 160

Key = tuple[str, str]
"""Binding and ref."""


@dataclass(frozen=True, slots=True)
class Thing:
    """One thing of one bound source."""

    bound: Bound
    told: Descriptor

    @property
    def key(self) -> Key:
        return self.bound.id, self.told.ref

    @property
    def required(self) -> bool:
        return self.told.required or self.bound.binding.required

    @property
    def priority(self) -> int:
        return self.told.priority + self.bound.binding.priority

    @property
    def label(self) -> str:
        """What a model is shown as its name."""
        return f"{self.bound.binding.source.kind}: {self.told.title or self.told.ref}"[:_LABEL]


@dataclass(frozen=True, slots=True)
class Pool:
    """The optional things of one bound source."""

    bound: Bound
    things: Mapping[str, Descriptor]

    def get(self, ref: str) -> Thing | None:
        told = self.things.get(ref)
        return None if told is None else Thing(self.bound, told)

    def first(self, most: int) -> list[Thing]:
        """Those of the highest priority, then as the source has them."""
        told = nsmallest(most, self.things.values(), key=lambda each: -each.priority)
        return [Thing(self.bound, each) for each in told]

    def __iter__(self) -> Iterator[Thing]:
        return (Thing(self.bound, told) for told in self.things.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """Things to read in any case, and those to choose from.

    Attributes:
        authorised: how many things the consumer may see in all.
    """

    first: tuple[Thing, ...]
    pools: tuple[Pool, ...]
    authorised: int

    @property
    def optional(self) -> int:
        return sum(len(pool.things) for pool in self.pools)

    def in_order(self, most: int) -> list[Thing]:
        """The first of the optional ones by priority, then as their sources have them."""
        first = [thing for pool in self.pools for thing in pool.first(most)]
        return nsmallest(most, first, key=lambda thing: -thing.priority)

    def __iter__(self) -> Iterator[Thing]:
        return (thing for pool in self.pools for thing in pool)


@dataclass(slots=True)
class Sorting:
    """Sorts what a snapshot has for one consumer by what was asked for."""

    snapshot: Snapshot
    consumer: str
    filters: Filters
    omitting: Omitting
    diagnostics: list[Diagnostic] = field(default_factory=list)

    def candidates(self) -> Candidates:
        """Required things, then those named, then the rest that the filters let through.

        Raises:
            ConfigError: a filter names a binding that there is not.
        """
        visible = self._once(self.snapshot.visible_to(self.consumer))
        self._check_bindings()
        required = [each for bound in visible for each in _required(bound)]
        named = [each for ref in self.filters.refs for each in self._named(visible, ref)]
        first = {each.key: each for each in (*required, *named)}
        wanted = [bound for bound in visible if self._is_wanted(bound)]
        return Candidates(
            first=tuple(first.values()),
            pools=tuple(self._pool(bound, first) for bound in wanted),
            authorised=sum(len(bound.things) for bound in visible),
        )

    def _once(self, visible: Sequence[Bound]) -> list[Bound]:
        """A source that is bound twice is read once, through its first binding in question."""
        wanted = sorted(visible, key=lambda bound: not self._is_wanted(bound))
        chosen = {bound.partition: bound for bound in reversed(wanted)}
        return [bound for bound in visible if chosen[bound.partition] is bound]

    def _is_wanted(self, bound: Bound) -> bool:
        return not self.filters.bindings or bound.id in self.filters.bindings

    def _check_bindings(self) -> None:
        known = {bound.id for bound in self.snapshot.bound}
        for name in self.filters.bindings:
            if name not in known:
                raise ConfigError(f"there is no binding {name!r}: attach() it, or ask without it")
        for bound in self.snapshot.hidden_from(self.consumer):
            if bound.id in self.filters.bindings:
                self.omitting.refuse(bound.id, "")

    def _named(self, visible: Sequence[Bound], ref: str) -> Iterator[Thing]:
        """What is not there and what is not for the consumer are told alike."""
        found = [Thing(bound, bound.things[ref]) for bound in visible if ref in bound.things]
        if not found:
            self.diagnostics.append(Diagnostic(code="unknown_ref", ref=ref))
            self.omitting.refuse("", ref)
        yield from found

    def _pool(self, bound: Bound, first: Mapping[Key, Thing]) -> Pool:
        things = bound.things
        test = self.filters.test
        if test is not None:
            things = {ref: told for ref, told in things.items() if test(told)}
        skipped = [ref for ref in self.filters.skip if ref in things]
        self.omitting.skip(
            Thing(bound, things[ref]) for ref in skipped if (bound.id, ref) not in first
        )
        taken = {*skipped, *(ref for binding, ref in first if binding == bound.id)}
        if taken:
            things = {ref: told for ref, told in things.items() if ref not in taken}
        return Pool(bound, things)


def _required(bound: Bound) -> Iterator[Thing]:
    every = bound.binding.required
    return (Thing(bound, told) for told in bound.things.values() if every or told.required)
