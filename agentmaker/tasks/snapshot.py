"""A task at one revision: its bindings and what their sources have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from agentmaker.tasks.binding import Binding
from agentmaker.tasks.digest import digest
from agentmaker.tasks.inventory import Inventory
from agentmaker.tasks.source import Descriptor, Problem


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundSource:
    """A binding and what its source had.

    Attributes:
        number: of the source among those of its kind that one consumer sees; 0 for a single one.
    """

    binding: Binding
    partition: str
    inventory: Inventory
    number: int = 0

    @property
    def id(self) -> str:
        return self.binding.id

    @property
    def source_id(self) -> str:
        return self.binding.source_id

    @property
    def label(self) -> str:
        """What a model is shown as the name of the source."""
        kind = self.binding.source.kind
        return f"{kind} {self.number}" if self.number else kind

    @property
    def descriptors(self) -> Mapping[str, Descriptor]:
        return self.inventory.descriptors

    def entry(self) -> CatalogEntry:
        return CatalogEntry(
            binding_id=self.id,
            source_id=self.source_id,
            kind=self.binding.source.kind,
            revision=self.inventory.revision,
            count=len(self.descriptors),
            problems=self.inventory.problems,
            failed=self.inventory.failed,
            required=self.binding.required,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogEntry:
    """One bound source as an application may list it.

    Attributes:
        count: how many items it offers.
        problems: what it has and cannot offer.
        failed: why it could not be asked, "" when it could.
    """

    binding_id: str
    source_id: str
    kind: str
    revision: str
    count: int
    problems: tuple[Problem, ...]
    failed: str
    required: bool


@dataclass(frozen=True, kw_only=True)
class Snapshot:
    """The whole task at one revision; it never changes."""

    bound: tuple[BoundSource, ...] = ()

    @cached_property
    def revision(self) -> str:
        """The same for the same bindings over the same data, in every process."""
        return digest(*([*each.binding.facts(), each.inventory.revision] for each in self.bound))

    def revision_for(self, consumer: str) -> str:
        """Of what *consumer* may see alone: what is hidden from it does not change its packages."""
        return Snapshot(bound=self.visible_to(consumer)).revision

    def catalog(self, consumer: str | None = None) -> tuple[CatalogEntry, ...]:
        """The sources that *consumer* may see; all of them for None."""
        return tuple(each.entry() for each in self._for(consumer))

    def visible_to(self, consumer: str) -> tuple[BoundSource, ...]:
        return tuple(_numbered(self._for(consumer)))

    def _for(self, consumer: str | None) -> Sequence[BoundSource]:
        return [each for each in self.bound if consumer is None or each.binding.is_for(consumer)]


def _numbered(bound: Sequence[BoundSource]) -> Iterator[BoundSource]:
    """*bound*, the sources of one kind told apart by the order of their bindings."""
    kinds: dict[str, dict[str, int]] = {}
    for each in bound:
        alike = kinds.setdefault(each.binding.source.kind, {})
        alike.setdefault(each.source_id, len(alike) + 1)
    for each in bound:
        alike = kinds[each.binding.source.kind]
        yield replace(each, number=alike[each.source_id]) if len(alike) > 1 else each
