"""The low-water mark's curve: room used against prefix kept and cuts, over one long tool loop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from agentmaker import AgentmakerConfig
from benchmarks.data import Conversation
from benchmarks.figures import share
from benchmarks.prefix import PrefixMeter
from benchmarks.replay import replay
from benchmarks.room import Use, use_of
from benchmarks.tool_loop import OUTPUT_TOKENS, WINDOW

MARKS = (0.3, 0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.8, 0.9)


@dataclass(frozen=True, slots=True)
class Point:
    """What one mark gives."""

    mark: float
    used: float
    meter: PrefixMeter

    def row(self) -> Sequence[str]:
        kept = f"{self.meter.share:.4f}"
        return f"{self.mark:.2f}", f"{share(self.used)}", kept, f"{self.meter.cuts}"


async def point(loop: Conversation, mark: float) -> Point:
    """Run *loop* with *mark*; the room used is the mean over all its requests."""
    meter = PrefixMeter()
    uses: list[Use] = []
    options = {"window": WINDOW, "output_tokens": OUTPUT_TOKENS, "config": config_with(mark)}
    async for outcome in replay(loop, **options):
        fitted = outcome.result()
        meter.add(fitted.messages)
        uses.append(use_of(fitted, loop.tools))
    return Point(mark, fmean(use.share for use in uses), meter)


def config_with(mark: float) -> AgentmakerConfig:
    config = AgentmakerConfig()
    return replace(config, window_budget=replace(config.window_budget, low_water=mark))
