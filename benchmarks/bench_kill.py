"""100 runs killed with SIGKILL at random moments and resumed in new processes, up to three times.

All runs keep their sessions in one SQLite file, four at work at once. A kill comes a random time
after a request has reached the model's server, a request for a summary where it is to hit a
compaction; what it hit is read from a page of memory that the process wrote to. Every process is
forked off one that has loaded the libraries and has never run an agent.
"""

from __future__ import annotations

import multiprocessing
import random
import signal
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import Any

import anyio

from agentmaker import SessionStore
from agentmaker.testing import ModelServer
from benchmarks import command
from benchmarks.clerk import BETWEEN, LOADED, WINDOW, Desk, Phases, work
from benchmarks.figures import Bar, Cells, Report, Table, listed
from benchmarks.full_disk import Squeezed, entries_of, squeezed
from benchmarks.judged import SAID_BEFORE, Case, judge
from benchmarks.orders import list_of, reply

RUNS = 100
AT_ONCE = 4
MOST_KILLS = 3
LATEST = 0.030
"""Seconds from the arrival of a request to the kill, at the most."""

HIT = {
    "commit": "a commit",
    "compaction": "a compaction",
    "tool": "a tool at work",
    "request": "a request on its way",
    BETWEEN: BETWEEN,
}
UNKEPT = "of these, between the end of a tool and the commit of its result"

ENDED = ("wrong answer", "not done", "not booked")
REPEATED = ("completed and run again", "unknown and run again", "booked twice", "doubled calls")
ASTRAY = ("lost", "doubled", "out of order", "not valid")


@dataclass(frozen=True, slots=True)
class Moment:
    """When to kill: so long after so many requests, of a kind."""

    summaries: bool
    requests: int
    seconds: float

    @classmethod
    def drawn(cls, chance: random.Random) -> Moment:
        summaries = chance.random() < 0.3
        requests = 1 if summaries else chance.randint(1, 9)
        return cls(summaries, requests, chance.uniform(0, LATEST))


class Killer:
    """Kills a process at a moment, as its requests arrive."""

    def __init__(self, moment: Moment, kill: Callable[[], None]) -> None:
        self.moment = moment
        self.kill = kill
        self.requests = 0

    def heard(self, body: Mapping[str, Any]) -> None:
        self.requests += self.moment.summaries == (not body.get("tools"))
        if self.requests == self.moment.requests:
            threading.Timer(self.moment.seconds, self.kill).start()
            self.requests += 1


class Office:
    """The server, the store, and the processes that work with them."""

    def __init__(self, folder: Path, processes: ForkServerContext) -> None:
        self.folder = folder
        self.processes = processes
        self.server = ModelServer(self.reply, window=WINDOW, keep=1)
        self.path = folder / "store.db"
        self.store = SessionStore(self.path)
        self.killers: dict[int, Killer] = {}

    def case(self, number: int, store: Path) -> Case:
        desk = Desk(number, self.folder, self.server.base_url, store)
        return Case(desk, random.Random(number))

    def reply(self, body: Mapping[str, Any]) -> Any:
        killer = self.killers.get(list_of(body))
        if killer is not None:
            killer.heard(body)
        return reply(body)

    async def see(self, case: Case) -> None:
        """Kill the run of *case* and resume it, until it is left to end."""
        await self.store.append(case.desk.scope, SAID_BEFORE)
        for attempt in range(case.chance.randint(1, MOST_KILLS)):
            await self.attempt(case, attempt, Moment.drawn(case.chance))
        await self.attempt(case, len(case.kept), None)
        scope = case.desk.scope
        kept = await self.store.runs(scope)
        case.faults["not done"] += [each.status for each in kept] != ["done"]
        judge(case, await entries_of(self.store, scope), await self.store.turns(scope))

    async def attempt(self, case: Case, attempt: int, moment: Moment | None) -> None:
        desk = replace(case.desk, attempt=attempt)
        phases = Phases(desk.phases)
        process = self.processes.Process(target=work, args=(desk,))
        if moment is not None:
            self.killers[desk.number] = Killer(moment, process.kill)
        await anyio.to_thread.run_sync(process.start)
        await anyio.to_thread.run_sync(process.join)
        self.killers.pop(desk.number, None)
        if process.exitcode == -signal.SIGKILL:
            case.hits.append(phases.now)
        elif process.exitcode:
            case.faults[f"ended with {process.exitcode}"] += 1
        case.left(await entries_of(self.store, desk.scope))


