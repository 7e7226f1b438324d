"""An agent that plans, carries out its plan step by step, and answers from the results."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from agentmaker.agents.base import BaseAgent
from agentmaker.agents.deadline import within
from agentmaker.agents.headroom import LEAST_DIGEST, digest_room
from agentmaker.agents.outputs import Output
from agentmaker.agents.planned import Planned, StepStatus
from agentmaker.agents.run import ActiveRun
from agentmaker.agents.script import Part, Script
from agentmaker.agents.shortening import shortened
from agentmaker.calls.forms.fence import fence
from agentmaker.context.reducers.condense import summary_of
from agentmaker.prompts import PromptRegistry

LONGEST = 0.25
"""Of the plan's room, what one result or a summary of results may take."""


@dataclass(frozen=True, slots=True)
class Steps:
    """A plan as a model writes it."""

    steps: list[str]


class PlanAgent(BaseAgent):
    """Makes a plan, works on each step with its tools, and answers from what the steps gave.

    A step whose report begins with the prompt ``plan.failed`` has failed; what is left is then
    planned anew, `AgentConfig.replans` times at the most. An empty plan is none: the question
    is answered at once.

    Every request shows the plan with the number and status of each step, and what came of it,
    in `AgentConfig.digest_share` of the room; what is too long is shortened, its figures last.
    """

    kind: ClassVar[str] = "plan"

    async def script(self, run: ActiveRun) -> Script:
        prompts, counter = run.setting.prompts, run.setting.counter
        room = digest_room(run, self.tools, self.config.digest_share)
        made = yield Part(name="plan", ask=prompts.text("plan.make"), tools=False, output=STEPS)
        plan = Planned().from_here(made.value.steps).within(room, counter, prompts)
        plans = 1
        while number := plan.next:
            done = yield Part(name=f"step {number}", ask=_carry_out(run, plan, number, room))
            result = shortened(done.text.strip(), int(room * LONGEST), counter)
            plan = await _fitted(run, plan.after(_status(done.text, prompts), result), room)
            if plan.failed and plans <= self.config.replans:
                plans += 1
                made = yield _anew(plan, plans, prompts)
                plan = plan.from_here(made.value.steps).within(room, counter, prompts)
        ask = _with_plan(plan, prompts.text("plan.answer"), prompts) if plan.steps else ""
        answer = yield Part(name="answer", ask=ask, tools=not plan.steps, output=run.output_type)
        run.answer(answer.value, answer.messages[-1])


STEPS = Output(Steps)


async def _fitted(run: ActiveRun, plan: Planned, room: int) -> Planned:
    """The plan in its room; a summary that was made for that once stays."""
    counter, prompts, most = run.setting.counter, run.setting.prompts, int(room * LONGEST)
    wanted = most >= LEAST_DIGEST and counter(plan.shown(prompts)) > room
    if wanted and run.summarize is not None:
        plan = await _summarised(run, plan, most)
    return plan.within(room, counter, prompts)


async def _summarised(run: ActiveRun, plan: Planned, room: int) -> Planned:
    """The plan with its older results told in *room*, where they are longer than that."""
    untold = plan.untold(run.setting.prompts)
    if run.setting.counter(untold) <= room:
        return plan
    text = "\n\n".join(filter(None, (plan.summary, untold)))
    name = f"results {plan.over}"
    summary = await run.once(name, partial(_summary, run, text, room))
    return plan.summarised(summary) if summary else plan.untellable()


async def _summary(run: ActiveRun, text: str, room: int) -> str:
    """What is said in the place of results; "" where nobody says anything of use."""
    counter, prompts = run.setting.counter, run.setting.prompts
    instruction = prompts.text("reducer.plan.summary")
    with within(run.meter):
        summary = await summary_of(text, instruction, run.summarize, counter)
    # Figures that it lacks stay by their steps, where they mean something.
    words, _, listed = summary.rpartition(f"\n{prompts.text('recap.facts')}")
    return shortened(words or listed, room, counter)


def _status(report: str, prompts: PromptRegistry) -> StepStatus:
    signal = prompts.text("plan.failed").casefold()
    return "failed" if report.casefold().lstrip(" \n\t*_#`\"'[(").startswith(signal) else "done"


def _carry_out(run: ActiveRun, plan: Planned, number: int, room: int) -> str:
    prompts = run.setting.prompts
    most = max(LEAST_DIGEST, int(room * LONGEST))
    step = shortened(plan.steps[number - 1].text, most, run.setting.counter)
    now = prompts.render("plan.now", number=number, step=step)
    what = prompts.render("plan.step", number=number, signal=prompts.text("plan.failed"))
    return _with_plan(plan, what, prompts, now)


def _anew(plan: Planned, plans: int, prompts: PromptRegistry) -> Part:
    what = prompts.render("plan.remake", number=plan.over + 1)
    return Part(
        name=f"plan {plans}", ask=_with_plan(plan, what, prompts), tools=False, output=STEPS
    )


def _with_plan(plan: Planned, what: str, prompts: PromptRegistry, now: str = "") -> str:
    """What to do, below the plan: models wrote that, over what tools said, so it is fenced."""
    state = "\n\n".join(filter(None, (plan.shown(prompts), now)))
    return f"{fence(state, kind='plan', note=prompts.text('plan.guard'))}\n\n{what}"
