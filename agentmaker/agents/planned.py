"""A plan as a value: its steps, what became of each, and how all of it is shown.

Whatever room there is:

- every step is shown with its number and its status;
- words give way before figures: those of older results, of the newest, of the steps;
- the figures of a result stay by their step.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Literal, TypeAlias

from agentmaker.agents.shortening import figures_in, least_of, levelled, shortened
from agentmaker.context.facts import absent
from agentmaker.context.reducers import tokens_of
from agentmaker.prompts import PromptRegistry
from agentmaker.tokens import TokenCounter

StepStatus: TypeAlias = Literal["todo", "done", "failed"]

RECENT = 3
"""The results of so many of the latest steps give way last."""

LOW = 0.75
"""A plan that is too long is cut to this share of its room where figures allow: cuts are rare."""

FRAME = 4
"""Tokens of a step's status, and around its result."""

LONGEST_LINE = 0.125
"""Of the room of a plan that is too long, what the text of one step may take."""

BEHIND = 0.75
"""Where there are lines for some of the steps only, the share of them that are over."""


@dataclass(frozen=True, slots=True)
class PlanStep:
    """One step of a plan, and what became of it.

    Attributes:
        line: what is shown of its text.
        result: what is shown of what came of it.
    """

    text: str
    status: StepStatus = "todo"
    line: str = ""
    result: str = ""

    @property
    def bare(self) -> bool:
        return not (self.line or self.result)


@dataclass(frozen=True, slots=True)
class Planned:
    """The steps of a plan, from number 1 on; *summary* tells of the first *told* of them."""

    steps: tuple[PlanStep, ...] = ()
    summary: str = ""
    told: int = 0

    @property
    def next(self) -> int | None:
        """The number of the first step that is to do."""
        todo = (at for at, step in enumerate(self.steps, 1) if step.status == "todo")
        return next(todo, None)

    @property
    def over(self) -> int:
        """How many steps are done or have failed: the first ones."""
        return sum(step.status != "todo" for step in self.steps)

    @property
    def failed(self) -> bool:
        """Whether the step carried out last failed."""
        return bool(self.over) and self.steps[self.over - 1].status == "failed"

    def after(self, status: StepStatus, result: str) -> Planned:
        """The plan when its next step gave *result*."""
        at = self.over
        done = replace(self.steps[at], status=status, result=result)
        return replace(self, steps=(*self.steps[:at], done, *self.steps[at + 1 :]))

    def from_here(self, texts: Sequence[str]) -> Planned:
        """The plan with steps of *texts* in the place of all that is still to do."""
        lines = (" ".join(text.split()) for text in texts)
        steps = (PlanStep(line, line=line) for line in lines if line)
        return replace(self, steps=(*self.steps[: self.over], *steps))

    def shown(self, prompts: PromptRegistry) -> str:
        """Every step with its number and status, each with what came of it."""
        lines = "\n".join(_lines(self.steps, prompts))
        if not self.summary:
            return lines
        return f"{prompts.render('plan.summary', summary=self.summary)}\n\n{lines}"

    def untold(self, prompts: PromptRegistry) -> str:
        """The older results that the summary does not tell of."""
        older = enumerate(self.steps[: max(0, self.over - RECENT)], 1)
        return "\n\n".join(
            prompts.render("plan.entry", number=number, step=step.text, result=step.result)
            for number, step in older
            if number > self.told and step.result
        )

    def summarised(self, summary: str) -> Planned:
        """The plan with *summary* in the place of older results, whose other figures stay."""
        told = max(0, self.over - RECENT)
        older = (_beside(step, summary) for step in self.steps[:told])
        return Planned((*older, *self.steps[told:]), summary, told)

    def untellable(self) -> Planned:
        """The plan whose older results no summary will tell of: they stay extracts."""
        return replace(self, told=max(0, self.over - RECENT))

    def within(self, room: int, counter: TokenCounter, prompts: PromptRegistry) -> Planned:
        """The plan shown in at most *room* tokens, however much that leaves of it."""
        whole = replace(self, steps=tuple(map(_written_out, self.steps)))
        if counter(whole.shown(prompts)) <= room:
            return whole
        bare = replace(self, steps=tuple(map(_bare, self.steps)))
        left = room - counter(bare.shown(prompts))
        frame = counter(prompts.render("plan.line", number=self.over, status="", step="")) + FRAME
        most = max(0, left) // (2 * frame)
        start = max(0, min(self.over - int(most * BEHIND), len(self.steps) - most))
        end = min(len(self.steps), start + most)
        left -= frame * (end - start)
        near_by = _levelled(whole.steps[start:end], self.over - start, left, counter)
        steps = (*map(_bare, whole.steps[:start]), *near_by, *map(_bare, whole.steps[end:]))
        return replace(self, steps=steps)


def _levelled(
    steps: Sequence[PlanStep], over: int, room: int, counter: TokenCounter
) -> list[PlanStep]:
    """*steps*, the first *over* of them over, with what is shown of them in *room* tokens."""
    results = [step.result for step in steps]
    least = [least_of(result, counter) for result in results]
    texts = [shortened(step.line, int(room * LONGEST_LINE), counter) for step in steps]
    goal = max(int(room * LOW), min(room, sum(least) + tokens_of(*texts, counter=counter)))
    lines = levelled(texts, goal - sum(least), counter)
    left = goal - tokens_of(*lines, counter=counter)
    split = max(0, over - RECENT)
    recent = levelled(results[split:], left - sum(least[:split]), counter)
    left -= tokens_of(*recent, counter=counter)
    shown = zip(steps, lines, (*levelled(results[:split], left, counter), *recent), strict=True)
    return [replace(step, line=line, result=result) for step, line, result in shown]


def _lines(steps: Sequence[PlanStep], prompts: PromptRegistry) -> Iterator[str]:
    """A line for every step and one for its result; one for neighbours with nothing to show."""
    numbered = enumerate(steps, 1)
    for (status, bare), group in groupby(numbered, lambda each: (each[1].status, each[1].bare)):
        some = list(group)
        named = prompts.text(f"plan.status.{status}")
        if bare and len(some) > 1:
            yield prompts.render("plan.lines", first=some[0][0], last=some[-1][0], status=named)
            continue
        for number, step in some:
            yield prompts.render("plan.line", number=number, status=named, step=step.line).rstrip()
            if step.result:
                # Indented, so that no result can pass for a step.
                result = step.result.replace("\n", "\n   ")
                yield prompts.render("plan.result", result=result)


def _beside(step: PlanStep, summary: str) -> PlanStep:
    """*step* with those figures of its result that *summary* lacks."""
    return replace(step, result=", ".join(absent(figures_in(step.result), summary)))


def _written_out(step: PlanStep) -> PlanStep:
    return replace(step, line=step.text) if step.status == "todo" else step


def _bare(step: PlanStep) -> PlanStep:
    return replace(step, line="", result="")
