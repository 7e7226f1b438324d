"""Where a run puts away results that are too long: in its store, under its own id."""

from __future__ import annotations

from dataclasses import dataclass

from agentmaker.memory.records import Document
from agentmaker.memory.store import Store
from agentmaker.scope import Scope


@dataclass(frozen=True, slots=True)
class RunArchive:
    """The `Archive` of one run."""

    store: Store
    run_id: str

    @property
    def kind(self) -> str:
        return f"result of {self.run_id}"

    async def put(self, scope: Scope, name: str, text: str) -> None:
        await self.store.put(scope, Document(kind=self.kind, name=name, text=text))

    async def get(self, scope: Scope, name: str) -> str | None:
        found = await self.store.document(scope, self.kind, name)
        return None if found is None else found.text

    async def names(self, scope: Scope) -> tuple[str, ...]:
        return tuple(each.name for each in await self.store.documents(scope, self.kind))
