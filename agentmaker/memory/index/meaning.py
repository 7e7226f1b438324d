"""Vectors of what is kept and of what is sought, from an embedder that may fail at any time."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from functools import partial
from threading import Lock as ThreadLock

from anyio import Lock
from anyio.lowlevel import EventLoopToken, current_token

from agentmaker.calls.memory.remembered import Remembered
from agentmaker.errors import EmbeddingError
from agentmaker.memory.index import waiting
from agentmaker.memory.index.access import Access
from agentmaker.memory.index.embedding import Batch, ReadEmbedder, check_width
from agentmaker.memory.index.values import EmbeddingUsage
from agentmaker.memory.index.waiting import Vectors

QUERIES = 64
"""Vectors of queries that are remembered."""

BOOKED = 10_000
"""Partitions whose usage is kept until it is reported."""


class Meaning:
    """Asks *embedder*, and books what it took by partition until that is reported."""

    def __init__(self, embedder: ReadEmbedder, access: Access) -> None:
        self.name = embedder.name
        self._embedder = embedder
        self._access = access
        self._usage: Remembered[str, EmbeddingUsage] = Remembered(BOOKED)
        self._booking = ThreadLock()
        self._queries: Remembered[tuple[frozenset[str], str], bytes] = Remembered(QUERIES)
        self._busy: dict[tuple[EventLoopToken, str], Lock] = {}

    def reported(self, partitions: Collection[str]) -> EmbeddingUsage:
        """What *partitions* took that was not reported yet."""
        with self._booking:
            booked = [self._usage.get(each) or EmbeddingUsage() for each in partitions]
            for each in partitions:
                self._usage.drop(each)
        return sum(booked, EmbeddingUsage())

    def book(self, partition: str, usage: EmbeddingUsage) -> None:
        with self._booking:
            self._usage.put(partition, (self._usage.get(partition) or EmbeddingUsage()) + usage)

    async def of_query(self, query: str, partitions: Collection[str]) -> bytes:
        """Its vector; afterwards some of the texts that wait in *partitions* are tried again.

        Raises:
            EmbeddingError: there is none, or one of another width than those kept.
        """
        like = await self._access.read(partial(waiting.a_vector, embedder=self.name))
        # By the partitions, so that nobody is told that others asked the same.
        asked, booked = (frozenset(partitions), query), min(partitions)
        vector = self._queries.get(asked)
        if vector is None:
            vector = (await self._asked([query], like, booked)).vectors[0]
            self._queries.put(asked, vector)
        else:
            self.book(booked, EmbeddingUsage(cached=1))
        check_width(vector, *like)
        late = partial(waiting.one_waiting, embedder=self.name, partitions=partitions)
        if (partition := await self._access.read(late)) is not None:
            await self.catch_up(partition, most=1, works=True)
        return vector

    async def catch_up(
        self, partition: str, *, most: int | None = None, works: bool = False
    ) -> None:
        """Embed what waits there, *most* batches of it, until the embedder fails.

        Where it is known to have worked just now, the texts are to blame.
        """
        async with self._alone(partition, waits=most is None) as alone:
            while alone and (most is None or most > 0):
                most = None if most is None else most - 1
                works = alone = await self._caught_up(Vectors(self.name, partition), works)

    async def _caught_up(self, vectors: Vectors, works: bool) -> bool:
        """Embed a batch of what waits; whether there was one, and it worked."""
        some = await self._access.read(vectors.next)
        if not some.digests:
            return False
        try:
            made = (await self._asked(some.texts, some.like, vectors.partition)).vectors
            await self._access.write(
                lambda connection: vectors.keep(connection, some.digests, made)
            )
        except EmbeddingError:
            if works:
                await self._access.write(
                    lambda connection: vectors.failed(connection, some.digests)
                )
            return False
        return True

    async def _asked(self, texts: Sequence[str], like: Sequence[bytes], partition: str) -> Batch:
        self.book(partition, EmbeddingUsage(calls=1, texts=len(texts)))
        batch = await self._embedder(texts)
        self.book(partition, EmbeddingUsage(tokens=batch.tokens))
        check_width(*like, *batch.vectors)
        return batch

    @asynccontextmanager
    async def _alone(self, partition: str, *, waits: bool) -> AsyncIterator[bool]:
        """The only task of this event loop in there; False where one is and this one goes on."""
        here = (current_token(), partition)
        lock = self._busy.setdefault(here, Lock())
        if lock.locked() and not waits:
            yield False
            return
        async with lock:
            yield True
        if not lock.locked():
            self._busy.pop(here, None)
