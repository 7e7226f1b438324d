"""How much of each request a prompt cache has seen before, and how often a cut moves it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import anyio

from benchmarks import command
from benchmarks.data import Conversation, tau_airline
from benchmarks.figures import Bar, Report, Table
from benchmarks.prefix import PrefixMeter
from benchmarks.replay import replay
from benchmarks.tool_loop import OUTPUT_TOKENS, WINDOW, tool_loop

LEAST_KEPT = 0.93
MOST_CUTS = 50

UNLIMITED = 1_000_000
TAU_WINDOWS = (6_000, 8_000, 16_000, UNLIMITED)

COLUMNS = ("conversations", "window", "requests", "prefix kept", "cuts")


async def metered(found: Iterable[Conversation], **options: Any) -> PrefixMeter:
    """Replay *found*; a call that cannot be made to fit is left out."""
    meter = PrefixMeter()
    for conversation in found:
        meter.begin()
        async for outcome in replay(conversation, **options):
            if outcome.fitted is not None:
                meter.add(outcome.fitted.messages)
    return meter


async def measured(folder: Path | None, steps: int = 1_000) -> Report:
    loop = tool_loop(steps)
    meter = await metered([loop], window=WINDOW, output_tokens=OUTPUT_TOKENS)
    rows = [_row(f"a loop of {steps:,} steps", WINDOW, meter)]
    recorded = tau_airline(folder) if folder else []
    for window in TAU_WINDOWS if recorded else ():
        rows.append(_row("tau_airline", window, await metered(recorded, window=window)))
    bars = [
        Bar(f"at least {LEAST_KEPT:.2f} kept", f"{meter.share:.4f}", meter.share >= LEAST_KEPT),
        Bar(f"at most {MOST_CUTS} cuts", f"{meter.cuts}", meter.cuts <= MOST_CUTS),
    ]
    return Report([Table("prefix", COLUMNS, rows)], bars)


def _row(name: str, window: int, meter: PrefixMeter) -> Sequence[str]:
    size = "no limit" if window == UNLIMITED else f"{window:,}"
    return name, size, f"{meter.requests:,}", f"{meter.share:.4f}", f"{meter.cuts:,}"


def measure(folder: Path | None) -> Report:
    return anyio.run(measured, folder)


if __name__ == "__main__":
    command.run("prefix", measure)
