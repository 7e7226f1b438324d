"""What a long plan and a long reflection still have in their window at the end."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio

import agentmaker
from agentmaker import PlanAgent, ReflectionAgent, RunPolicy
from agentmaker.agents.base import BaseAgent
from agentmaker.agents.knobs import AgentConfig
from agentmaker.prompts import DEFAULT_PROMPTS
from agentmaker.testing import ModelServer, ScriptedLLM
from benchmarks import command
from benchmarks.figures import Bar, Report, Table, share
from benchmarks.reports import Errands, Review, errands, figures, page, review, says, words

WINDOW = 8_000
OUTPUT_TOKENS = 512
STEPS = 60
ROUNDS = 40

SUMMARY = "The branches before this one were looked into, and most of them sold more than before."
"""What a poor summariser says, whatever it is given."""

LEAST_FIGURES = 0.95

COLUMNS = (
    "run",
    "requests",
    "refused",
    "largest prompt",
    "to be kept",
    "requests that keep it",
    "figures of all results in the last request",
    "beside their step",
)

NUMBERED = re.compile(r"^(\d+)\. (?:to (\d+)\. )?\[(to do|done|failed)\]", re.MULTILINE)
STEP = re.compile(r"Carry out step (\d+) of")

Body = Mapping[str, Any]


def look(branch: int) -> str:
    """Read the ledger of a branch."""
    return page(branch)


@dataclass(frozen=True, slots=True)
class Planner:
    """The model of a plan: one call and one report a step, and a new plan after the failure."""

    work: Errands

    def __call__(self, body: Body) -> Any:
        asked, newest = says(body)
        if is_summary(body):
            return SUMMARY
        if body.get("response_format"):
            over = self.work.fails if "[failed]" in asked else 0
            return json.dumps({"steps": self.work.steps[over:]})
        step = STEP.search(asked)
        if step is None:
            return "The branches sold more than the year before."
        if newest == "user":
            return ScriptedLLM.tool_call("look", {"branch": 400 + int(step[1])})
        return self.work.reports[int(step[1]) - 1]

    def keeps(self, asked: str) -> bool:
        """Whether a request gives every step its number and its status."""
        step = STEP.search(asked)
        total = len(self.work.steps)
        over = int(step[1]) - 1 if step else total
        if "Make a new plan" in asked:
            over = self.work.fails
        wanted = {at: self.work.status(at) if at <= over else "to do" for at in range(1, total + 1)}
        return "Make a plan first" in asked or statuses(asked) == wanted


@dataclass(slots=True)
class Writer:
    """The model of a reflection, which never finds an answer good enough."""

    work: Review
    drafted: int = 0
    criticised: int = 0

    def __call__(self, body: Body) -> Any:
        asked, _ = says(body)
        if criticises(asked):
            self.criticised += 1
            return "\n".join(f"- {each}." for each in self.work.critiques[self.criticised - 1])
        self.drafted += 1
        return self.work.answers[self.drafted - 1]

    def kept_by(self, texts: Sequence[str]) -> int:
        """How many of the requests say the newest answer and every point made before them."""
        made, drafted, kept = 0, 0, 0
        for asked in texts:
            points = Review((), self.work.critiques[:made]).points
            answer = self.work.answers[drafted - 1] if drafted else ""
            kept += answer in asked and all(point in words(asked) for point in points)
            made, drafted = made + criticises(asked), drafted + (not criticises(asked))
        return kept


def is_summary(body: Body) -> bool:
    first: object = body["messages"][0]["content"]
    return first == DEFAULT_PROMPTS.text("reducer.plan.summary")


def criticises(asked: str) -> bool:
    return DEFAULT_PROMPTS.text("reflection.pass") in asked


def statuses(text: str) -> dict[int, str]:
    """The status that *text* gives each step."""
    return {
        number: status
        for first, last, status in NUMBERED.findall(text)
        for number in range(int(first), int(last or first) + 1)
    }


def beside(text: str) -> dict[int, set[str]]:
    """The figures that stand in *text* under each step."""
    starts = [*NUMBERED.finditer(text)]
    ends = [*(each.start() for each in starts[1:]), len(text)]
    return {
        int(each[1]): {*figures(text[each.end() : end])}
        for each, end in zip(starts, ends, strict=True)
    }


async def carried_out(make: Callable[[Any], BaseAgent], model: Any, **options: Any) -> ModelServer:
    """The server that *make*'s agent, run to its end, has asked."""
    server = ModelServer(model, window=WINDOW)
    client = agentmaker.wrap(
        server.client(), window=WINDOW, output_tokens=OUTPUT_TOKENS, sinks=[], **options
    )
    result = await make(client).arun("How did our branches do last year, and what stands out?")
    result.raise_for_status()
    return server


