"""`Index`: finds passages by words and by meaning, in partitions kept apart."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from anyio import CancelScope, CapacityLimiter, to_thread

from agentmaker.memory.index import items as kept
from agentmaker.memory.index import lexical
from agentmaker.memory.index.database import Database
from agentmaker.memory.index.values import Found, Indexed, Kept, Strategy
from agentmaker.memory.sql.lanes import Job, Lanes

if TYPE_CHECKING:
    from agentmaker.memory.index.embedding import Embedder

T = TypeVar("T")


class Index:
    """Items found by words, and by meaning where there is an *embedder*.

    - A `put` is done wholly or not at all, whatever fails or is cancelled.
    - The same items give the same hits, whatever the order in which they were put.
    - A search looks at the partitions it is given and at nothing else.

    Nothing is opened before the first use. It may be used from several event loops, and a file
    by several processes.

    Args:
        path: the file; None keeps everything in memory.
        timeout: seconds an embedder has for a batch of texts; None for no bound.

    Raises:
        ConfigError: *timeout* is not positive.
        StoreError: (by any method) the file cannot be read or written, or is none of ours.
    """

    def __init__(
        self,
        path: str | Path | None = None,
        *,
        embedder: Embedder | None = None,
        timeout: float | None = 10.0,
    ) -> None:
        self._database = Database(Path(path) if path is not None else None)
        self._reads = Lanes(4, partial(_settle, self._database.read))
        self._writes = Lanes(1, partial(_settle, self._database.write))
        self._turn = count()

    async def known(self, partition: str) -> Mapping[str, Kept]:
        """What is kept of a partition, by key."""
        return await self._read(partial(kept.known, partition=partition))

    async def put(
        self, partition: str, items: Sequence[Indexed], *, gone: Collection[str] = ()
    ) -> None:
        """Keep *items*, each in the place of one of its key, and forget those *gone*."""
        if not items and not gone:
            return
        given, forgotten = tuple(items), frozenset(gone)

        prepared = await self._aside(lambda: [*map(kept.prepared, given)])
        work = partial(kept.put, partition=partition, items=prepared, gone=forgotten)
        await self._write(work)

    async def drop(self, partition: str) -> None:
        """Forget a partition and everything in it."""
        await self._write(partial(kept.drop, partition=partition))

    async def search(
        self,
        query: str,
        partitions: Mapping[str, Collection[str] | None],
        *,
        limit: int,
        strategy: Strategy = "lexical",
    ) -> Found:
        """The *limit* best of the keys allowed in each partition, None for all of them.

        ``"structural"`` finds nothing: the order is the caller's then.
        """
        if strategy == "structural":
            return Found()
        work = partial(lexical.search, query=query, allowed=dict(partitions), limit=limit)
        return Found(hits=tuple(await self._read(work)))

    async def aclose(self) -> None:
        """Give back what was opened; the next use opens it again."""
        with CancelScope(shield=True):
            await to_thread.run_sync(self._database.close, limiter=CapacityLimiter(1))

    async def _read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        return await self._reads.do(next(self._turn), work)

    async def _write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        return await self._writes.do("", work)

    async def _aside(self, work: Callable[[], T]) -> T:
        return await to_thread.run_sync(work, abandon_on_cancel=True)


def _settle(do: Callable[..., Any], jobs: Sequence[Job[Any]]) -> None:
    for job in jobs:
        job.settle(partial(do, job.work))
