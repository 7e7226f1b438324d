"""The tool by which a model brings back what was put away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import nlargest

from agentmaker.context.aside import aside
from agentmaker.context.clip import cut_to
from agentmaker.context.sources import Grant
from agentmaker.errors import ToolError
from agentmaker.prompts import DEFAULT_PROMPTS, PromptRegistry
from agentmaker.scope import Scope
from agentmaker.tools.archive import RECALL, Archive
from agentmaker.tools.functions import tool
from agentmaker.tools.passages import Passage, passages
from agentmaker.tools.values import Tool

_LISTED = 20
_SHOWN = 50

_Found = tuple[str, Passage]


def recall_tool(
    archive: Archive, scope: Scope, *, prompts: PromptRegistry = DEFAULT_PROMPTS
) -> Tool:
    """A tool that reads what *archive* holds of *scope*: a range of characters, or by words.

    Its answers have at most the tokens of its grant, and say which characters they are.
    """
    return tool(
        _Recall(archive, scope, prompts).recall,
        name=RECALL,
        description=prompts.text("recall.description"),
        about={each: prompts.text(f"recall.{each}") for each in ("id", "start", "end", "search")},
        idempotent=True,
    )


@dataclass(frozen=True, slots=True)
class _Recall:
    archive: Archive
    scope: Scope
    prompts: PromptRegistry

    async def recall(
        self,
        grant: Grant,
        id: str | None = None,
        start: int = 0,
        end: int | None = None,
        search: str | None = None,
    ) -> str:
        if search and search.strip():
            return await self._search(search, id, grant)
        if id:
            return self._range(id, await self._text(id), slice(start, end), grant)
        names = await self.archive.names(self.scope)
        return cut_to(self._known(names), grant.tokens, grant.counter)

    async def _text(self, id: str) -> str:
        text = await self.archive.get(self.scope, id)
        if text is None:
            known = self._known(await self.archive.names(self.scope))
            raise ToolError(self.prompts.render("recall.unknown", id=id, known=known))
        return text

    def _known(self, names: Sequence[str]) -> str:
        known = ", ".join(names[:_LISTED]) or self.prompts.text("tool.none")
        return self.prompts.render("recall.known", known=known)

    def _range(self, id: str, text: str, wanted: slice, grant: Grant) -> str:
        """As much of the range as there is room for, under a line that says which it is."""
        start, end, _ = wanted.indices(len(text))
        room = grant.tokens - grant.counter(self._under_heading(id, start, end, len(text), ""))
        while room > 0:
            part = cut_to(text[start:end], room, grant.counter)
            answer = self._under_heading(id, start, start + len(part), len(text), part)
            over = grant.counter(answer) - grant.tokens
            if over <= 0:
                return answer
            room -= over
        return cut_to(text[start:end], grant.tokens, grant.counter)

    async def _search(self, words: str, id: str | None, grant: Grant) -> str:
        names = (id,) if id else await self.archive.names(self.scope)
        found: list[_Found] = []
        total = 0
        # The oldest first, so that reading them all keeps their order of use.
        for name in reversed(names):
            text = await self._text(name) if id else await self.archive.get(self.scope, name)
            here = await aside(len(text or ""), passages, text or "", words, _SHOWN)
            found = nlargest(_SHOWN, [*((name, each) for each in here.best), *found], key=_weight)
            total += here.total
        if not found:
            nothing = self.prompts.render("recall.nothing", words=words, where=id or "all")
            return cut_to(f"{nothing} {self._known(names)}", grant.tokens, grant.counter)
        return self._listed(found, total, grant)

    def _listed(self, found: Sequence[_Found], total: int, grant: Grant) -> str:
        """The best first, as many as there is room for, and how many more there are."""
        answer = ""
        for shown in range(1, len(found) + 1):
            parts = [self._passage(*each) for each in found[:shown]]
            if shown < total:
                parts.append(self.prompts.render("recall.more", more=total - shown))
            longer = "\n\n".join(parts)
            if grant.counter(longer) > grant.tokens:
                break
            answer = longer
        return answer or cut_to(self._passage(*found[0]), grant.tokens, grant.counter)

    def _passage(self, id: str, passage: Passage) -> str:
        return self._under_heading(id, passage.start, passage.end, passage.size, passage.text)

    def _under_heading(self, id: str, start: int, end: int, size: int, text: str) -> str:
        heading = self.prompts.render("recall.part", id=id, start=start, end=end, size=size)
        return f"{heading}\n{text}"


def _weight(found: _Found) -> int:
    return found[1].weight
