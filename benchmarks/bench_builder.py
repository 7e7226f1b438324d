"""How long a block takes: many slow sources at once, and large embeddings compared."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from statistics import median

import anyio

from agentmaker import CallableSource, ContextBuilder, ContextConfig, ContextSource, RetrievalResult
from benchmarks import command
from benchmarks.figures import Bar, Report, Table
from benchmarks.texts import english

SLOW = 20
DELAY = 0.05
BUDGET = 4_000
CANDIDATES = 50
DIMENSIONS = 384
FETCHED_WITHIN = 70
BUILT_WITHIN = 50
"""Milliseconds."""

WITHOUT_NUMPY = "import sys; sys.modules['numpy'] = None; "
ALONE = "from benchmarks.bench_builder import built_alone; built_alone()"


def slow_sources(fetch: Callable[[str], object]) -> tuple[ContextBuilder, list[ContextSource]]:
    names = [f"source {number}" for number in range(SLOW)]
    ratios = dict.fromkeys(names, 1 / SLOW)
    builder = ContextBuilder(ContextConfig(source_ratios=ratios))
    return builder, [CallableSource(name, fetch) for name in names]


async def asleep(query: str) -> list[str]:
    await anyio.sleep(DELAY)
    return [f"What is known of {query}."]


def blocking(query: str) -> list[str]:
    time.sleep(DELAY)
    return [f"What is known of {query}."]


def embedded_sources() -> tuple[ContextBuilder, list[ContextSource]]:
    """Four sources of 50 candidates of about 40 tokens, with embeddings as lists."""
    writer = english(seed=1)

    def candidate(name: str) -> RetrievalResult:
        embedding = [writer.random.gauss(0, 1) for _ in range(DIMENSIONS)]
        score = writer.random.random()
        return RetrievalResult(writer.text(40), score, name, embedding=embedding)

    found = {
        name: [candidate(name) for _ in range(CANDIDATES)]
        for name in ("memory", "rag", "history", "tool")
    }
    return ContextBuilder(), [_given(name, candidates) for name, candidates in found.items()]


def _given(name: str, candidates: list[RetrievalResult]) -> ContextSource:
    return CallableSource(name, lambda query: candidates)


async def timed(build: Callable[[], Awaitable[str]], times: int) -> list[float]:
    """Milliseconds of each build after a first one."""
    await build()
    return [await _milliseconds(build) for _ in range(times)]


async def _milliseconds(build: Callable[[], Awaitable[str]]) -> float:
    started = time.perf_counter()
    if not await build():
        raise RuntimeError("the block is empty: nothing was measured")
    return (time.perf_counter() - started) * 1000


def built(builder: ContextBuilder, sources: Sequence[ContextSource], times: int) -> list[float]:
    async def build() -> str:
        return await builder.abuild_block("the trip", sources=sources, budget=BUDGET)

    return anyio.run(timed, build, times)


def built_alone(times: int = 15) -> None:
    """Print the milliseconds of each build; run in a process of its own."""
    print(*built(*embedded_sources(), times))


def built_in_process(opening: str) -> list[float]:
    done = subprocess.run(
        [sys.executable, "-c", opening + ALONE],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parent.parent,
    )
    return list(map(float, done.stdout.split()))


def measured(times: int = 15) -> Report:
    found = [
        (f"{SLOW} async sources of 50 ms", FETCHED_WITHIN, built(*slow_sources(asleep), times)),
        (
            f"{SLOW} blocking sources of 50 ms",
            FETCHED_WITHIN,
            built(*slow_sources(blocking), times),
        ),
        ("4 × 50 embedded candidates, numpy", BUILT_WITHIN, built_in_process("import numpy; ")),
        ("4 × 50 embedded candidates, no numpy", BUILT_WITHIN, built_in_process(WITHOUT_NUMPY)),
    ]
    rows = [
        (name, f"{median(these):.1f}", f"{min(these):.1f}", f"{max(these):.1f}")
        for name, _, these in found
    ]
    bars = [
        Bar(f"{name} within {limit} ms", f"{median(these):.1f} ms", median(these) < limit)
        for name, limit, these in found
    ]
    return Report([Table("builder", ("milliseconds", "median", "best", "worst"), rows)], bars)


def measure(folder: Path | None) -> Report:
    return measured()


if __name__ == "__main__":
    command.run("builder", measure)
