"""An agent that plans, carries out its plan step by step, and answers from the results."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from agentmaker.agents.base import BaseAgent
from agentmaker.agents.events import Event
from agentmaker.agents.outputs import Output
from agentmaker.agents.parts import Parts
from agentmaker.agents.run import ActiveRun
from agentmaker.agents.toolbox import Toolbox
from agentmaker.context.reducers import reduce_plan, tokens_of
from agentmaker.messages import Message
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

    async def work(self, run: ActiveRun, toolbox: Toolbox) -> AsyncGenerator[Event, None]:
        prompts = run.setting.prompts
        parts = Parts(run=run, toolbox=toolbox, system=self.system(run))
        async for event in parts.play("plan", prompts.text("plan.make"), tools=False, output=_PLAN):
            yield event
        plan, replans = Plan().from_here(parts.answer.steps), 0
        while number := plan.next:
            async for event in parts.play(f"step {number}", _carry_out(plan, number, prompts)):
                yield event
            plan = await _reduced(parts, plan.after(number, parts.text, prompts), number)
            if plan.failed and replans < self.config.replans:
                replans += 1
                ask = f"{plan.shown(prompts)}\n\n{prompts.render('plan.remake', number=number + 1)}"
                async for event in parts.play(f"plan {replans}", ask, tools=False, output=_PLAN):
                    yield event
                plan = plan.from_here(parts.answer.steps)
        ask = f"{plan.shown(prompts)}\n\n{prompts.text('plan.answer')}" if plan.steps else ""
        async for event in parts.play("answer", ask, tools=not plan.steps, output=self.output):
            yield event
        run.output, run.turns = parts.answer, (run.question, Message(parts.text, "assistant"))


_PLAN = Output(Steps)


def _carry_out(plan: Plan, number: int, prompts: PromptRegistry) -> str:
    step = prompts.render(
        "plan.step",
        number=number,
        step=plan.steps[number - 1].text,
        signal=prompts.text("plan.failed"),
    )
    return f"{plan.shown(prompts)}\n\n{step}"


async def _reduced(parts: Parts, plan: Plan, number: int) -> Plan:
    """The plan with results that fit their room; what they were cut to once stays."""
    setting = parts.run.setting
    if tokens_of(*plan.results, counter=setting.counter) <= parts.room:
        return plan

    async def reduce() -> list[str]:
        reduced = await reduce_plan(
            plan.results,
            summarize=parts.summarize,
            budget=int(parts.room * KEPT),
            counter=setting.counter,
            prompts=setting.prompts,
        )
        return list(reduced)

    return replace(plan, results=tuple(await parts.once(f"results {number}", reduce)))
