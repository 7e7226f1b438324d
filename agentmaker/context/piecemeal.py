"""Long work in pieces: a generator that yields between them and returns the result."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from time import perf_counter
from typing import TypeVar

from anyio.lowlevel import checkpoint

T = TypeVar("T")
Pieces = Generator[None, None, T]

_HOLD = 0.005
"""Seconds after which the event loop gets its turn."""


def at_once(pieces: Pieces[T]) -> T:
    results: list[T] = []
    for _ in _keeping(pieces, results):
        pass
    return results[0]


async def attentively(pieces: Pieces[T]) -> T:
    """The same with the event loop running in between; work that is soon done is not delayed."""
    results: list[T] = []
    since = perf_counter()
    for _ in _keeping(pieces, results):
        if perf_counter() - since >= _HOLD:
            await checkpoint()
            since = perf_counter()
    return results[0]


def _keeping(pieces: Pieces[T], results: list[T]) -> Iterator[None]:
    results.append((yield from pieces))
