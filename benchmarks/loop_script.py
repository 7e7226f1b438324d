"""A scripted loop as an agent's process is given it, and what the process finds out.

Nothing but the standard library, as other agents' interpreters read this as well.
"""

from __future__ import annotations

import json
import os
import sys
import time
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path

MODEL = "scripted"

_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What an agent is told: where its model is, how large it is, what its tool returns."""

    base_url: str
    window: int
    output_tokens: int
    system: str
    question: str
    description: str
    results: list[str]


@dataclass(slots=True, kw_only=True)
class Spent:
    """CPU seconds and megabytes of an agent's process.

    Attributes:
        cpu: from before the first request to the answer.
        clock: CPU time at each call of the tool.
        resident: megabytes at each call of the tool.
        peak: megabytes, imports included.
    """

    answer: str = ""
    cpu: float = 0.0
    clock: list[float] = field(default_factory=list)
    resident: list[float] = field(default_factory=list)
    peak: float = 0.0

    def between(self, first: int, last: int) -> float:
        """CPU seconds of the steps from *first* to *last*."""
        return self.clock[last - 1] - self.clock[first - 1]


class Steps:
    """The agent's tool, which answers with the next scripted result."""

    def __init__(self, results: list[str]) -> None:
        self.spent = Spent()
        self._results = iter(results)
        self._begun = time.process_time()

    def look(self, q: str) -> str:
        self.spent.clock.append(time.process_time())
        self.spent.resident.append(_resident())
        return next(self._results)

    def end(self, answer: str) -> None:
        """Print what was found, for the process that asked for it."""
        self.spent.answer = answer
        self.spent.cpu = time.process_time() - self._begun
        self.spent.peak = _peak()
        print(f"\n{json.dumps(asdict(self.spent))}")


def read_task() -> Task:
    return Task(**json.load(sys.stdin))


def _resident() -> float:
    return int(os.pread(_memory(), 99, 0).split()[1]) * _PAGE / 1e6


@cache
def _memory() -> int:
    # Open for good: to open it at each step costs more than many a step of what is measured.
    return os.open("/proc/self/statm", os.O_RDONLY)


def _peak() -> float:
    # Of this program alone: getrusage has that of the one that started it as well.
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) * 1024 / 1e6
