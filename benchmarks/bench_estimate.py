"""How far off are estimates of texts they were not learned from, and how long do they take?"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median
from tempfile import TemporaryDirectory

from agentmaker.tokens import TokenCounter, count_tokens, exact
from agentmaker.tokens.estimated import estimate_for
from agentmaker.tokens.weights import WEIGHTS
from benchmarks import command
from benchmarks.bench_exact import cached_tiktoken
from benchmarks.figures import Bar, Report, Table, share
from benchmarks.unseen import SIZES, documents, stretches

FAMILY = "o200k_base"
LARGE = 1_500
"""Bytes."""

MEAN, MEAN_OF_LARGE, WORST = 0.06, 0.05, 0.18
"""Relative errors."""

TIMES = 3.0
TIMED = 2_000
"""Characters of the texts that the bar on speed is about."""

ROUNDS = 9

Texts = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Errors:
    """Mean relative errors by kind; a kind without large texts has none of *large*."""

    every: Mapping[str, float]
    large: Mapping[str, float]

    @property
    def mean(self) -> float:
        return mean(self.every.values())

    @property
    def mean_of_large(self) -> float:
        return mean(self.large.values())

    @property
    def worst(self) -> float:
        return max(self.every.values())

    @property
    def worst_kind(self) -> str:
        return max(self.every, key=self.every.__getitem__)


def size(text: str) -> int:
    """Bytes of *text* as UTF-8."""
    return len(text.encode())


def errors(texts: Texts, counter: TokenCounter, known: TokenCounter) -> Errors:
    """How far *counter* is from *known*, which counts exactly."""
    every, large = {}, {}
    for kind, some in texts.items():
        found = [(size(text), _error(counter(text), known(text))) for text in some]
        every[kind] = mean(error for _, error in found)
        if of_large := [error for length, error in found if length >= LARGE]:
            large[kind] = mean(of_large)
    return Errors(every, large)


def _error(estimated: int, tokens: int) -> float:
    return abs(estimated - tokens) / tokens


def by_kind(texts: Texts, rule: Errors, ours: Errors) -> Table:
    rows = []
    for kind in sorted(texts, key=ours.every.__getitem__):
        sizes = sorted(map(size, texts[kind]))
        large = share(ours.large[kind]) if kind in ours.large else ""
        figures = (share(rule.every[kind]), share(ours.every[kind]), large)
        rows.append((kind, str(len(sizes)), f"{sizes[0]:,} to {sizes[-1]:,}", *figures))
    columns = ("kind", "texts", "bytes", "`count_tokens`", "`estimate_tokens`", "from 1.5 KB up")
    return Table("kinds", columns, rows)


def by_family(texts: Texts) -> Table:
    rows = []
    for family in WEIGHTS:
        if (known := exact._loaded(family)) is None:
            rows.append((family, "not installed", "", "", ""))
            continue
        rule, ours = errors(texts, count_tokens, known), errors(texts, estimate_for(family), known)
        worst = f"{share(ours.worst)} ({ours.worst_kind})"
        rows.append((family, share(rule.mean), share(ours.mean), share(ours.mean_of_large), worst))
    columns = ("vocabulary", "`count_tokens`", "`estimate_tokens`", "from 1.5 KB up", "worst kind")
    return Table("families", columns, rows)


def closeness(texts: Texts, rule: Errors, ours: Errors) -> list[Bar]:
    claim = f"mean error over {len(texts)} kinds at most {share(MEAN, 0)}"
    measured = f"{share(ours.mean)} (`count_tokens`: {share(rule.mean)})"
    worst = f"{share(ours.worst)}, {ours.worst_kind} (`count_tokens`: {share(rule.worst)})"
    large, of_large = f"from 1.5 KB up at most {share(MEAN_OF_LARGE, 0)}", ours.mean_of_large
    return [
        Bar(claim, measured, ours.mean <= MEAN),
        Bar(large, share(of_large), of_large <= MEAN_OF_LARGE),
        Bar(f"worst kind at most {share(WORST, 0)}", worst, ours.worst <= WORST),
    ]


def speed(texts: Texts) -> tuple[Table, list[Bar]]:
    """One text of each kind, beside tiktoken."""
    columns = ("characters", "texts", "µs a text, tiktoken", "ours", "times as fast")
    with TemporaryDirectory() as cache:
        other = cached_tiktoken(Path(cache))
    if other is None:
        row = ("tiktoken or bpe-openai is not installed", "", "", "", "")
        return Table("speed", columns, [row]), []
    rows, bars, ours = [], [], estimate_for(FAMILY)
    for length in SIZES:
        some = [text for kind in texts.values() for text in kind if len(text) == length]
        theirs, mine = _turns(lambda text: len(other.encode(text)), ours, some)
        times = theirs / mine
        figures = (f"{theirs * 1e6:.0f}", f"{mine * 1e6:.0f}", f"{times:.1f}")
        rows.append((f"{length:,}", str(len(some)), *figures))
        if length == TIMED:
            claim = f"more than {TIMES:.0f} times as fast as tiktoken at 2 KB"
            bars.append(Bar(claim, f"{times:.1f} times", times > TIMES))
    return Table("speed", columns, rows), bars


def _turns(theirs: Callable[[str], int], ours: TokenCounter, some: Sequence[str]) -> list[float]:
    """Medians of seconds of CPU a text, each in turn."""
    found = [[_seconds(count, some) for count in (theirs, ours)] for _ in range(ROUNDS)]
    return [median(each) for each in zip(*found, strict=True)]


def _seconds(count: Callable[[str], int], some: Sequence[str]) -> float:
    started = time.process_time()
    for text in some:
        count(text)
    return (time.process_time() - started) / len(some)


def measure(folder: Path | None) -> Report:
    texts = {
        kind: [text for each in some for text in stretches(each)]
        for kind, some in documents().items()
    }
    known = exact._loaded(FAMILY)
    if known is None:
        raise SystemExit("estimate: needs agentmaker-runtime[exact] to know what is right")
    rule, ours = errors(texts, count_tokens, known), errors(texts, estimate_for(FAMILY), known)
    times, fast = speed(texts)
    tables = [by_kind(texts, rule, ours), by_family(texts), times]
    return Report(tables, [*closeness(texts, rule, ours), *fast])


if __name__ == "__main__":
    command.run("estimate", measure)
