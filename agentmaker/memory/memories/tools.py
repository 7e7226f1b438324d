"""The tools by which a model keeps memories, each result sized to what it is granted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentmaker.calls.forms.content import encodable
from agentmaker.context.clip import cut_to
from agentmaker.context.sources import Grant
from agentmaker.errors import ConfigError, ToolError
from agentmaker.prompts import PromptRegistry
from agentmaker.scope import Scope
from agentmaker.tools import Tool, tool

if TYPE_CHECKING:
    from agentmaker.memory.memories.memory import Memory


@dataclass(frozen=True, slots=True)
class MemoryTools:
    """Whose memories these are comes from the run; nothing the model writes can name another's."""

    memory: Memory
    prompts: PromptRegistry

    def tools(self) -> tuple[Tool, ...]:
        says = self.prompts.text
        return (
            tool(self.add, name="memory_add", description=says("memory.tool.add"), idempotent=True),
            tool(
                self.search,
                name="memory_search",
                description=says("memory.tool.search"),
                idempotent=True,
            ),
            tool(
                self.forget,
                name="memory_forget",
                description=says("memory.tool.forget"),
                idempotent=True,
            ),
        )

    async def add(self, content: str, importance: float = 0.5, scope: Scope | None = None) -> str:
        try:
            id = await self.memory.add(
                encodable(content), importance=importance, scope=self.memory.of(scope)
            )
        except ConfigError as error:
            raise ToolError(str(error)) from error
        return self.prompts.render("memory.added", id=id)

    async def search(self, query: str, scope: Scope | None = None, *, grant: Grant) -> str:
        found = await self.memory.search(query, scope=self.memory.of(scope))
        lines = "\n".join(f"- {each.id}: {' '.join(each.content.split())}" for each in found)
        return cut_to(lines or self.prompts.text("memory.none"), grant.tokens, grant.counter)

    async def forget(self, id: str, scope: Scope | None = None) -> str:
        known = await self.memory.forget(id, scope=self.memory.of(scope))
        return self.prompts.render("memory.forgotten" if known else "memory.unknown", id=id)
