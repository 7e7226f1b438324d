"""How long `mmr_select` takes for 20 of up to 10,000 candidates, and how long it holds the loop.

Times are CPU time on one thread, medians of runs in turn; of up to 1,000 candidates the mean of
eight searches, for in some more candidates may be next than in others. Each embedding is a
buffer of its own, and making a matrix of them is charged to whoever needs one. Pauses are by the
clock, the longest of the quietest of five runs.
"""

from __future__ import annotations

import importlib.util
import json
import math
import os
import subprocess
import sys
import time
import tracemalloc
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from statistics import mean, median
from typing import Any

import anyio
from anyio.lowlevel import checkpoint

from agentmaker import RetrievalResult, mmr_select
from agentmaker.context.mmr import ammr_select
from benchmarks import command
from benchmarks.embedded import Found, found
from benchmarks.figures import Bar, Cells, Report, Table
from benchmarks.naive_mmr import naive_picks

SIZES = ((100, 384), (1_000, 384), (10_000, 384), (10_000, 1_536))
MIDDLE, LARGEST = SIZES[1], SIZES[-1]
SEARCHES = 8
CHOSEN = 20
LAMBDA = 0.7
THRESHOLD = 0.95

MOST_OF_PYVERSITY = {MIDDLE: 1.2, LARGEST: 0.6}
NAIVE_TIMES = 200
LONGEST_PAUSE = 25
"""Milliseconds."""

SPEED_COLUMNS = (
    "20 of, CPU ms",
    "pyversity",
    "`mmr_select`",
    "times pyversity",
    "`mmr_select` without numpy",
)

HOLD_COLUMNS = ("", "longest pause, ms", "memory, MB")

WITHOUT_NUMPY = "import sys; sys.modules['numpy'] = None; "
ALONE = "from benchmarks.bench_mmr import alone; alone()"

Candidates = Sequence[RetrievalResult]
Work = Callable[[], object]


def packed(vector: array[float]) -> array[float]:
    return vector


def numpy_row(vector: array[float]) -> object:
    import numpy

    return numpy.array(vector)


KINDS = {"numpy rows": numpy_row, 'array("f")': packed, "bytes": array.tobytes, "lists": list}


def selected(candidates: Candidates, top_k: int | None = CHOSEN) -> list[RetrievalResult]:
    return mmr_select(candidates, top_k=top_k, lambda_=LAMBDA, dedup_threshold=THRESHOLD)


def diversified(candidates: Candidates) -> object:
    """The same by pyversity, in 32 bits and with duplicates."""
    import numpy
    from pyversity import diversify

    rows = numpy.concatenate([each.embedding for each in candidates]).reshape(len(candidates), -1)
    scores = numpy.array([each.score for each in candidates])
    return diversify(rows, scores, CHOSEN, "mmr", diversity=1 - LAMBDA)


def in_turn(works: Mapping[str, Work], times: int = 15) -> dict[str, float]:
    """The median CPU milliseconds of each, after a first run."""
    taken: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(times + 1):
        for name, work in works.items():
            taken[name].append(cpu_ms(work))
    return {name: median(these[1:]) for name, these in taken.items()}


def cpu_ms(work: Work) -> float:
    started = time.process_time()
    work()
    return (time.process_time() - started) * 1_000


def longest_pause(candidates: Candidates, top_k: int | None = CHOSEN, runs: int = 5) -> float:
    """The most milliseconds for which no other task had its turn."""
    return min(anyio.run(_longest_pause, candidates, top_k) for _ in range(runs))


async def _longest_pause(candidates: Candidates, top_k: int | None) -> float:
    turns = [time.perf_counter()]

    async def take_turns() -> None:
        while True:
            await checkpoint()
            turns.append(time.perf_counter())

    async with anyio.create_task_group() as group:
        group.start_soon(take_turns)
        await checkpoint()
        await ammr_select(candidates, top_k=top_k, lambda_=LAMBDA, dedup_threshold=THRESHOLD)
        await checkpoint()
        group.cancel_scope.cancel()
    return max(after - before for before, after in pairwise(turns)) * 1_000


def most_memory(work: Work) -> float:
    """Megabytes that *work* allocates at a time."""
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6


def searches(size: tuple[int, int]) -> list[Found]:
    """One where making and measuring more would take too long."""
    return [found(*size, seed) for seed in range(SEARCHES if size <= MIDDLE else 1)]


def alone(sizes: Sequence[tuple[int, int]] = SIZES) -> None:
    """Print what is measured without numpy; run in a process that has none."""
    taken = {_size(size): mean(map(plain_ms, searches(size))) for size in sizes}
    largest = found(*sizes[-1]).candidates(packed)
    report = {
        "taken": taken,
        "naive": naive(found(*sizes[1])),
        "pause": longest_pause(largest),
        "memory": most_memory(partial(selected, largest)),
    }
    print(json.dumps(report))


def plain_ms(given: Found) -> float:
    return in_turn({"ours": partial(selected, given.candidates(packed))}, times=5)["ours"]


def naive(given: Found) -> tuple[float, bool]:
    """The CPU milliseconds of the naive loop, and whether `mmr_select` picks what it picks."""
    relevance = [score / max(given.scores) for score in given.scores]
    picks: list[int] = []
    taken = cpu_ms(
        lambda: picks.extend(naive_picks(given.vectors, relevance, CHOSEN, LAMBDA, THRESHOLD))
    )
    candidates = given.candidates(packed)
    return taken, selected(candidates) == [candidates[index] for index in picks]


def without_numpy() -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_NUMPY + ALONE],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parent.parent,
    )
    figures: dict[str, Any] = json.loads(done.stdout)
    return figures


def has(library: str) -> bool:
    return importlib.util.find_spec(library) is not None


