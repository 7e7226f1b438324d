"""Vectors that were read before: of partitions that nobody has changed since."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from threading import Lock

from agentmaker.memory.index.items import packed
from agentmaker.memory.index.places import Part

MOST = 64 * 2**20
"""Bytes that an index remembers; what is larger is read again by every search."""

_PIECE = 512


@dataclass(frozen=True, slots=True)
class Piece:
    """Rows in order, and their vectors one behind the other."""

    rows: tuple[int, ...]
    numbers: bytes

    @property
    def size(self) -> int:
        return len(self.numbers) + 40 * len(self.rows)


class Remembered:
    """The vectors of the partitions searched last; used by several threads at once."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, int, int], list[Piece]] = {}
        self._lock = Lock()

    def pieces(self, connection: sqlite3.Connection, embedder: str, part: Part) -> Iterable[Piece]:
        """All of a partition; as *part* says it is, whatever was written meanwhile."""
        name = (embedder, part.number, part.changes)
        with self._lock:
            if name in self._kept:
                self._kept[name] = self._kept.pop(name)
                return self._kept[name]
        return self._read(connection, name)

    def _read(self, connection: sqlite3.Connection, name: tuple[str, int, int]) -> Iterator[Piece]:
        read: list[Piece] = []
        size = 0
        for piece in _stored(connection, name[0], name[1]):
            yield piece
            size += piece.size
            if size <= MOST:
                read.append(piece)
        if 0 < size <= MOST:
            self._remember(name, read)

    def _remember(self, name: tuple[str, int, int], read: list[Piece]) -> None:
        with self._lock:
            outdated = [each for each in self._kept if each[:2] == name[:2]]
            for each in outdated:
                del self._kept[each]
            self._kept[name] = read
            while sum(piece.size for each in self._kept.values() for piece in each) > MOST:
                del self._kept[next(iter(self._kept))]


def _stored(connection: sqlite3.Connection, embedder: str, partition: int) -> Iterator[Piece]:
    found = connection.execute(
        "SELECT passage.id, numbers FROM passage CROSS JOIN vector "
        "ON vector.embedder = ? AND vector.partition = passage.partition "
        "AND vector.digest = passage.digest WHERE passage.partition = ? ORDER BY passage.id",
        (packed(embedder), partition),
    )
    while some := found.fetchmany(_PIECE):
        yield Piece(tuple(row for row, _ in some), b"".join([numbers for _, numbers in some]))
