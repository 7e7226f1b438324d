"""The low-water mark's curve: room used against prefix kept and cuts, over one long tool loop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from statistics import fmean

import anyio

from agentmaker import AgentmakerConfig
from benchmarks import command
from benchmarks.bench_prefix import LEAST_KEPT, MOST_CUTS
from benchmarks.figures import Bar, Report, Table, share
from benchmarks.prefix import PrefixMeter
from benchmarks.processes import spread
from benchmarks.replay import replay
from benchmarks.room import use_of
from benchmarks.tool_loop import OUTPUT_TOKENS, WINDOW, tool_loop

MARKS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


@dataclass(frozen=True, slots=True)
class Point:
    """What one mark gives; *used* is the mean share of the room over all requests."""

    mark: float
    used: float
    kept: float
    cuts: int

    def row(self) -> Sequence[str]:
        return f"{self.mark}", share(self.used), f"{self.kept:.4f}", f"{self.cuts}"


async def curve(steps: int, marks: Sequence[float]) -> list[Point]:
    """The loop of *steps* steps with each mark."""
    return await spread(partial(point, steps), marks)


def point(steps: int, mark: float) -> Point:
    return anyio.run(_point, steps, mark)


async def _point(steps: int, mark: float) -> Point:
    loop, meter, shares = tool_loop(steps), PrefixMeter(), []
    options = {"window": WINDOW, "output_tokens": OUTPUT_TOKENS, "config": _config(mark)}
    async for outcome in replay(loop, **options):
        fitted = outcome.result()
        meter.add(fitted.messages)
        shares.append(use_of(fitted, loop.tools).share)
    return Point(mark, fmean(shares), meter.share, meter.cuts)


def _config(mark: float) -> AgentmakerConfig:
    config = AgentmakerConfig()
    return replace(config, window_budget=replace(config.window_budget, low_water=mark))


async def measured(steps: int = 1_000, marks: Sequence[float] = MARKS) -> Report:
    points = await curve(steps, marks)
    columns = ("mark", "room used", "prefix kept", "cuts")
    default = AgentmakerConfig().window_budget.low_water
    return Report(
        [Table("curve", columns, [each.row() for each in points])],
        [_held(each) for each in points if each.mark == default],
    )


def _held(point: Point) -> Bar:
    return Bar(
        f"the default mark, {point.mark}, keeps {LEAST_KEPT} with at most {MOST_CUTS} cuts",
        f"{point.kept:.4f}, {point.cuts} cuts",
        point.kept >= LEAST_KEPT and point.cuts <= MOST_CUTS,
    )


def measure(folder: Path | None) -> Report:
    return anyio.run(measured)


if __name__ == "__main__":
    command.run("low_water", measure)
