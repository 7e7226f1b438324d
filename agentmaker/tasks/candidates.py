"""What a consumer may see of a task, and which of it stands for choice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import nsmallest

from agentmaker.errors import ConfigError
from agentmaker.tasks.filters import Filters
from agentmaker.tasks.omissions import OmissionLog
from agentmaker.tasks.package import Diagnostic
from agentmaker.tasks.snapshot import BoundSource, Snapshot
from agentmaker.tasks.source import Descriptor

_LABEL = 160

Key = tuple[str, str]
"""Source and ref: one item is the same through whichever binding."""


@dataclass(frozen=True, slots=True)
class Item:
    """A descriptor, and the binding its source is read through."""

    bound: BoundSource
    descriptor: Descriptor

    @property
    def key(self) -> Key:
        return self.bound.source_id, self.descriptor.ref

    @property
    def parent(self) -> Key:
        return self.bound.source_id, self.descriptor.parent

    @property
    def required(self) -> bool:
        return self.descriptor.required or self.bound.binding.required

    @property
    def priority(self) -> int:
        return self.descriptor.priority + self.bound.binding.priority

    @property
    def label(self) -> str:
        """What a model is shown as its name."""
        name = self.descriptor.title or self.descriptor.ref
        return f"{self.bound.label}: {name}"[:_LABEL]


@dataclass(frozen=True, slots=True)
class Pool:
    """The optional items of one bound source."""

    bound: BoundSource
    descriptors: Mapping[str, Descriptor]

    def get(self, ref: str) -> Item | None:
        descriptor = self.descriptors.get(ref)
        return None if descriptor is None else Item(self.bound, descriptor)

    def first(self, most: int) -> list[Item]:
        """Those of the highest priority, then as the source has them."""
        first = nsmallest(most, self.descriptors.values(), key=lambda each: -each.priority)
        return [Item(self.bound, each) for each in first]

    def __iter__(self) -> Iterator[Item]:
        return (Item(self.bound, each) for each in self.descriptors.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """Items to read in any case, and those to choose from.

    Attributes:
        authorised: how many items the consumer may see in all.
    """

    first: tuple[Item, ...]
    pools: tuple[Pool, ...]
    authorised: int

    @property
    def optional(self) -> int:
        return sum(len(pool.descriptors) for pool in self.pools)

    def in_order(self, most: int) -> list[Item]:
        """The first of the optional ones by priority, then as their sources have them."""
        first = [item for pool in self.pools for item in pool.first(most)]
        return nsmallest(most, first, key=lambda item: -item.priority)

    def __iter__(self) -> Iterator[Item]:
        return (item for pool in self.pools for item in pool)


@dataclass(slots=True)
class CandidateFinder:
    """Sorts what a snapshot has for one consumer by what was asked for."""

    snapshot: Snapshot
    consumer: str
    filters: Filters
    omissions: OmissionLog
    diagnostics: list[Diagnostic] = field(default_factory=list)

    def find(self) -> Candidates:
        """Required items, then those named, then the rest that the filters let through.

        Raises:
            ConfigError: a filter names a binding that the consumer has not.
        """
        self._check_bindings()
        visible = self._once(self.snapshot.visible_to(self.consumer))
        required = [each for bound in visible for each in _required(bound)]
        named = [each for ref in self.filters.refs for each in self._named(visible, ref)]
        first = {each.key: each for each in (*required, *named)}
        wanted = [bound for bound in visible if self._is_wanted(bound)]
        return Candidates(
            first=tuple(first.values()),
            pools=tuple(self._pool(bound, first) for bound in wanted),
            authorised=sum(len(bound.descriptors) for bound in visible),
        )

    def _once(self, visible: Sequence[BoundSource]) -> list[BoundSource]:
        """A source that is bound twice is read once: as required, else as asked for, else first."""
        wanted = sorted(
            visible, key=lambda bound: (not bound.binding.required, not self._is_wanted(bound))
        )
        chosen = {bound.partition: bound for bound in reversed(wanted)}
        return [bound for bound in visible if chosen[bound.partition] is bound]

    def _is_wanted(self, bound: BoundSource) -> bool:
        return not self.filters.bindings or bound.id in self.filters.bindings

    def _check_bindings(self) -> None:
        known = {bound.id for bound in self.snapshot.visible_to(self.consumer)}
        for name in self.filters.bindings:
            if name not in known:
                raise ConfigError(
                    f"{self.consumer!r} has no binding {name!r}: attach() it, or ask without it"
                )

    def _named(self, visible: Sequence[BoundSource], ref: str) -> Iterator[Item]:
        """What is not there and what is not for the consumer are told alike."""
        found = [
            Item(bound, bound.descriptors[ref]) for bound in visible if ref in bound.descriptors
        ]
        if not found:
            self.diagnostics.append(Diagnostic(code="unknown_ref", ref=ref))
            self.omissions.refuse(ref)
        yield from found

    def _pool(self, bound: BoundSource, first: Mapping[Key, Item]) -> Pool:
        left = bound.descriptors
        test = self.filters.test
        if test is not None:
            left = {ref: each for ref, each in left.items() if test(each)}
        skipped = [ref for ref in self.filters.skip if ref in left]
        self.omissions.skip(
            Item(bound, left[ref]) for ref in skipped if (bound.source_id, ref) not in first
        )
        taken = {*skipped, *(ref for source, ref in first if source == bound.source_id)}
        if taken:
            left = {ref: each for ref, each in left.items() if ref not in taken}
        return Pool(bound, left)


def _required(bound: BoundSource) -> Iterator[Item]:
    every = bound.binding.required
    return (Item(bound, each) for each in bound.descriptors.values() if every or each.required)
