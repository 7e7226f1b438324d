"""Where a run puts away results that are too long: in its store, for all runs of its session."""

from __future__ import annotations

from dataclasses import dataclass

from agentmaker.memory.records import Document, RunRecord
from agentmaker.memory.shelf import TooMuch
from agentmaker.memory.store import Store
from agentmaker.scope import Scope


@dataclass(frozen=True, slots=True)
class RunArchive:
    """The `Archive` of a run, which those that follow it in its session read from as well."""

    store: Store
    run: RunRecord

    @property
    def kind(self) -> str:
        return f"result of {self.run.scope.session or self.run.id}"

    def name_of(self, number: str) -> str:
        """What the result of that *number* is put away as, and none of another run is."""
        return f"{number}-{self.run.id[:8]}" if self.run.scope.session else number

    async def put(self, scope: Scope, name: str, text: str) -> bool:
        try:
            await self.store.put(scope, Document(kind=self.kind, name=name, text=text))
        except TooMuch:
            return False
        return True

    async def get(self, scope: Scope, name: str) -> str | None:
        found = await self.store.document(scope, self.kind, name)
        return None if found is None else found.text

    async def names(self, scope: Scope) -> tuple[str, ...]:
        return tuple(each.name for each in await self.store.documents(scope, self.kind))
