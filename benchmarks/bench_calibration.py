"""How near is the ledger's estimate to what a provider counts that counts otherwise?"""

from __future__ import annotations

import sys
import time
import tracemalloc
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import anyio

from agentmaker.calls.memory.calibrations import Calibrations, Expected, Place
from agentmaker.messages import Message
from agentmaker.tokens import counter_for, counter_name, is_exact
from agentmaker.tokens.calibrated import Count, Schemas
from benchmarks import command
from benchmarks.counted_otherwise import (
    Errors,
    Offered,
    Told,
    always,
    by_template,
    every_second,
    never,
)
from benchmarks.data import Conversation, bfcl_memory, memorybank, tau_airline
from benchmarks.figures import Bar, Report, Table, share

MOST_ERROR = 0.015
MOST_MS = 0.05
CUTTING, ROOMY = 8_000, 128_000

EXACT, ESTIMATED = "gpt-4o", "a-model-nobody-knows"
OTHERS = {"DeepSeek V3": "deepseek-chat", "Qwen 3": "qwen3-8b"}
OFFERED: dict[Offered, str] = {always: "always", every_second: "every second call", never: "never"}

CONVERSATION = (Message("Where is my bag?"),) * 6_000

COLUMNS = (
    "conversations",
    "our counter",
    "the server's",
    "tools",
    "window",
    "not calibrated",
    "one client: mean / 95 % / worst",
    "a client each",
    "over the window, before and after",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One way to tell one set of conversations, and what it is called."""

    found: Sequence[Conversation]
    name: str
    server: str
    told: Told

    async def result(self) -> Result:
        return Result(
            self,
            await self.told.errors(self.found, calibrate=False),
            await self.told.errors(self.found),
            await self.told.errors(self.found, fresh=True),
        )


@dataclass(frozen=True, slots=True)
class Result:
    """A case without calibration, with one client for all, and with a client for each."""

    case: Case
    before: Errors
    one: Errors
    each: Errors

    @property
    def is_exact(self) -> bool:
        return self.case.told.model == EXACT

    def row(self) -> Sequence[str]:
        told = self.case.told
        return (
            self.case.name,
            counter_name(counter_for(told.model)),
            self.case.server,
            OFFERED[told.offered] + (", streamed" if told.stream else ""),
            f"{told.window:,}",
            share(self.before.mean),
            _spread(self.one),
            _spread(self.each),
            f"{self.before.over}, {self.one.over} and {self.each.over}",
        )


def _spread(errors: Errors) -> str:
    return " / ".join(share(each, 2) for each in (errors.mean, errors.most, errors.worst))


def cases(folder: Path) -> Iterator[Case]:
    airline = tau_airline(folder)
    for model in (EXACT, ESTIMATED):
        for server, name in OTHERS.items():
            for offered, window in (
                (always, CUTTING),
                (every_second, CUTTING),
                (always, ROOMY),
                (never, ROOMY),
            ):
                told = Told(model=model, counter=counter_for(name), window=window, offered=offered)
                yield Case(found=airline, name="tau_airline", server=server, told=told)
    yield from _other(folder, airline)


def _other(folder: Path, airline: Sequence[Conversation]) -> Iterator[Case]:
    qwen, deepseek = counter_for(OTHERS["Qwen 3"]), counter_for(OTHERS["DeepSeek V3"])
    streamed = Told(model=EXACT, counter=qwen, window=CUTTING, stream=True)
    yield Case(found=airline, name="tau_airline", server="Qwen 3", told=streamed)
    template = by_template(deepseek)
    for offered in (always, every_second):
        told = Told(
            model=EXACT, counter=template, window=CUTTING, offered=offered, output_tokens=1_024
        )
        server = "DeepSeek V3 with a template"
        yield Case(found=airline, name="tau_airline", server=server, told=told)
    chats = {"memorybank": [*memorybank(folder)], "bfcl_memory": [*bfcl_memory(folder)]}
    for name, found in chats.items():
        told = Told(model=EXACT, counter=deepseek, window=CUTTING, offered=never)
        yield Case(found=found, name=name, server="DeepSeek V3", told=told)


async def measured(folder: Path) -> Report:
    results = [await case.result() for case in cases(folder) if case.found]
    costs = [cost(length) for length in (10, 500, 5_000)]
    tables = [
        Table("errors", COLUMNS, [each.row() for each in results]),
        Table("cost", ("messages", "CPU a call, ms"), [each.row() for each in costs]),
    ]
    return Report(tables, [*_bars(results), *_cost_bars(costs)])


def _bars(results: Sequence[Result]) -> Iterator[Bar]:
    exact = [each.mean for result in results if result.is_exact for each in _both(result)]
    estimated = [each.mean for result in results if not result.is_exact for each in _both(result)]
    for claim, means in (
        ("one vocabulary for another: on average within 1.5 %, one client or many", exact),
        ("the estimate for a vocabulary: the same", estimated),
    ):
        worst = max(means)
        yield Bar(claim, f"at the worst {share(worst, 2)}", worst <= MOST_ERROR)
    before = sum(result.before.over for result in results)
    over = sum(each.over for result in results for each in _both(result))
    yield Bar("no request over the window once calibrated", f"{over}; {before} before", not over)


def _both(result: Result) -> Sequence[Errors]:
    return result.one, result.each


@dataclass(frozen=True, slots=True)
class Cost:
    """CPU that calibration takes of one call, by the length of the conversation."""

    messages: int
    milliseconds: float

    def row(self) -> Sequence[str]:
        return f"{self.messages:,}", f"{self.milliseconds:.4f}"


def cost(length: int, rounds: int = 100, times: int = 20) -> Cost:
    """The quietest of so many times."""
    return min((_cost(length, rounds) for _ in range(times)), key=lambda each: each.milliseconds)


def _cost(length: int, rounds: int) -> Cost:
    """Look a conversation up, estimate and learn, again and again."""
    known = Calibrations()
    digests = [str(nth).encode() for nth in range(length + rounds)]
    took = []
    for nth in range(length, length + rounds):
        begun = digests[: nth + 1]
        started = time.process_time_ns()
        call(known, begun, nth)
        took.append(time.process_time_ns() - started)
    return Cost(length, median(took) / 1e6)


def call(known: Calibrations, digests: Sequence[bytes], nth: int, model: str = "m") -> None:
    """All of calibration that one call comes to."""
    scale = known.scale(model, None, digests, Schemas(2_000, 2_000), 7)
    count = Count(text=1_000 + 20 * nth, results=30 * nth, tools=2_000)
    scale.density(Count(text=20, results=30))
    expected = Expected(
        place=Place(model, None, digests[-1]),
        scale=scale,
        count=count,
        digest=7,
        conversation=CONVERSATION[:nth],
        tokens=scale.estimate(count),
    )
    known.learn(expected, int(count.total * 1.1))


def memory(conversations: int) -> int:
    """Bytes that calibration holds after so many conversations."""
    tracemalloc.start()
    known = Calibrations()
    for nth in range(conversations):
        call(known, [f"{nth}".encode()], nth % 100, model=f"m{nth % 10}")
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return held


def _cost_bars(costs: Sequence[Cost]) -> Iterator[Bar]:
    worst = max(each.milliseconds for each in costs)
    yield Bar(f"below {MOST_MS} ms a call", f"{worst:.4f} ms", worst < MOST_MS)
    thousand, more = memory(1_000), memory(20_000)
    grown = f"{thousand / 1e6:.1f} MB for 1,000 conversations, {more / 1e6:.1f} MB for 20,000"
    yield Bar("memory is bounded", grown, more < 1.5 * thousand)


def measure(folder: Path | None) -> Report | None:
    if not is_exact(counter_for(EXACT)):
        print("calibration: needs splintr-rs: install agentmaker-runtime[exact]", file=sys.stderr)
        return None
    return anyio.run(measured, folder) if folder else None


if __name__ == "__main__":
    command.run("calibration", measure)
