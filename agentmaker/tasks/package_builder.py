"""Makes one package of a task at one revision."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from agentmaker.errors import SourceError
from agentmaker.memory.index.values import EmbeddingUsage
from agentmaker.tasks.block_renderer import SelectedItem
from agentmaker.tasks.candidates import Key
from agentmaker.tasks.disclosure import Disclosure
from agentmaker.tasks.item_reader import ItemReader, Staleness
from agentmaker.tasks.omissions import OmissionLog
from agentmaker.tasks.omitted_note import omitted_note
from agentmaker.tasks.package import Block, ContextPackage, Coverage, Diagnostic, Ref
from agentmaker.tasks.reader_options import ReaderOptions
from agentmaker.tasks.references import joined, reference_id
from agentmaker.tasks.retriever import Retrieved, Retriever
from agentmaker.tasks.search import Search
from agentmaker.tasks.selection import SelectorGate
from agentmaker.tasks.snapshot import BoundSource, Snapshot

_PROBLEMS = 64
"""Problems of one source that a package lists."""


@dataclass(slots=True, kw_only=True)
class PackageBuilder:
    """One attempt: it ends with a package, or when something is not what was told."""

    query: str
    options: ReaderOptions
    snapshot: Snapshot
    search: Search
    selector: SelectorGate | None
    staleness: Staleness
    used: EmbeddingUsage
    omissions: OmissionLog = field(default_factory=OmissionLog)
    diagnostics: list[Diagnostic] = field(default_factory=list)

    async def build(
        self,
        choose: Callable[[Retriever], Awaitable[Retrieved]],
        seen: Iterable[ContextPackage],
    ) -> ContextPackage:
        """Choose, read and disclose.

        Raises:
            StaleSnapshot: the snapshot may be out of date.
        """
        self._check_sources()
        retrieved = await self._retrieved(choose)
        selected = self._selected(retrieved)
        blocks = await self._disclosed(retrieved, selected, seen)
        return self._packed(retrieved, selected, blocks)

    def _check_sources(self) -> None:
        for bound in self.snapshot.visible_to(self.options.consumer):
            why = bound.inventory.failed
            if why and bound.binding.required:
                raise SourceError(bound.id, why)
            if why:
                self._tell("source_failed", bound, detail=why)
            self._tell_problems(bound)

    def _tell_problems(self, bound: BoundSource) -> None:
        problems = bound.inventory.problems if not bound.inventory.failed else ()
        for each in problems[:_PROBLEMS]:
            self._tell(each.reason, bound, ref=each.ref, detail=each.detail)
        if len(problems) > _PROBLEMS:
            self._tell("more_problems", bound, detail=str(len(problems) - _PROBLEMS))

    def _tell(self, code: str, bound: BoundSource, *, ref: str = "", detail: str = "") -> None:
        self.diagnostics.append(Diagnostic(code=code, binding_id=bound.id, ref=ref, detail=detail))

    async def _retrieved(self, choose: Callable[[Retriever], Awaitable[Retrieved]]) -> Retrieved:
        retriever = Retriever(
            options=self.options,
            snapshot=self.snapshot,
            search=self.search,
            selector=self.selector,
            omissions=self.omissions,
            diagnostics=self.diagnostics,
        )
        try:
            return await choose(retriever)
        finally:
            self.used += retriever.usage

    def _selected(self, retrieved: Retrieved) -> list[SelectedItem]:
        asked = self.options.consumer, self.options.phase, self.query
        return [
            SelectedItem(
                item=item,
                reference_id=reference_id(*asked, item.key, item.descriptor.revision),
                place=retrieved.spans.get(item.key),
            )
            for item in retrieved.items
        ]

    async def _disclosed(
        self, retrieved: Retrieved, selected: Sequence[SelectedItem], seen: Iterable[ContextPackage]
    ) -> tuple[Block, ...]:
        reader = ItemReader(
            query=self.query,
            search=self.search,
            timeout=self.options.timeout,
            staleness=self.staleness,
            omissions=self.omissions,
            diagnostics=self.diagnostics,
        )
        disclosure = Disclosure(
            reader=reader,
            renderer=self.options.renderer(self.query),
            budget=self.options.budget,
            max_blocks=len(selected) if retrieved.groups else self.options.max_blocks,
            seen=_seen(seen),
        )
        blocks = await disclosure.disclose(selected)
        self.staleness.settle()
        return blocks

    def _packed(
        self, retrieved: Retrieved, selected: Sequence[SelectedItem], disclosed: Sequence[Block]
    ) -> ContextPackage:
        refs = {each.reference_id: _ref(each) for each in selected}
        blocks, kept, problems = joined(
            disclosed, [refs[block.reference_id] for block in disclosed]
        )
        return ContextPackage(
            revision=self.snapshot.revision_for(self.options.consumer),
            consumer=self.options.consumer,
            phase=self.options.phase,
            query=self.query,
            blocks=blocks,
            refs=kept,
            omissions=tuple(self.omissions.listed),
            unlisted=dict(sorted(self.omissions.unlisted.items())),
            omitted=omitted_note(self.omissions, blocks, self.options),
            coverage=self._coverage(retrieved, blocks),
            diagnostics=(*dict.fromkeys(self.diagnostics), *problems),
            embedding=self.used,
            metadata=_groups(retrieved, selected, kept),
        )

    def _coverage(self, retrieved: Retrieved, blocks: Sequence[Block]) -> Coverage:
        return Coverage(
            authorised=retrieved.authorised,
            candidates=retrieved.candidates,
            considered=retrieved.considered,
            disclosed=sum(bool(block.text) for block in blocks),
            complete=sum(block.completeness == "complete" for block in blocks),
            tokens=sum(block.tokens for block in blocks),
            budget=self.options.budget,
        )


def _ref(selected: SelectedItem) -> Ref:
    bound = selected.item.bound
    return Ref(
        reference_id=selected.reference_id,
        binding_id=bound.id,
        source_id=bound.source_id,
        source_revision=bound.inventory.revision,
        ref=selected.item.descriptor.ref,
        revision=selected.item.descriptor.revision,
    )


def _seen(packages: Iterable[ContextPackage]) -> dict[Key, str]:
    """What was shown completely, with its revision."""
    shown: dict[Key, str] = {}
    for package in packages:
        blocks = [block for block in package.blocks if block.completeness == "complete"]
        whole = {block.reference_id for block in blocks}
        refs = [ref for ref in package.refs if ref.reference_id in whole]
        shown.update(((ref.source_id, ref.ref), ref.revision) for ref in refs)
    return shown


def _groups(
    retrieved: Retrieved, selected: Sequence[SelectedItem], kept: Sequence[Ref]
) -> dict[str, Any]:
    """Which of the blocks answer which query of a plan."""
    if not retrieved.groups:
        return {}
    ids = {(ref.source_id, ref.ref): ref.reference_id for ref in kept}
    return {"groups": [[ids[key] for key in group if key in ids] for group in retrieved.groups]}