def forkserver() -> ForkServerContext:
    processes = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload([*LOADED])
    return processes


async def killed(runs: int, folder: Path) -> tuple[list[Case], Squeezed]:
    """*runs* runs that were killed and resumed until they ended, and one on a full disk."""
    office = Office(folder, forkserver())
    room = anyio.CapacityLimiter(AT_ONCE)

    async def see(case: Case) -> None:
        async with room:
            await office.see(case)

    async with office.server:
        cases = [office.case(number, office.path) for number in range(1, runs + 1)]
        async with anyio.create_task_group() as group:
            for case in cases:
                group.start_soon(see, case)
        full = await squeezed(office.case(runs + 1, folder / "full.db"))
    await office.store.aclose()
    return cases, full


async def measured(runs: int = RUNS) -> Report:
    with tempfile.TemporaryDirectory() as folder:
        cases, full = await killed(runs, Path(folder))
    hits = Counter(hit for case in cases for hit in case.hits)
    faults = sum((case.faults for case in cases), Counter[str]())
    return Report(
        [
            Table("hits", ("a kill hit", "times"), _hit_rows(cases, hits)),
            Table("outcomes", ("of the runs", ""), _outcome_rows(cases, faults)),
            Table("full", ("of the run on a full disk", ""), _full_rows(full)),
        ],
        [*_bars(cases, hits, faults), _full_bar(full)],
    )


def _hit_rows(cases: Sequence[Case], hits: Counter[str]) -> list[Cells]:
    rows = [(name, f"{hits[phase]}") for phase, name in HIT.items()]
    unkept = sum(case.unkept for case in cases)
    return [*rows, ("any of them", f"{hits.total()}"), (UNKEPT, f"{unkept}")]


def _outcome_rows(cases: Sequence[Case], faults: Counter[str]) -> list[Cells]:
    return [
        ("runs", f"{len(cases)}"),
        ("new processes that went on with one", f"{sum(len(case.hits) for case in cases)}"),
        ("calls reported as unknown", f"{sum(case.unknown for case in cases)}"),
        ("calls of idempotent tools run again", f"{sum(case.again for case in cases)}"),
        ("faults", listed(+faults)),
    ]


def _full_rows(full: Squeezed) -> list[Cells]:
    return [
        ("what ended its attempts", listed(full.errors)),
        ("calls reported as unknown", f"{full.case.unknown}"),
        ("faults", listed(+full.case.faults)),
    ]


def _bars(cases: Sequence[Case], hits: Counter[str], faults: Counter[str]) -> Iterator[Bar]:
    never = sum(not case.hits for case in cases)
    right = sum(not any(case.faults[name] for name in ENDED) for case in cases)
    repeated = sum(faults[name] for name in REPEATED)
    astray = sum(faults[name] for name in ASTRAY)
    yield Bar("every run is killed at least once", f"{never} were not", never == 0)
    yield Bar(f"{len(cases)} end with the right answer", f"{right}", right == len(cases))
    yield Bar("0 completed tool calls repeated", f"{repeated}", repeated == 0)
    yield Bar("0 messages lost or doubled", f"{astray}", astray == 0)
    hit = min(hits["commit"], hits["compaction"])
    yield Bar("some kills hit a commit, some a compaction", f"{hit} at least", hit > 0)


def _full_bar(full: Squeezed) -> Bar:
    good = {*full.errors} == {"StoreError"} and full.sound and not +full.case.faults
    return Bar(
        "a full disk is a `StoreError` and leaves the store intact",
        f"{full.errors.total()} times full, then done",
        good,
    )


def measure(folder: Path | None) -> Report:
    return anyio.run(measured)


if __name__ == "__main__":
    command.run("kill", measure)
