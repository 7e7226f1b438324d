"""Does every request fit, and is it valid? Asked of a counter and a validator of other makers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

import anyio

from benchmarks import command, fresh, many_tools
from benchmarks.data import REQUEST_SCHEMA, Conversation, conversations
from benchmarks.figures import Bar, Report, Table, listed, share
from benchmarks.independent import Validator
from benchmarks.tally import COLUMNS, Tally, tally
from benchmarks.tool_loop import turns

WINDOWS = (4_000, 6_000, 8_000, 16_000, 32_000)
ROOMY = 6_000
"""From this window on nothing may be too large."""

ERROR = 0.02
SAMPLE = 7
"""Every seventh request is made once more in another process."""


async def measured(folder: Path, windows: Sequence[int] = WINDOWS, sample: int = SAMPLE) -> Report:
    found = conversations(folder)
    validator = Validator.from_file(folder / REQUEST_SCHEMA)
    tallies = [await tally(found, window, validator) for window in windows]
    tools = await many_tools.with_github_tools(folder)
    samples = await fresh.compared([*found, turns()], windows, sample)
    tables = [
        Table("data", ("conversations from", "number", "messages", "calls"), [*_origins(found)]),
        Table("replay", COLUMNS, [each.row() for each in tallies]),
        Table("many_tools", many_tools.COLUMNS, [each.row() for each in tools]),
        Table("fresh", fresh.COLUMNS, [each.row() for each in samples]),
    ]
    return Report(tables, [*_replay_bars(tallies), _tools_bar(tools), _fresh_bar(samples)])


def _replay_bars(tallies: Sequence[Tally]) -> list[Bar]:
    over = sum(each.over for each in tallies)
    refused = Counter(fault for each in tallies for fault in each.refused)
    roomy = sum((each.exceeded for each in tallies if each.window >= ROOMY), Counter[str]())
    raised = sum((each.raised for each in tallies), Counter[str]())
    error = max((error for each in tallies for error in each.errors), default=1.0)
    return [
        Bar("no request over the window", f"{over}", over == 0),
        Bar("no request refused", listed(refused), not refused),
        Bar(f"everything fits from {ROOMY:,} up", listed(roomy), not roomy),
        Bar("no other exception", listed(raised), not raised),
        Bar("the estimate is within 2 % of the count", share(error, 2), error <= ERROR),
    ]


def _tools_bar(windows: Sequence[many_tools.Window]) -> Bar:
    wrong = [f"{each.window:,}" for each in windows if not each.as_it_should]
    claim = f"117 tools are named before any fetch, and fit in {many_tools.LARGE_ENOUGH:,}"
    return Bar(claim, f"not in {', '.join(wrong)}" if wrong else "in every window", not wrong)


def _fresh_bar(samples: Sequence[fresh.Sample]) -> Bar:
    differing = sum(each.differing for each in samples)
    return Bar("the same bytes in a fresh process", f"{differing} differ", differing == 0)


def _origins(found: Sequence[Conversation]) -> Iterator[Sequence[str]]:
    by_origin = sorted(found, key=lambda each: each.origin)
    for origin, group in groupby(by_origin, key=lambda each: each.origin):
        these = list(group)
        messages = sum(len(each.messages) for each in these)
        calls = sum(len(each.calls) for each in these)
        yield origin, f"{len(these)}", f"{messages:,}", f"{calls:,}"


def measure(folder: Path | None) -> Report | None:
    return anyio.run(measured, folder) if folder else None


if __name__ == "__main__":
    command.run("fits", measure)
