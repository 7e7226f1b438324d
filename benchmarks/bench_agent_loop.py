"""A thousand steps of a tool loop in a window of 8,000 tokens: ours, and LangChain's agent.

Both have the same model, scripted behind a `ModelServer` in a process of its own, and the same
tool. Each run of an agent is a fresh process; they take turns. Ours has the package as a user
installs it; LangChain's runs in this interpreter or in the one that ``AGENTMAKER_LANGCHAIN``
names.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from statistics import median

from benchmarks import command, installed
from benchmarks.data import Conversation
from benchmarks.figures import Bar, Report, Table
from benchmarks.loop_script import Spent, Task
from benchmarks.loop_server import Script, Seen, serving
from benchmarks.texts import english
from benchmarks.tool_loop import OUTPUT_TOKENS, WINDOW, tool_loop

LANGCHAIN = "AGENTMAKER_LANGCHAIN"
LANGCHAINS = "LangChain"
NO_LANGCHAIN = (
    f"agent_loop: no LangChain: install langchain and langchain-openai, here or where the "
    f"interpreter is that {LANGCHAIN} names; only our own agent is measured"
)

STEPS = 1_000
ROUNDS = 5
EARLY = (100, 200)
SUMMARY = 500
"""Tokens of the model's summaries."""

MOST_CUTS = 50
LEAST_KEPT = 0.93
MOST_SHARE = 0.2
MOST_RISE = 1.1
MOST_PEAK = 70.0
MOST_GROWTH = 5.0

COLUMNS = (
    "agent",
    "CPU s",
    "100 to 200, s",
    "900 to 1,000, s",
    "peak MB",
    "growth MB",
    "requests",
    "refused",
    "summaries",
    "cuts",
    "prefix kept",
)

BESIDE = ("CPU s", "peak MB", "cuts", "summaries", "prefix kept", "refused")
"""What is set side by side where there is no room for all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """How an agent's process is started."""

    name: str
    command: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One loop to its end: what its process found, and what the server did."""

    spent: Spent
    seen: Seen

    @property
    def completed(self) -> bool:
        return self.spent.answer == _ANSWER

    @property
    def early(self) -> float:
        return self.spent.between(*EARLY)

    @property
    def late(self) -> float:
        steps = len(self.spent.clock)
        return self.spent.between(steps - EARLY[1] + EARLY[0], steps)

    @property
    def growth(self) -> float:
        """Megabytes that the steps after the first hundred added."""
        return self.spent.resident[-1] - self.spent.resident[EARLY[0] - 1]


_ANSWER = "That was the last of them."

OURS = ("wrap", "LLMClient")
"""The clients that our agent is given."""

BARE = "a bare loop"


def ours(interpreter: str) -> tuple[Agent, ...]:
    """Our agent over each client, and the loop that nothing is added to."""
    agent = (interpreter, "-m", "benchmarks.loop_agent")
    return (
        *(Agent(name=f"Agent, {client}", command=(*agent, client)) for client in OURS),
        Agent(name=BARE, command=(interpreter, "-m", "benchmarks.loop_bare")),
    )


def langchain() -> tuple[Agent, ...]:
    """LangChain's agent, where there is an interpreter that has it."""
    named = os.environ.get(LANGCHAIN)
    if not named and find_spec("langchain_openai") is None:
        return ()
    interpreter = named or sys.executable
    return (Agent(name=LANGCHAINS, command=(interpreter, "-m", "benchmarks.loop_langchain")),)


def played(agent: Agent, loop: Conversation) -> Run:
    """*agent* on the whole *loop*."""
    system, question, *steps = loop.messages
    script = Script(
        messages=[each for each in steps if each["role"] == "assistant"],
        answer=_ANSWER,
        summary=english(3).text(SUMMARY),
        window=WINDOW,
    )
    with serving(script) as server:
        task = Task(
            base_url=server.base_url,
            window=WINDOW,
            output_tokens=OUTPUT_TOKENS,
            system=system["content"],
            question=question["content"],
            description=loop.tools[0]["function"]["description"],
            results=[each["content"] for each in steps if each["role"] == "tool"],
        )
        return Run(spent=_spent(agent, task), seen=server.seen())


