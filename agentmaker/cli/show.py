"""How results look on a terminal: tables and bars."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from agentmaker.cli.count import Count
from agentmaker.cli.replay import Summary
from agentmaker.observe.report import COLUMNS, Fields, Stream, Totals, table

BAR = 40
PIPED_WIDTH = 140


def print_ledger(records: Sequence[Fields], totals: Totals) -> None:
    """Every request, what they add up to, and the share of each stream."""
    ended = [(f"  {name}", f"{count:,}") for name, count in totals.outcomes.items()]
    first = [("requests", f"{totals.requests:,}"), *ended]
    _print(requests(records), facts(totals, *first), bars(totals.streams))


def print_summary(summary: Summary) -> None:
    """What a replay came to."""
    fitted = summary.calls - sum(summary.errors.values())
    first = [
        ("window", f"{summary.window:,}"),
        ("counter", f"{summary.counter}, for {summary.model}"),
        ("conversations", f"{summary.conversations:,}"),
        ("calls that fit", f"{fitted:,} of {summary.calls:,}"),
    ]
    shown = [facts(summary.totals, *first), bars(summary.totals.streams)]
    _print(*shown, *([failures(summary)] if summary.errors else []))


def print_counts(found: Sequence[Count], *, counter: str, exact: bool) -> None:
    """One line a file, and what counted them."""
    _print(counts(found), f"counter: {counter} ({'exact' if exact else 'an estimate'})")


def print_runs(lines: Sequence[Sequence[str]]) -> None:
    """One line a run."""
    names = ["run", "agent", "status", "updated", "question"]
    _print(_table(names, lines, words=range(len(names))))


def requests(records: Sequence[Fields]) -> Table:
    """One line a request; columns that say nothing about any of them are left out."""
    lines = table(records)
    shown = [n for n, name in enumerate(COLUMNS) if _tells(name, {line[n] for line in lines})]
    return _table([COLUMNS[n] for n in shown], [[line[n] for n in shown] for line in lines])


def facts(totals: Totals, *first: tuple[str, str]) -> Table:
    """The totals as one fact a line, after the facts in *first*."""
    return _table(["", ""], [*first, *_facts(totals)], words=(0,))


def bars(streams: Sequence[Stream]) -> Table:
    """Each stream's part of all windows as a bar, with the tokens behind it."""
    lines = [
        (
            stream.name,
            _bar(stream.share),
            f"{stream.share:.1%}",
            f"{stream.used:,}",
            f"{stream.dropped:,}",
        )
        for stream in streams
    ]
    return _table(["stream", "", "share", "used", "dropped"], lines, words=(0, 1))


def failures(summary: Summary) -> Table:
    """How often each exception was raised, and where it was first."""
    lines = [
        (name, f"{count:,}", summary.first.get(name, "")) for name, count in summary.errors.items()
    ]
    return _table(["error", "calls", "first"], lines, words=(0, 2))


def counts(found: Sequence[Count]) -> Table:
    """One line a file; columns that say nothing about any of them are left out."""
    lines = [
        (
            one.file,
            one.kind,
            f"{one.conversations:,}" if one.conversations else "",
            f"{one.messages:,}" if one.messages else "",
            f"{one.characters:,}",
            f"{one.tokens:,}",
        )
        for one in found
    ]
    names = ["file", "kind", "conversations", "messages", "characters", "tokens"]
    shown = [n for n in range(len(names)) if any(line[n] for line in lines)]
    return _table(
        [names[n] for n in shown], [[line[n] for n in shown] for line in lines], words=(0, 1)
    )


def _facts(totals: Totals) -> Iterable[tuple[str, str]]:
    yield "tokens sent, as estimated", f"{totals.estimate:,}"
    if totals.prompt_tokens:
        yield "tokens sent, as counted by the provider", f"{totals.prompt_tokens:,}"
        yield "  of these from its cache", f"{totals.cached_tokens:,}"
        yield "tokens of the replies", f"{totals.completion_tokens:,}"
    yield "tokens left out", f"{totals.dropped:,}"
    if totals.prefix_kept is not None:
        yield "prefix kept", f"{totals.prefix_kept:.1%}"
    if totals.worst_estimate_error is not None:
        yield "worst error of an estimate", f"{totals.worst_estimate_error:+z.1%}"
    if totals.factor is not None:
        yield "tokens of the provider for one of ours, at last", f"{totals.factor:.3f}"
    yield "milliseconds of our own, each", f"{_each(totals.own_ms, totals.requests):.2f}"


def _each(amount: float, requests: int) -> float:
    return amount / requests if requests else 0.0


def _bar(share: float) -> str:
    encoding = sys.stdout.encoding or ""
    return ("█" if encoding.lower().startswith("utf") else "#") * round(share * BAR)


def _tells(column: str, values: set[str]) -> bool:
    return len(values) > 1 if column == "purpose" else bool(values - {"", "0"})


def _table(
    names: Sequence[str], lines: Iterable[Sequence[str]], *, words: Sequence[int] = ()
) -> Table:
    shown = Table(
        box=None, show_header=any(names), pad_edge=False, padding=(0, 1, 0, 0), header_style="bold"
    )
    for number, name in enumerate(names):
        shown.add_column(name, justify="left" if number in words else "right", overflow="fold")
    for line in lines:
        # As text: a file or a message may hold what rich reads as markup.
        shown.add_row(*map(Text, line))
    return shown


def _print(*parts: Table | str) -> None:
    """Print *parts* with a blank line between them, as wide as a pipe or the terminal allows."""
    console = Console(width=None if sys.stdout.isatty() else PIPED_WIDTH, highlight=False)
    for number, part in enumerate(parts):
        if number:
            console.print()
        console.print(part, markup=False)
