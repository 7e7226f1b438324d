"""Last stage and last resort: cuts what does not fit, and says so where it was."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from agentmaker.context.clip import cut_to, fits
from agentmaker.context.gssc.layout import Layout, Name, Part, Section
from agentmaker.errors import ContextWindowExceeded
from agentmaker.prompts import DEFAULT_PROMPTS, PromptRegistry
from agentmaker.tokens import TokenCounter, adopted, count_tokens, unremembered

_FIRST_TO_GO: tuple[Name, ...] = ("context", "evidence", "policies")

_WORTHWHILE = {"context": 50, "evidence": 50, "policies": 1}
"""Tokens below which the head of a packet says too little; of policies every word counts."""


def compress(
    layout: Layout,
    max_tokens: int,
    *,
    counter: TokenCounter = count_tokens,
    prompts: PromptRegistry = DEFAULT_PROMPTS,
) -> Layout:
    """*layout* in at most *max_tokens*; the same object when it fits.

    The background goes first, then the evidence, the policies last; of a section the lowest
    ranks first, and of the last to go the head stays where there is room. A mark stands where
    a section lost something. Task, output and required packets are never cut.

    Raises:
        ContextWindowExceeded: these do not fit, with a mark for what they leave no room for.
    """
    counter = adopted(counter)
    if fits(layout.text, max_tokens, counter):
        return layout
    counter = unremembered(counter)
    cut = _Cut(layout, _expendable(layout), prompts.text("gssc.cut"))
    steps = range(len(cut.order) + 1)
    step = bisect_left(steps, True, key=lambda each: fits(cut.at(each).text, max_tokens, counter))
    if step not in steps:
        raise _no_room(cut.at(steps[-1]), max_tokens, counter)
    return cut.with_head(step, max_tokens, counter)


@dataclass(frozen=True, slots=True)
class _Expendable:
    part: Part
    section: Name


@dataclass(frozen=True, slots=True)
class _Cut:
    """A layout that loses one part after the other, in *order*."""

    layout: Layout
    order: Sequence[_Expendable]
    mark: str

    def at(self, step: int, head: str = "") -> Layout:
        """The layout after so many losses; of the last, *head* is still there."""
        heads = {each.part.rank: "" for each in self.order[:step]}
        if head:
            heads[self.order[step - 1].part.rank] = head
        left = [_shortened(each, heads, self.mark) for each in self.layout.sections]
        before = [None, *left]
        return Layout(
            tuple(
                each
                for each, previous in zip(left, before, strict=False)
                if not (self._is_gone(each) and self._is_gone(previous))
            )
        )

    def with_head(self, step: int, max_tokens: int, counter: TokenCounter) -> Layout:
        """The layout after *step* losses, with as much of the last as there is room for."""
        last = self.order[step - 1]
        room = max_tokens - counter(self.at(step, " ").text)
        while room >= _WORTHWHILE[last.section]:
            head = cut_to(last.part.text, room, counter).rstrip()
            kept = self.at(step, head)
            over = counter(kept.text) - max_tokens
            if over <= 0:
                return kept
            room -= over
        return self.at(step)

    def _is_gone(self, section: Section | None) -> bool:
        return section is not None and section.parts == (Part(self.mark),)


def _expendable(layout: Layout) -> list[_Expendable]:
    """What may go, the first to go first."""
    every = [_Expendable(part, each.name) for each in layout.sections for part in each.parts]
    return sorted(
        (each for each in every if each.part.expendable),
        key=lambda each: (_FIRST_TO_GO.index(each.section), -each.part.rank),
    )


def _shortened(section: Section, heads: Mapping[int, str], mark: str) -> Section:
    """*section* with only the heads of some of its parts, and one mark for all it lost."""
    lost = [part for part in section.parts if part.rank in heads]
    if not lost:
        return section
    marked = next((part for part in lost if heads[part.rank]), lost[0])
    parts = tuple(
        _marked(part, heads[part.rank], mark) if part is marked else part
        for part in section.parts
        if part is marked or part.rank not in heads
    )
    return replace(section, parts=parts, heading="" if parts == (Part(mark),) else section.heading)


def _marked(part: Part, head: str, mark: str) -> Part:
    return replace(part, text=f"{head}\n{mark}") if head else Part(mark)


def _no_room(least: Layout, max_tokens: int, counter: TokenCounter) -> ContextWindowExceeded:
    asked = Layout(tuple(each for each in least.sections if each.name in ("task", "output")))
    blamed = "the question"
    if least.ranked and fits(asked.text, max_tokens, counter):
        blamed = "the required packets"
    return ContextWindowExceeded(
        blamed, counter(least.text), max_tokens, hint="shorten it, or raise max_tokens"
    )
