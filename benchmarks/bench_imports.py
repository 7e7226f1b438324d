"""What loading costs: CPU time and memory of fresh processes, in turn, the lower quartiles.

Bytecode is written once before; the client is made in each process that has openai, since
``wrap`` takes one.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import quantiles

from benchmarks import command
from benchmarks.figures import Bar, Report, Table

ROUNDS = 9

CLIENT = 'client = openai.AsyncOpenAI(api_key="any", base_url="http://in-process.invalid/v1")'
PROGRAMS = {
    "the bare interpreter": "pass",
    "`import agentmaker`": "import agentmaker",
    "`import openai` and a client": f"import openai\n{CLIENT}",
    "the same, `import agentmaker` and the first `wrap`": (
        f"import openai, agentmaker\n{CLIENT}\nagentmaker.wrap(client, window=8_000)"
    ),
}
MEASURED = """
import resource, sys, time
print(time.process_time() * 1000)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(peak / (1e6 if sys.platform == "darwin" else 1e3))
"""

MOST_ALONE, MOST_BESIDE, MOST_RESIDENT = 60.0, 60.0, 10.0


def loaded(program: str, cache: str) -> tuple[float, float]:
    """CPU milliseconds and the peak of resident megabytes of a process that runs *program*."""
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": cache}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run(
        [sys.executable, "-c", program + MEASURED],
        capture_output=True, text=True, check=True, env=environment, cwd=Path(__file__).parents[1],
    )  # fmt: skip
    milliseconds, megabytes = map(float, done.stdout.split())
    return milliseconds, megabytes


def measured(rounds: int = ROUNDS) -> dict[str, tuple[float, float]]:
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in PROGRAMS}
    with tempfile.TemporaryDirectory() as cache:
        for nth in range(rounds + 1):
            for name, program in PROGRAMS.items():
                figures = loaded(program, cache)
                if nth:
                    found[name].append(figures)
    return {name: (_usual(rows, 0), _usual(rows, 1)) for name, rows in found.items()}


def _usual(rows: list[tuple[float, float]], place: int) -> float:
    return quantiles((row[place] for row in rows), n=4, method="inclusive")[0]


def report(found: dict[str, tuple[float, float]]) -> Report:
    rows = [(name, f"{cpu:.0f}", f"{resident:.1f}") for name, (cpu, resident) in found.items()]
    (bare, _), (alone, _), (openai, before), (wrapped, after) = found.values()
    bars = [
        _bar("`import agentmaker` above the bare interpreter", alone - bare, MOST_ALONE, "ms"),
        _bar("`import agentmaker` and the first `wrap`", wrapped - openai, MOST_BESIDE, "ms"),
        _bar("resident above openai", after - before, MOST_RESIDENT, "MB"),
    ]
    return Report([Table("imports", ("fresh process", "CPU ms", "MB resident"), rows)], bars)


def _bar(claim: str, value: float, most: float, unit: str) -> Bar:
    return Bar(f"{claim}: at most {most:.0f} {unit}", f"{value:.1f} {unit}", value <= most)


def measure(folder: Path | None) -> Report:
    return report(measured())


if __name__ == "__main__":
    command.run("imports", measure)
