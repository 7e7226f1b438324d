"""Vectors of what is kept and of what is sought, from an embedder that may fail at any time."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial

from anyio import Lock
from anyio.lowlevel import EventLoopToken, current_token

from agentmaker.errors import EmbeddingError
from agentmaker.memory.index import waiting
from agentmaker.memory.index.access import Access
from agentmaker.memory.index.embedding import Batch, ReadEmbedder, check_width
from agentmaker.memory.index.values import EmbeddingUsage

QUERIES = 64
"""Vectors of queries that are remembered."""


class Meaning:
    """Asks *embedder*, and books what it took until that is reported."""

    def __init__(self, embedder: ReadEmbedder, access: Access) -> None:
        self.name = embedder.name
        self._embedder = embedder
        self._access = access
        self._usage = EmbeddingUsage()
        self._queries: dict[str, bytes] = {}
        self._busy: dict[EventLoopToken, Lock] = {}

    def reported(self) -> EmbeddingUsage:
        """What was not reported yet."""
        usage, self._usage = self._usage, EmbeddingUsage()
        return usage

    def cached(self, texts: int) -> None:
        """Book *texts* whose vectors were known."""
        self._usage += EmbeddingUsage(cached=texts)

    async def of_query(self, query: str) -> bytes:
        """Its vector; afterwards some of the texts that wait are tried again.

        Raises:
            EmbeddingError: there is none, or one of another width than those kept.
        """
        like = await self._access.read(partial(waiting.a_vector, embedder=self.name))
        if query in self._queries:
            self.cached(1)
        else:
            self._remember(query, (await self._asked([query], like)).vectors[0])
        vector = self._queries[query]
        check_width(vector, *like)
        await self.catch_up(most=1, works=True)
        return vector

    async def catch_up(self, *, most: int | None = None, works: bool = False) -> None:
        """Embed what waits, *most* batches of it, until the embedder fails.

        Where it is known to have worked just now, the texts are to blame.
        """
        async with self._alone(waits=most is None) as alone:
            while alone and (most is None or most > 0):
                most = None if most is None else most - 1
                works = alone = await self._caught_up(works)

    async def _caught_up(self, works: bool) -> bool:
        """Embed a batch of what waits; whether there was one, and it worked."""
        some = await self._access.read(partial(waiting.next_waiting, embedder=self.name))
        if not some.digests:
            return False
        about = (self.name, some.digests)
        try:
            made = (await self._asked(some.texts, some.like)).vectors
            await self._access.write(lambda connection: waiting.keep(connection, *about, made))
        except EmbeddingError:
            if works:
                await self._access.write(lambda connection: waiting.failed(connection, *about))
            return False
        return True

    async def _asked(self, texts: Sequence[str], like: Sequence[bytes]) -> Batch:
        self._usage += EmbeddingUsage(calls=1, texts=len(texts))
        batch = await self._embedder(texts)
        self._usage += EmbeddingUsage(tokens=batch.tokens)
        check_width(*like, *batch.vectors)
        return batch

    def _remember(self, query: str, vector: bytes) -> None:
        if len(self._queries) >= QUERIES:
            del self._queries[next(iter(self._queries))]
        self._queries[query] = vector

    @asynccontextmanager
    async def _alone(self, *, waits: bool) -> AsyncIterator[bool]:
        """The only task of this event loop in here; False where one is and this one goes on."""
        lock = self._busy.setdefault(current_token(), Lock())
        if lock.locked() and not waits:
            yield False
            return
        async with lock:
            yield True
        if not lock.locked():
            self._busy.pop(current_token(), None)