def planning(client: Any) -> BaseAgent:
    limits = RunPolicy(calls=1_000)
    return PlanAgent("auditor", client, "Be exact.", model="gpt-4o", tools=[look], limits=limits)


def reflecting(rounds: int) -> Callable[[Any], BaseAgent]:
    def make(client: Any) -> BaseAgent:
        return ReflectionAgent(
            "writer",
            client,
            "Be exact.",
            model="gpt-4o",
            limits=RunPolicy(calls=1_000),
            config=AgentConfig(rounds=rounds),
        )

    return make


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a run's requests held.

    Attributes:
        wanted: what every request should hold.
        kept: how many of the run's own requests, of so many *asked*, held it.
        last: the share of all results' figures that is in the last request.
        beside: the share that stands there under its own step.
    """

    name: str
    server: ModelServer
    wanted: str
    asked: int
    kept: int
    last: float | None = None
    beside: float | None = None

    @property
    def refused(self) -> int:
        return sum(each.status != 200 for each in self.server.requests)

    @property
    def cells(self) -> Sequence[str]:
        return (
            self.name,
            f"{len(self.server.requests)}",
            f"{self.refused}",
            f"{max(each.prompt_tokens for each in self.server.requests):,}",
            self.wanted,
            f"{self.kept} of {self.asked}",
            "" if self.last is None else share(self.last),
            "" if self.beside is None else share(self.beside),
        )


async def plan(name: str, steps: int, **options: Any) -> Found:
    model = Planner(errands(steps))
    server = await carried_out(planning, model, **options)
    texts = [says(each.body)[0] for each in server.requests if not is_summary(each.body)]
    reports = enumerate(model.work.reports, 1)
    wanted = [(at, figure) for at, report in reports for figure in figures(report)]
    found, under = {*figures(texts[-1])}, beside(texts[-1])
    return Found(
        name=f"{steps} steps, {name}",
        server=server,
        wanted=f"{steps} numbers and statuses",
        asked=len(texts),
        kept=sum(map(model.keeps, texts)),
        last=sum(figure in found for _, figure in wanted) / len(wanted),
        beside=sum(figure in under[at] for at, figure in wanted) / len(wanted),
    )


async def reflection(rounds: int) -> Found:
    model = Writer(review(rounds))
    server = await carried_out(reflecting(rounds), model)
    texts = [says(each.body)[0] for each in server.requests]
    return Found(
        name=f"{rounds} rounds",
        server=server,
        wanted=f"{len(model.work.points)} distinct points, the newest answer",
        asked=len(texts),
        kept=model.kept_by(texts),
    )


async def measured(steps: int = STEPS, rounds: int = ROUNDS) -> Report:
    plans = [
        await plan("no summariser", steps),
        await plan("a poor summariser", steps, summarizer="gpt-4o-mini"),
    ]
    reflected = await reflection(rounds)
    every = [*plans, reflected]
    refused = sum(each.refused for each in every)
    least = min(each.beside or 0 for each in plans)
    bars = [
        Bar("no request refused", f"{refused}", not refused),
        _every("every number and status in every request of a plan", plans),
        _every("every distinct point in every request of a reflection", [reflected]),
        Bar(
            f"at least {share(LEAST_FIGURES)} of all figures beside their step at the end",
            share(least),
            least >= LEAST_FIGURES,
        ),
    ]
    return Report([Table("window", COLUMNS, [each.cells for each in every])], bars)


def _every(claim: str, found: Sequence[Found]) -> Bar:
    kept, asked = sum(each.kept for each in found), sum(each.asked for each in found)
    return Bar(claim, f"{kept} of {asked}", kept == asked)


def measure(folder: Path | None) -> Report:
    return anyio.run(measured)


if __name__ == "__main__":
    command.run("paradigms", measure)
