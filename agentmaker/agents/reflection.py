"""An agent that drafts, has its draft criticised, and refines it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

from agentmaker.agents.base import BaseAgent
from agentmaker.agents.deadline import within
from agentmaker.agents.headroom import LEAST_DIGEST, digest_room
from agentmaker.agents.run import ActiveRun
from agentmaker.agents.script import Part, Script
from agentmaker.agents.shortening import levelled
from agentmaker.calls.forms.fence import fence
from agentmaker.context.recap import settle
from agentmaker.context.reducers.condense import summary_of
from agentmaker.context.reducers.reflection import distinct_points
from agentmaker.prompts import PromptRegistry
from agentmaker.tokens import TokenCounter

LEAST = 0.5
"""Of the room of answer and points, what an answer however long leaves to the points."""

_EMPHASIS = " \t*_`\"'.!。！“”"


@dataclass(frozen=True, slots=True)
class Reflection:
    """The newest answer, and every distinct point that was made so far."""

    answer: str
    points: tuple[str, ...] = ()

    def criticised(self, critique: str, prompts: PromptRegistry) -> Reflection:
        """This with the points of *critique*; of those that say the same, the last wording."""
        texts = ("\n".join(self.points), critique)
        entries = [{"kind": "critique", "text": text} for text in texts]
        return replace(self, points=tuple(distinct_points(entries, prompts)))

    def room_of_points(self, room: int, counter: TokenCounter) -> int:
        """What the answer leaves of *room*."""
        return max(int(room * LEAST), room - counter(self.answer))

    def shown(self, room: int, counter: TokenCounter, prompts: PromptRegistry) -> str:
        """Answer and points, of which the longest give way to the room; none is left out."""
        answer = prompts.render("reflection.answer", answer=self.answer)
        left = self.room_of_points(room, counter) - len(self.points) * counter("- \n")
        points = levelled(self.points, left, counter)
        listed = prompts.render("reflection.points", points=_listed(points))
        return f"{answer}\n\n{listed}" if points else answer


class ReflectionAgent(BaseAgent):
    """Drafts an answer, criticises it and refines it, until a critique passes it.

    A critique passes it by the prompt ``reflection.pass`` (``GOOD ENOUGH``), alone on its first
    or its last line; within a sentence or as one point of a list it is a quotation. So does one
    without a point, and the end of `AgentConfig.rounds`.

    Every request shows the newest answer, and every distinct point made so far.
    """

    kind: ClassVar[str] = "reflection"

    async def script(self, run: ActiveRun) -> Script:
        prompts, room = run.setting.prompts, digest_room(run, self.tools, self.config.digest_share)
        signal = prompts.text("reflection.pass")
        criticise = prompts.render("reflection.criticise", signal=signal)
        refine = prompts.text("reflection.refine")
        best = yield Part(name="draft", output=run.output_type)
        known = Reflection(best.text)
        for number in range(1, self.config.rounds + 1):
            ask = _with_state(run, known, room, criticise)
            critique = yield Part(name=f"critique {number}", ask=ask, tools=False)
            if passes(critique.text, signal):
                break
            known = await _merged(run, known.criticised(critique.text, prompts), room, number)
            ask = _with_state(run, known, room, refine)
            best = yield Part(name=f"refine {number}", ask=ask, output=run.output_type)
            known = replace(known, answer=best.text)
        run.answer(best.value, best.messages[-1])


async def _merged(run: ActiveRun, known: Reflection, room: int, number: int) -> Reflection:
    """The same; where its points outgrow their room and somebody can, those that agree as one."""
    counter = run.setting.counter
    left = known.room_of_points(room, counter)
    wanted = left >= LEAST_DIGEST and counter(_listed(known.points)) > left
    if not wanted or run.summarize is None:
        return known
    points = await run.once(f"points {number}", partial(_summary, run, known, left))
    return replace(known, points=tuple(points))


async def _summary(run: ActiveRun, known: Reflection, room: int) -> list[str]:
    """The points merged, with all their figures; as they are where nobody merges them."""
    counter, prompts, listed = run.setting.counter, run.setting.prompts, _listed(known.points)
    instruction = prompts.text("reducer.reflection.summary")
    with within(run.meter):
        summary = await summary_of(listed, instruction, run.summarize, counter)
    if not summary:
        return list(known.points)
    label = prompts.text("recap.facts")
    settled = settle(summary, listed, room=room, counter=counter, label=label)
    return list(Reflection("").criticised(settled.text, prompts).points)


def passes(critique: str, signal: str) -> bool:
    """Whether *critique* has nothing against the answer."""
    lines = [line for line in critique.splitlines() if line.strip()]
    verdicts = {line.strip(_EMPHASIS).casefold() for line in (*lines[:1], *lines[-1:])}
    return not lines or signal.casefold() in verdicts


def _with_state(run: ActiveRun, known: Reflection, room: int, what: str) -> str:
    """What to do, below answer and points: models wrote those, so they are fenced."""
    prompts = run.setting.prompts
    shown = known.shown(room, run.setting.counter, prompts)
    return f"{fence(shown, kind='draft', note=prompts.text('reflection.guard'))}\n\n{what}"


def _listed(points: Sequence[str]) -> str:
    return "\n".join(f"- {point}" for point in points)