@dataclass(frozen=True, slots=True)
class Speed:
    """Milliseconds for 20 candidates; None for what is not installed."""

    size: tuple[int, int]
    ours: float | None
    pyversity: float | None
    plain: float

    @property
    def ratio(self) -> float | None:
        return self.ours / self.pyversity if self.ours and self.pyversity else None

    @property
    def row(self) -> Cells:
        figures = (self.pyversity, self.ours, self.ratio, self.plain)
        return (_size(self.size), *map(_figure, figures))


@dataclass(frozen=True, slots=True)
class Hold:
    """What a selection holds: the event loop in milliseconds, memory in megabytes."""

    name: str
    pause: float
    memory: float

    @property
    def row(self) -> Cells:
        return self.name, f"{self.pause:.1f}", f"{self.memory:.1f}"


def speed(size: tuple[int, int], plain: float) -> Speed:
    if not has("numpy"):
        return Speed(size, None, None, plain)
    taken = [beside_pyversity(given.candidates(numpy_row)) for given in searches(size)]
    ours = mean(each["ours"] for each in taken)
    theirs = mean(each["pyversity"] for each in taken) if has("pyversity") else None
    return Speed(size, ours, theirs, plain)


def beside_pyversity(candidates: Candidates) -> dict[str, float]:
    works: dict[str, Work] = {"ours": partial(selected, candidates)}
    if has("pyversity"):
        works["pyversity"] = partial(diversified, candidates)
    return in_turn(works)


def by_kind(given: Found) -> Table:
    works = {name: partial(selected, given.candidates(kind)) for name, kind in KINDS.items()}
    rows = [(name, f"{ms:.2f}") for name, ms in in_turn(works).items()]
    return Table("kinds", (f"20 of {_size(given.shape)} as", "CPU ms"), rows)


def hard_cases(middle: Found, largest: Found) -> Table:
    equal = largest.unscored()
    works: dict[str, Work] = {
        f"20 of {_size(largest.shape)}, all as relevant": partial(
            selected, equal.candidates(numpy_row)
        ),
        f"all {_size(middle.shape)} in order": partial(
            selected, middle.candidates(numpy_row), None
        ),
    }
    rows = [(name, f"{ms:.0f}") for name, ms in in_turn(works, times=5).items()]
    return Table("hard", ("", "CPU ms"), rows)


def holds(largest: Found) -> list[Hold]:
    given = {
        f"20 of {_size(largest.shape)}": (largest, CHOSEN),
        f"20 of {_size(largest.shape)}, all as relevant": (largest.unscored(), CHOSEN),
        f"all of 1,000 × {largest.shape[1]:,} in order": (largest.first(1_000), None),
    }
    return [_hold(name, each.candidates(numpy_row), top_k) for name, (each, top_k) in given.items()]


def _hold(name: str, candidates: Candidates, top_k: int | None) -> Hold:
    memory = most_memory(partial(selected, candidates, top_k))
    return Hold(name, longest_pause(candidates, top_k), memory)


def measured() -> Report:
    alone = without_numpy()
    speeds = {size: speed(size, alone["taken"][_size(size)]) for size in SIZES}
    tables = [Table("speed", SPEED_COLUMNS, [each.row for each in speeds.values()])]
    held = [Hold(f"20 of {_size(LARGEST)}, no numpy", alone["pause"], alone["memory"])]
    if has("numpy"):
        middle, largest = found(*MIDDLE), found(*LARGEST)
        tables += [by_kind(middle), hard_cases(middle, largest)]
        held += holds(largest)
    tables.append(Table("holds", HOLD_COLUMNS, [each.row for each in held]))
    bars = [*_speed_bars(speeds), *_naive_bars(*alone["naive"], speeds[MIDDLE]), *_hold_bars(held)]
    return Report(tables, bars)


def _speed_bars(speeds: Mapping[tuple[int, int], Speed]) -> Iterator[Bar]:
    for size, most in MOST_OF_PYVERSITY.items():
        ratio = speeds[size].ratio
        if ratio is not None:
            claim = f"at most {most} times pyversity at {_size(size)}"
            yield Bar(claim, f"{ratio:.2f} times", ratio <= most)


def _naive_bars(naive: float, same: bool, middle: Speed) -> Iterator[Bar]:
    times = naive / middle.plain
    yield Bar(
        f"without numpy at most 1/{NAIVE_TIMES} of a naive loop at {_size(MIDDLE)}",
        f"1/{times:,.0f} of {naive:,.0f} ms",
        times >= NAIVE_TIMES,
    )
    yield Bar("it picks what the naive loop picks", "the same" if same else "others", same)


def _hold_bars(held: Sequence[Hold]) -> Iterator[Bar]:
    pause, memory = max(each.pause for each in held), max(each.memory for each in held)
    matrix = math.prod(LARGEST) * 4 / 1e6
    yield Bar(
        f"the event loop waits at most {LONGEST_PAUSE} ms",
        f"{pause:.1f} ms",
        pause <= LONGEST_PAUSE,
    )
    yield Bar(
        f"no more memory than a 32-bit matrix of {_size(LARGEST)}, {matrix:.1f} MB",
        f"{memory:.1f} MB",
        memory <= matrix,
    )


def _size(size: tuple[int, int]) -> str:
    return "{:,} × {:,}".format(*size)


def _figure(value: float | None) -> str:
    return "not installed" if value is None else f"{value:.2f}"


def measure(folder: Path | None) -> Report:
    # Several BLAS threads cost more than they save, and would be charged to pyversity.
    for library in ("OPENBLAS", "OMP", "MKL"):
        os.environ[f"{library}_NUM_THREADS"] = "1"
    return measured()


if __name__ == "__main__":
    command.run("mmr", measure)
