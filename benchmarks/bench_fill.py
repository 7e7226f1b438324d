"""How full a window is that is filled once, while messages and candidates wait for it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

import anyio

from agentmaker import afit
from benchmarks import command
from benchmarks.cases import KINDS, OUTPUT_TOKENS, Case, Kind, cases
from benchmarks.figures import Bar, Report, Table, share
from benchmarks.replay import MODEL
from benchmarks.room import use_of

WINDOWS = (4_000, 8_000, 32_000, 128_000)
FULL = 0.95

CASES = 160_000
"""Tokens of window that the cases of one kind and window have together."""


async def filled(case: Case) -> float:
    """The share of the room in use."""
    fitted = await afit(
        case.messages,
        window=case.window,
        output_tokens=OUTPUT_TOKENS,
        sources=case.sources,
        model=MODEL,
    )
    return use_of(fitted).share


async def fill(kind: Kind, window: int, total: int) -> list[float]:
    number = max(2, total // window)
    return [await filled(case) for case in cases(kind, window, number)]


async def measured(windows: Sequence[int] = WINDOWS, total: int = CASES) -> Report:
    """*total* as ``CASES``."""
    shares = {
        name: [await fill(kind, each, total) for each in windows] for name, kind in KINDS.items()
    }
    columns = ("waiting; used in a window of", *(f"{window:,}" for window in windows))
    rows = [(name, *map(_least_and_mean, values)) for name, values in shares.items()]
    least = min(value for values in shares.values() for these in values for value in these)
    claim = f"a one-shot fit uses at least {share(FULL)} of the room"
    return Report([Table("one_shot", columns, rows)], [Bar(claim, share(least), least >= FULL)])


def _least_and_mean(values: Sequence[float]) -> str:
    return f"{share(min(values))}, mean {share(fmean(values))}"


def measure(folder: Path | None) -> Report:
    return anyio.run(measured)


if __name__ == "__main__":
    command.run("fill", measure)
