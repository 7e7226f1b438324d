"""Makes one package of a task at one revision."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from agentmaker.errors import SourceError
from agentmaker.memory.index.values import EmbeddingUsage
from agentmaker.tasks.asking import Asking
from agentmaker.tasks.catalog import Bound, Snapshot
from agentmaker.tasks.choice import Choice, Chooser
from agentmaker.tasks.contents import Reading, Suspects
from agentmaker.tasks.disclosure import Disclosure
from agentmaker.tasks.joining import joined, reference_id
from agentmaker.tasks.narrowing import Seeking
from agentmaker.tasks.omitting import Omitting
from agentmaker.tasks.package import Block, ContextPackage, Coverage, Diagnostic, Ref
from agentmaker.tasks.projection import omitted_note
from agentmaker.tasks.rendering import Chosen
from agentmaker.tasks.selection import Choosing
from agentmaker.tasks.things import Key

_PROBLEMS = 64
"""Problems of one source that a package lists."""


@dataclass(slots=True, kw_only=True)
class Making:
    """One attempt: it ends with a package, or when something is not what was told."""

    query: str
    asking: Asking
    snapshot: Snapshot
    seeking: Seeking
    choosing: Choosing | None
    suspects: Suspects
    used: EmbeddingUsage
    omitting: Omitting = field(default_factory=Omitting)
    diagnostics: list[Diagnostic] = field(default_factory=list)

    async def package(
        self,
        choose: Callable[[Chooser], Awaitable[Choice]],
        seen: Iterable[ContextPackage],
    ) -> ContextPackage:
        """Choose, read and disclose.

        Raises:
            Moved: the snapshot may be out of date.
        """
        self._check_sources()
        choice = await self._choice(choose)
        chosen = self._chosen(choice)
        blocks = await self._disclosed(choice, chosen, seen)
        return self._packed(choice, chosen, blocks)

    def _check_sources(self) -> None:
        for bound in self.snapshot.visible_to(self.asking.consumer):
            why = bound.listing.failed
            if why and bound.binding.required:
                raise SourceError(bound.id, why)
            if why:
                self._tell("source_failed", bound, detail=why)
            self._tell_problems(bound)

    def _tell_problems(self, bound: Bound) -> None:
        problems = bound.listing.problems if not bound.listing.failed else ()
        for each in problems[:_PROBLEMS]:
            self._tell(each.reason, bound, ref=each.ref, detail=each.detail)
        if len(problems) > _PROBLEMS:
            self._tell("more_problems", bound, detail=str(len(problems) - _PROBLEMS))

    def _tell(self, code: str, bound: Bound, *, ref: str = "", detail: str = "") -> None:
        self.diagnostics.append(Diagnostic(code=code, binding_id=bound.id, ref=ref, detail=detail))

    async def _choice(self, choose: Callable[[Chooser], Awaitable[Choice]]) -> Choice:
        chooser = Chooser(
            asking=self.asking,
            snapshot=self.snapshot,
            seeking=self.seeking,
            choosing=self.choosing,
            omitting=self.omitting,
            diagnostics=self.diagnostics,
        )
        try:
            return await choose(chooser)
        finally:
            self.used += chooser.usage

    def _chosen(self, choice: Choice) -> list[Chosen]:
        asked = self.asking.consumer, self.asking.phase, self.query
        return [
            Chosen(
                thing=thing,
                reference_id=reference_id(*asked, thing.key, thing.told.revision),
                place=choice.spans.get(thing.key),
            )
            for thing in choice.things
        ]

    async def _disclosed(
        self, choice: Choice, chosen: Sequence[Chosen], seen: Iterable[ContextPackage]
    ) -> tuple[Block, ...]:
        reading = Reading(
            query=self.query,
            seeking=self.seeking,
            timeout=self.asking.timeout,
            suspects=self.suspects,
            omitting=self.omitting,
            diagnostics=self.diagnostics,
        )
        disclosure = Disclosure(
            reading=reading,
            rendering=self.asking.rendering(self.query),
            budget=self.asking.budget,
            max_blocks=len(chosen) if choice.groups else self.asking.max_blocks,
            seen=_seen(seen),
        )
        blocks = await disclosure.disclose(chosen)
        self.suspects.settle()
        return blocks

    def _packed(
        self, choice: Choice, chosen: Sequence[Chosen], disclosed: Sequence[Block]
    ) -> ContextPackage:
        refs = {each.reference_id: _ref(each) for each in chosen}
        blocks, kept, problems = joined(
            disclosed, [refs[block.reference_id] for block in disclosed]
        )
        return ContextPackage(
            revision=self.snapshot.revision_for(self.asking.consumer),
            consumer=self.asking.consumer,
            phase=self.asking.phase,
            query=self.query,
            blocks=blocks,
            refs=kept,
            omissions=tuple(self.omitting.listed),
            unlisted=dict(sorted(self.omitting.unlisted.items())),
            omitted=self._omitted(blocks),
            coverage=self._coverage(choice, blocks),
            diagnostics=(*dict.fromkeys(self.diagnostics), *problems),
            embedding=self.used,
            metadata=_groups(choice, chosen, kept),
        )

    def _omitted(self, blocks: Sequence[Block]) -> str:
        return omitted_note(
            self.omitting.listed,
            self.omitting.unlisted,
            blocks,
            self.asking.budget,
            self.asking.prompts,
            self.asking.counter,
        )

    def _coverage(self, choice: Choice, blocks: Sequence[Block]) -> Coverage:
        return Coverage(
            authorised=choice.authorised,
            candidates=choice.candidates,
            considered=choice.considered,
            disclosed=sum(bool(block.text) for block in blocks),
            complete=sum(block.completeness == "complete" for block in blocks),
            tokens=sum(block.tokens for block in blocks),
            budget=self.asking.budget,
        )


def _ref(chosen: Chosen) -> Ref:
    bound = chosen.thing.bound
    return Ref(
        reference_id=chosen.reference_id,
        binding_id=bound.id,
        source_id=bound.binding.source_id,
        source_revision=bound.listing.revision,
        ref=chosen.thing.told.ref,
        revision=chosen.thing.told.revision,
    )


def _seen(packages: Iterable[ContextPackage]) -> dict[Key, str]:
    """What was shown completely, with its revision."""
    shown: dict[Key, str] = {}
    for package in packages:
        blocks = [block for block in package.blocks if block.completeness == "complete"]
        whole = {block.reference_id for block in blocks}
        refs = [ref for ref in package.refs if ref.reference_id in whole]
        shown.update(((ref.binding_id, ref.ref), ref.revision) for ref in refs)
    return shown


def _groups(choice: Choice, chosen: Sequence[Chosen], kept: Sequence[Ref]) -> dict[str, Any]:
    """Which of the blocks answer which query of a plan."""
    if not choice.groups:
        return {}
    ids = {(ref.binding_id, ref.ref): ref.reference_id for ref in kept}
    return {"groups": [[ids[key] for key in group if key in ids] for group in choice.groups]}
