"""One exact read of a source, checked before anything is made of it."""

from __future__ import annotations

import anyio

from agentmaker.tasks.source import LONGEST_READ, Content, TaskSource, Unreadable


async def read_exact(source: TaskSource, ref: str, start: int, seconds: float | None) -> Content:
    """As much of *ref* from *start* on as one read gives.

    Raises:
        TimeoutError: it took longer than so many *seconds*.
        Unreadable: it is not what was asked for.
        Exception: whatever the source raises.
    """
    with anyio.fail_after(seconds):
        given: object = await source.read(ref, start=start, limit=LONGEST_READ)
    if not isinstance(given, Content) or not isinstance(given.text, str):
        raise Unreadable(f"read() returned {type(given).__name__}, no Content with text")
    size = len(given.text)
    total: object = given.total
    whole = isinstance(total, int) and start + size <= total
    if given.start != start or size > LONGEST_READ or not whole:
        raise Unreadable("read() returned other characters than it was asked for")
    return given
