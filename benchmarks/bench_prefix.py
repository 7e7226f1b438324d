"""How much of each request a prompt cache has seen before, and how often a cut moves it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import anyio

from agentmaker.errors import ContextWindowExceeded
from benchmarks import command
from benchmarks.data import Conversation, tau_airline
from benchmarks.figures import Bar, Report, Table
from benchmarks.prefix import PrefixMeter
from benchmarks.replay import replay
from benchmarks.tool_loop import OUTPUT_TOKENS, WINDOW, tool_loop

LEAST_KEPT = 0.93
MOST_CUTS = 50

UNLIMITED = 1_000_000
RECORDED: tuple[tuple[int, int | None], ...] = (
    (6_000, None),
    (8_000, None),
    (6_000, OUTPUT_TOKENS),
    (8_000, OUTPUT_TOKENS),
    (16_000, None),
    (UNLIMITED, None),
)
"""Windows and output reserves for the recorded conversations."""

COLUMNS = ("conversations", "window", "output reserve", "requests", "prefix kept", "cuts")


async def metered(found: Iterable[Conversation], **options: Any) -> PrefixMeter:
    """Replay *found*; a call that cannot be made to fit is left out."""
    meter = PrefixMeter()
    for conversation in found:
        meter.begin()
        async for outcome in replay(conversation, **options):
            if not isinstance(outcome.error, ContextWindowExceeded):
                meter.add(outcome.result().messages)
    return meter


async def measured(folder: Path | None, steps: int = 1_000) -> Report:
    loop = tool_loop(steps)
    meter = await metered([loop], window=WINDOW, output_tokens=OUTPUT_TOKENS)
    rows = [_row(f"a loop of {steps:,} steps", WINDOW, OUTPUT_TOKENS, meter)]
    recorded = tau_airline(folder) if folder else []
    for window, reserve in RECORDED if recorded else ():
        replayed = await metered(recorded, window=window, output_tokens=reserve)
        rows.append(_row("tau_airline", window, reserve, replayed))
    bars = [
        Bar(f"at least {LEAST_KEPT:.2f} kept", f"{meter.share:.4f}", meter.share >= LEAST_KEPT),
        Bar(f"at most {MOST_CUTS} cuts", f"{meter.cuts}", meter.cuts <= MOST_CUTS),
    ]
    return Report([Table("prefix", COLUMNS, rows)], bars)


def _row(name: str, window: int, reserve: int | None, meter: PrefixMeter) -> Sequence[str]:
    size = "no limit" if window == UNLIMITED else f"{window:,}"
    output = f"{reserve or 'default'}"
    return name, size, output, f"{meter.requests:,}", f"{meter.share:.4f}", f"{meter.cuts:,}"


def measure(folder: Path | None) -> Report:
    if folder is None:
        print(f"prefix: {command.NO_DATA}; only the made-up loop is measured")
    return anyio.run(measured, folder)


if __name__ == "__main__":
    command.run("prefix", measure)