def _spent(agent: Agent, task: Task) -> Spent:
    done = subprocess.run(
        agent.command,
        input=json.dumps(asdict(task)),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        cwd=Path(__file__).parent.parent,
    )
    # Behind whatever the agent's logs print.
    return Spent(**json.loads(done.stdout.splitlines()[-1]))


def measured(agents: Sequence[Agent], steps: int = STEPS, rounds: int = ROUNDS) -> Report:
    loop = tool_loop(steps)
    found: dict[str, list[Run]] = {agent.name: [] for agent in agents}
    for _ in range(rounds):
        for agent in agents:
            found[agent.name].append(played(agent, loop))
    rows = [_row(name, runs) for name, runs in found.items()]
    beside = _beside([row for row in rows if row[0] != BARE])
    return Report([Table("loop", COLUMNS, rows), beside], list(_bars(found)))


def _beside(rows: Sequence[Sequence[str]]) -> Table:
    columns = (f"{STEPS:,} steps of a tool loop", *(row[0] for row in rows))
    places = map(COLUMNS.index, BESIDE)
    return Table("beside", columns, [(COLUMNS[at], *(row[at] for row in rows)) for at in places])


def _row(name: str, runs: Sequence[Run]) -> Sequence[str]:
    seen = runs[-1].seen
    return (
        name,
        f"{median(run.spent.cpu for run in runs):.2f}",
        f"{median(run.early for run in runs):.3f}",
        f"{median(run.late for run in runs):.3f}",
        f"{max(run.spent.peak for run in runs):.1f}",
        f"{max(run.growth for run in runs):+.1f}",
        f"{seen.requests:,}",
        f"{seen.refused}",
        f"{seen.summaries}",
        f"{seen.cuts}",
        f"{seen.kept:.4f}",
    )


def _bars(found: Mapping[str, Sequence[Run]]) -> list[Bar]:
    ours, *others = (runs for name, runs in found.items() if name not in (LANGCHAINS, BARE))
    seen = ours[-1].seen
    all_runs = [run for runs in (ours, *others) for run in runs]
    refused = sum(run.seen.refused for run in all_runs)
    completed = all(run.completed for run in all_runs)
    rise = median(run.late / run.early for run in ours)
    peak, growth = max(run.spent.peak for run in ours), max(run.growth for run in ours)
    return [
        Bar("completes, no request refused", f"{refused}", completed and not refused),
        Bar(f"at most {MOST_CUTS} cuts", f"{seen.cuts}", seen.cuts <= MOST_CUTS),
        Bar(f"at least {LEAST_KEPT:.2f} kept", f"{seen.kept:.4f}", seen.kept >= LEAST_KEPT),
        *_compared(ours, found),
        Bar(
            f"the last hundred steps: at most {MOST_RISE:.1f} times an early hundred",
            f"{rise:.2f} times",
            rise <= MOST_RISE,
        ),
        Bar(f"peak below {MOST_PEAK:.0f} MB", f"{peak:.1f} MB", peak < MOST_PEAK),
        Bar(f"grows by less than {MOST_GROWTH:.0f} MB", f"{growth:+.1f} MB", growth < MOST_GROWTH),
    ]


def _compared(ours: Sequence[Run], found: Mapping[str, Sequence[Run]]) -> list[Bar]:
    theirs = found.get(LANGCHAINS)
    if not theirs:
        return []
    share = median(run.spent.cpu for run in ours) / median(run.spent.cpu for run in theirs)
    claim = f"CPU at most {MOST_SHARE:.0%} of LangChain's"
    return [Bar(claim, f"{share:.1%}", share <= MOST_SHARE)]


def measure(folder: Path | None) -> Report:
    theirs = langchain()
    if not theirs:
        print(NO_LANGCHAIN)
    with installed.interpreter() as python:
        return measured([*ours(python), *theirs])


if __name__ == "__main__":
    command.run("agent_loop", measure)
