"""Transactions of an index, in threads: the event loop goes on, and readers beside a writer."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, TypeVar
from weakref import finalize

from anyio import CancelScope, CapacityLimiter, to_thread

from agentmaker.memory.index.database import Database
from agentmaker.memory.sql.lanes import Job, Lanes

T = TypeVar("T")

READERS = 4


class Access:
    """The database at *path*, one in memory for None; of its own in every process.

    Who waits for a turn can be cancelled; a transaction that has begun is finished first.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._opened: dict[int, _Opened] = {}
        finalize(self, _close_own, self._opened)

    async def read(self, work: Callable[[sqlite3.Connection], T], /) -> T:
        opened = self._own()
        return await opened.reads.do(next(opened.turns), work)

    async def write(self, work: Callable[[sqlite3.Connection], T], /) -> T:
        return await self._own().writes.do("", work)

    async def aclose(self) -> None:
        with CancelScope(shield=True):
            await to_thread.run_sync(_close_own, self._opened, limiter=CapacityLimiter(1))

    def _own(self) -> _Opened:
        found = self._opened.get(os.getpid())
        return found or self._opened.setdefault(os.getpid(), _Opened(Database(self._path)))


class _Opened:
    """The lanes to a *database*: those who read take the next one, those who write the same."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.reads = Lanes(READERS, partial(_settle, database.read))
        self.writes = Lanes(1, partial(_settle, database.write))
        self.turns = count()


def _settle(do: Callable[..., Any], jobs: Sequence[Job[Any]]) -> None:
    for job in jobs:
        job.settle(partial(do, job.work))


def _close_own(opened: dict[int, _Opened]) -> None:
    own = opened.get(os.getpid())
    if own is not None:
        own.database.close()
