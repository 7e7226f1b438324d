"""The bindings of a task, and what is known of their sources."""

from __future__ import annotations

from agentmaker.context.together import Together
from agentmaker.errors import ConfigError
from agentmaker.memory.index.index import Index
from agentmaker.scope import Scope
from agentmaker.tasks.binding import Binding
from agentmaker.tasks.indexing import partition_of
from agentmaker.tasks.inventory import UNASKED
from agentmaker.tasks.snapshot import BoundSource, Snapshot
from agentmaker.tasks.synced_source import Changed, SyncedSource


class SourceRegistry:
    """Bindings in the order they were made; a source that is bound twice is asked once."""

    def __init__(self, scope: Scope | None, timeout: float | None) -> None:
        self._scope = scope
        self._timeout = timeout
        self._bindings: dict[str, Binding] = {}
        self._synced: dict[str, SyncedSource] = {}
        self._snapshot = Snapshot()

    @property
    def asked(self) -> bool:
        """Whether every source was asked what it has."""
        return all(each.inventory is not UNASKED for each in self._synced.values())

    @property
    def failing(self) -> bool:
        """Whether one of the sources could not be asked, or was not yet."""
        return any(each.inventory.failed for each in self._synced.values())

    def add(self, binding: Binding) -> str:
        """Raises ConfigError: the id is taken, or another source has the same one."""
        if binding.id in self._bindings:
            raise ConfigError(
                f"the binding {binding.id!r} exists: remove() it first, or give another binding_id"
            )
        known = self._synced.get(binding.source_id)
        if known is not None and known.source != binding.source:
            raise ConfigError(
                f"another source has the id {binding.source_id!r}: bind that object again, or "
                "give this one an id of its own"
            )
        self._bindings[binding.id] = binding
        if known is None:
            self._synced[binding.source_id] = self._fresh(binding)
        return binding.id

    def remove(self, binding_id: str) -> None:
        """Raises ConfigError: there is no such binding."""
        if binding_id not in self._bindings:
            known = ", ".join(map(repr, self._bindings)) or "none"
            raise ConfigError(f"there is no binding {binding_id!r}: the bindings are {known}")
        source_id = self._bindings.pop(binding_id).source_id
        if all(each.source_id != source_id for each in self._bindings.values()):
            del self._synced[source_id]

    def forget_stored(self) -> None:
        """What the index holds has to be looked up anew."""
        self._synced = {name: each.elsewhere() for name, each in self._synced.items()}

    async def refresh(self, index: Index | None) -> Changed:
        synced = dict(self._synced)
        async with Together() as tasks:  # a slow one holds up no other
            for each in synced.values():
                tasks.start_soon(each.refresh, index)
        bound = [(each.id, synced.get(each.source_id)) for each in self._bindings.values()]
        known = [(name, each) for name, each in bound if each is not None]
        return Changed(
            changed={name: each.changed for name, each in known if each.changed},
            gone={name: each.gone for name, each in known if each.gone},
            failed={name: each.inventory.failed for name, each in known if each.inventory.failed},
        )

    def snapshot(self) -> Snapshot:
        """The same object while nothing changes."""
        bound = tuple(self._bound(each) for each in self._bindings.values())
        if bound != self._snapshot.bound:
            self._snapshot = Snapshot(bound=bound)
        return self._snapshot

    def _bound(self, binding: Binding) -> BoundSource:
        synced = self._synced[binding.source_id]
        return BoundSource(binding=binding, partition=synced.partition, inventory=synced.inventory)

    def _fresh(self, binding: Binding) -> SyncedSource:
        partition = partition_of(self._scope, binding.source_id)
        return SyncedSource(binding.source, partition, self._timeout)
