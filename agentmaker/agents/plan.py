"""An agent that plans, carries out its plan step by step, and answers from the results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from agentmaker.agents.base import BaseAgent
from agentmaker.agents.headroom import digest_room
from agentmaker.agents.outputs import Output
from agentmaker.agents.run import ActiveRun
from agentmaker.agents.script import Part, Script
from agentmaker.context.reducers import reduce_plan, tokens_of
from agentmaker.prompts import PromptRegistry

KEPT = 0.6
"""A digest that is too long for its room is cut to this share of it, so that cuts are rare."""


@dataclass(frozen=True, slots=True)
class Steps:
    """A plan as a model writes it."""

    steps: list[str]


@dataclass(frozen=True, slots=True)
class PlanStep:
    """One step of a plan, and what became of it."""

    text: str
    status: Literal["todo", "done", "failed"] = "todo"


@dataclass(frozen=True, slots=True)
class Plan:
    """The trajectory: steps with their numbers and statuses, and what they gave.

    Attributes:
        results: entries ``Step N: ...`` and ``Result: ...``, or a digest of the older ones first.
    """

    steps: tuple[PlanStep, ...] = ()
    results: tuple[str, ...] = ()

    @property
    def next(self) -> int | None:
        """The number of the first step that is to do, from 1 on."""
        todo = (at for at, step in enumerate(self.steps, 1) if step.status == "todo")
        return next(todo, None)

    @property
    def failed(self) -> bool:
        """Whether the step carried out last failed."""
        over = [step for step in self.steps if step.status != "todo"]
        return bool(over) and over[-1].status == "failed"

    def after(self, number: int, text: str, prompts: PromptRegistry) -> Plan:
        """The plan when step *number* gave *text*."""
        status: Literal["done", "failed"] = (
            "failed" if text.lstrip().startswith(prompts.text("plan.failed")) else "done"
        )
        step = self.steps[number - 1]
        steps = (*self.steps[: number - 1], replace(step, status=status), *self.steps[number:])
        result = prompts.render("plan.result", number=number, step=step.text, result=text)
        return Plan(steps, (*self.results, result))

    def from_here(self, steps: Sequence[str]) -> Plan:
        """The plan with *steps* in the place of all that is still to do."""
        over = (step for step in self.steps if step.status != "todo")
        return replace(self, steps=(*over, *map(PlanStep, steps)))

    def shown(self, prompts: PromptRegistry) -> str:
        """Every step with its number and status, and the results."""
        lines = [
            f"{number}. [{prompts.text(f'plan.status.{step.status}')}] {step.text}"
            for number, step in enumerate(self.steps, 1)
        ]
        parts = ["\n".join([prompts.text("plan.steps"), *lines])]
        if self.results:
            parts += [prompts.text("plan.results"), *self.results]
        return "\n\n".join(parts)


class PlanAgent(BaseAgent):
    """Makes a plan, works on each step with its tools, and answers from what the steps gave.

    A step whose report begins with the prompt ``plan.failed`` has failed; what is left is then
    planned anew, `AgentConfig.replans` times at the most.
    """

    kind: ClassVar[str] = "plan"

    async def script(self, run: ActiveRun) -> Script:
        prompts = run.setting.prompts
        made = yield Part(
            name="plan", ask=prompts.text("plan.make"), tools=False, output=Output(Steps)
        )
        plan, replans = Plan().from_here(made.value.steps), 0
        while number := plan.next:
            done = yield Part(name=f"step {number}", ask=_carry_out(plan, number, prompts))
            plan = await self._reduced(run, plan.after(number, done.text, prompts), number)
            if plan.failed and replans < self.config.replans:
                replans += 1
                made = yield _anew(plan, number + 1, replans, prompts)
                plan = plan.from_here(made.value.steps)
        ask = f"{plan.shown(prompts)}\n\n{prompts.text('plan.answer')}" if plan.steps else ""
        answer = yield Part(name="answer", ask=ask, tools=not plan.steps, output=self.output)
        run.answer(answer.value, answer.messages[-1])

    async def _reduced(self, run: ActiveRun, plan: Plan, number: int) -> Plan:
        """The plan with results that fit their room; what they were cut to once stays."""
        room, setting = digest_room(run, self.config.digest_share), run.setting
        if tokens_of(*plan.results, counter=setting.counter) <= room:
            return plan

        async def reduce() -> list[str]:
            reduced = await reduce_plan(
                plan.results,
                summarize=run.summarize,
                budget=int(room * KEPT),
                counter=setting.counter,
                prompts=setting.prompts,
            )
            return list(reduced)

        return replace(plan, results=tuple(await run.once(f"results {number}", reduce)))


def _carry_out(plan: Plan, number: int, prompts: PromptRegistry) -> str:
    step = prompts.render(
        "plan.step",
        number=number,
        step=plan.steps[number - 1].text,
        signal=prompts.text("plan.failed"),
    )
    return f"{plan.shown(prompts)}\n\n{step}"


def _anew(plan: Plan, number: int, times: int, prompts: PromptRegistry) -> Part:
    ask = f"{plan.shown(prompts)}\n\n{prompts.render('plan.remake', number=number)}"
    return Part(name=f"plan {times}", ask=ask, tools=False, output=Output(Steps))
