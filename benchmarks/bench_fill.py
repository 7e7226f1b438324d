"""How full a one-shot fit is, and what the low-water mark of a long loop costs and gives."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

import anyio

from agentmaker import AgentmakerConfig, afit
from benchmarks import command, low_water
from benchmarks.bench_prefix import LEAST_KEPT, MOST_CUTS
from benchmarks.cases import KINDS, OUTPUT_TOKENS, Case, Kind, cases
from benchmarks.figures import Bar, Report, Table, share
from benchmarks.replay import MODEL
from benchmarks.room import use_of
from benchmarks.tool_loop import tool_loop

WINDOWS = (4_000, 8_000, 16_000, 32_000)
FULL = 0.95


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


async def fill(kind: Kind, window: int, number: int) -> list[float]:
    return [await filled(case) for case in cases(kind, window, number)]


async def measured(
    windows: Sequence[int] = WINDOWS,
    number: int = 20,
    steps: int = 1_000,
    marks: Sequence[float] = low_water.MARKS,
) -> Report:
    """*number*: cases of each kind and window."""
    shares = {
        (name, window): await fill(kind, window, number)
        for name, kind in KINDS.items()
        for window in windows
    }
    loop = tool_loop(steps)
    curve = [await low_water.point(loop, mark) for mark in marks]
    tables = [
        Table("one_shot", ("waiting", *map(_window, windows)), _one_shot(shares, windows)),
        Table(
            "low_water",
            ("mark", "room used", "prefix kept", "cuts"),
            [point.row() for point in curve],
        ),
    ]
    least = min(value for values in shares.values() for value in values)
    default = AgentmakerConfig().window_budget.low_water
    return Report(tables, [_full(least), *(_held(each) for each in curve if each.mark == default)])


def _one_shot(
    shares: dict[tuple[str, int], list[float]], windows: Sequence[int]
) -> list[Sequence[str]]:
    return [
        (name, *(_least_and_mean(shares[name, window]) for window in windows)) for name in KINDS
    ]


def _full(least: float) -> Bar:
    return Bar(f"at least {share(FULL)} of the room used by a one-shot fit", share(least), least >= FULL)


def _held(point: low_water.Point) -> Bar:
    kept, cuts = point.meter.share, point.meter.cuts
    return Bar(
        f"the default mark {point.mark} keeps {LEAST_KEPT} with at most {MOST_CUTS} cuts",
        f"{kept:.4f}, {cuts} cuts",
        kept >= LEAST_KEPT and cuts <= MOST_CUTS,
    )


def _window(window: int) -> str:
    return f"{window:,}, least / mean"


def _least_and_mean(values: Sequence[float]) -> str:
    return f"{share(min(values))} / {share(fmean(values))}"


def measure(folder: Path | None) -> Report:
    return anyio.run(measured)


if __name__ == "__main__":
    command.run("fill", measure)
