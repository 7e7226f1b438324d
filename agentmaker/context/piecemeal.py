"""Long work in pieces: a generator that yields between them and returns the result."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import TypeVar

from agentmaker.context.turns import Turns

T = TypeVar("T")
Pieces = Generator[None, None, T]


def at_once(pieces: Pieces[T]) -> T:
    """The result of *pieces*, one right after the other."""
    results: list[T] = []
    for _ in _keeping(pieces, results):
        pass
    return results[0]


async def attentively(pieces: Pieces[T]) -> T:
    """The same with the event loop running in between."""
    results: list[T] = []
    turns = Turns()
    for _ in _keeping(pieces, results):
        await turns.turn()
    return results[0]


def _keeping(pieces: Pieces[T], results: list[T]) -> Iterator[None]:
    """*pieces* for a loop, which does not see what a generator returns: that goes to *results*."""
    results.append((yield from pieces))
