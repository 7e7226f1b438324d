"""`Index`: finds passages by words and by meaning, in partitions kept apart."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from agentmaker.errors import EmbeddingError
from agentmaker.memory.index import items as kept
from agentmaker.memory.index import searches, waiting
from agentmaker.memory.index.access import Access
from agentmaker.memory.index.embedding import Embedder, read_embedder
from agentmaker.memory.index.meaning import Meaning
from agentmaker.memory.index.places import Allowed
from agentmaker.memory.index.remembered import Remembered
from agentmaker.memory.index.values import EmbeddingUsage, Found, Hit, Indexed, Kept, Strategy


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
        ConfigError: *embedder* cannot be called, or its *timeout* is not positive.
        StoreError: (by any method) the file cannot be read or written, or is none of ours.
    """

    def __init__(
        self,
        path: str | Path | None = None,
        *,
        embedder: Embedder | None = None,
        timeout: float | None = 10.0,
    ) -> None:
        self._access = Access(None if path is None else Path(path).absolute())
        self._remembered = Remembered()
        read = None if embedder is None else read_embedder(embedder, timeout)
        self._meaning = None if read is None else Meaning(read, self._access)

    async def known(self, partition: str) -> Mapping[str, Kept]:
        """What is kept of a partition, by key.

        Without a revision stands what was put without this embedder: it has to be put again.
        """
        work = partial(kept.known, partition=partition, embedder=self._embedder)
        return await self._access.read(work)

    async def holds(self, partition: str) -> bool:
        """Whether anything was put there, and was not lost since with a file or a memory."""
        return await self.stamp(partition) is not None

    async def stamp(self, partition: str) -> int | None:
        """Another number whenever something in a partition changed, whoever changed it."""
        return await self._access.read(partial(kept.stamp, partition=partition))

    async def put(
        self, partition: str, items: Sequence[Indexed], *, gone: Collection[str] = ()
    ) -> None:
        """Keep *items*, each in the place of one of its key, and forget those *gone*.

        New texts are embedded afterwards, batch by batch. Those whose vectors cannot be had now
        are found by their words, and tried again by what is put or searched later.
        """
        if not items and not gone:
            return
        work = partial(
            _put,
            partition=partition,
            items=tuple(items),
            gone=frozenset(gone),
            embedder=self._embedder,
        )
        cached = await self._access.write(work)
        if self._meaning:
            self._meaning.book(partition, EmbeddingUsage(cached=cached))
            await self._meaning.catch_up(partition)

    async def drop(self, partition: str) -> None:
        """Forget a partition and everything in it."""
        await self._access.write(partial(_drop, partition=partition))

    async def search(
        self,
        query: str,
        partitions: Mapping[str, Collection[str] | None],
        *,
        limit: int,
        strategy: Strategy = "lexical",
    ) -> Found:
        """The *limit* best of the keys allowed in each partition, None for all of them.

        ``"structural"`` finds nothing: the order is the caller's then. Where there is but one
        item to be found, or no query, none is embedded.
        """
        allowed = {name: _as_given(keys) for name, keys in partitions.items()}
        hits: tuple[Hit, ...] = ()
        problem = ""
        if strategy != "structural" and query.strip() and limit > 0:
            about = {"query": query, "allowed": allowed, "limit": limit}
            try:
                vector = await self._vector(query, allowed) if strategy == "hybrid" else None
                hits = await self._found(vector, about)
            except EmbeddingError as error:
                problem = str(error)
                hits = await self._found(None, about)
        usage = self._meaning.reported(partitions.keys()) if self._meaning else EmbeddingUsage()
        return Found(hits=hits, usage=usage, problem=problem)

    async def _vector(self, query: str, allowed: Allowed) -> bytes | None:
        """Of the query, None where it would not matter."""
        if self._meaning is None:
            raise EmbeddingError("no embedder is set: give the index one")
        if not await self._access.read(partial(searches.are_several, allowed=allowed)):
            return None
        return await self._meaning.of_query(query, allowed.keys())

    async def _found(self, vector: bytes | None, about: Mapping[str, Any]) -> tuple[Hit, ...]:
        work = partial(
            searches.hits,
            embedder=self._embedder,
            vector=vector,
            remembered=self._remembered,
            **about,
        )
        return await self._access.read(work)

    @property
    def embeds(self) -> bool:
        """Whether it has an embedder."""
        return self._meaning is not None

    @property
    def _embedder(self) -> str | None:
        return self._meaning.name if self._meaning else None

    async def aclose(self) -> None:
        """Give back what was opened; the next use opens it again, with nothing in memory."""
        self._remembered = Remembered()
        await self._access.aclose()


def _put(
    connection: sqlite3.Connection,
    partition: str,
    items: Sequence[Indexed],
    gone: Collection[str],
    embedder: str | None,
) -> int:
    """How many texts of *items* had a vector before."""
    forgotten = kept.put(connection, partition, items, gone)
    vectors = waiting.Vectors(embedder, partition) if embedder else None
    had = vectors.wait(connection, kept.texts(items)) if vectors else 0
    waiting.forget(connection, kept.number_of(connection, partition), forgotten)
    return had


def _drop(connection: sqlite3.Connection, partition: str) -> None:
    number = kept.number_of(connection, partition)
    waiting.forget(connection, number, kept.drop(connection, partition))


def _as_given(keys: Collection[str] | None) -> Collection[str] | None:
    return None if keys is None else frozenset(keys)
