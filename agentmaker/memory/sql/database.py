"""An open database of this process: jobs in, outcomes out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from threading import Lock
from typing import Any, TypeVar

from sqlalchemy import URL, Connection, Engine

from agentmaker.memory.sql.door import translated
from agentmaker.memory.sql.lanes import Job, Lanes

T = TypeVar("T")
Work = Callable[[Connection], Any]
Do = Callable[[Engine, Work], Any]


class Database(ABC):
    """Opened by the first job; given back when it was closed and nobody is at work.

    Everything but ``reads.do`` and ``writes.do`` runs in threads.
    """

    read_lanes = 4
    write_lanes = 1

    def __init__(self, url: URL, place: str) -> None:
        self.url = url
        self.place = place
        self.reads = Lanes(self.read_lanes, partial(self._do, self.read_all))
        self.writes = Lanes(self.write_lanes, partial(self._do, self.write_all))
        self._engine: Engine | None = None
        self._users = 0
        self._closed = False
        self._opening = Lock()
        self._counting = Lock()

    @abstractmethod
    def engine(self) -> Engine:
        """An engine that has not opened anything yet."""

    @abstractmethod
    def prepare(self, engine: Engine) -> None:
        """See that the tables are there; others may be doing the same."""

    @abstractmethod
    def read(self, engine: Engine, work: Callable[[Connection], T]) -> T:
        """Do *work*, each of its statements for itself."""

    @abstractmethod
    def write(self, engine: Engine, work: Callable[[Connection], T]) -> T:
        """Do *work* in a transaction of its own."""

    def read_all(self, engine: Engine, jobs: Sequence[Job[Any]]) -> None:
        self.settle_each(engine, jobs, self.read)

    def write_all(self, engine: Engine, jobs: Sequence[Job[Any]]) -> None:
        self.settle_each(engine, jobs, self.write)

    def settle_each(self, engine: Engine, jobs: Sequence[Job[Any]], do: Do) -> None:
        for job in jobs:
            job.settle(partial(self._translated, do, engine, job.work))

    def close(self) -> None:
        with self._counting:
            self._closed = True
        self._give_back()

    def _do(
        self, do_all: Callable[[Engine, Sequence[Job[Any]]], None], jobs: Sequence[Job[Any]]
    ) -> None:
        with self._in_use() as engine:
            do_all(engine, jobs)

    def _translated(self, do: Do, engine: Engine, work: Work) -> Any:
        with translated(self.place):
            return do(engine, work)

    @contextmanager
    def _in_use(self) -> Iterator[Engine]:
        with self._counting:
            self._users += 1
        try:
            yield self._opened()
        finally:
            with self._counting:
                self._users -= 1
            self._give_back()

    def _opened(self) -> Engine:
        with self._opening, translated(self.place):
            if self._engine is None:
                engine = self.engine()
                try:
                    self.prepare(engine)
                except BaseException:
                    engine.dispose()
                    raise
                self._engine = engine
            return self._engine

    def _give_back(self) -> None:
        with self._counting:
            if self._closed and not self._users and self._engine:
                self._engine.dispose()
                self._engine = None
