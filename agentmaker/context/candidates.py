"""Reads whatever a source returned as candidates."""

from __future__ import annotations

from collections.abc import AsyncIterable, Iterable, Mapping
from itertools import islice
from typing import Any

from agentmaker.context.results import RetrievalResult

MOST_CANDIDATES = 1_000
"""What a source returns beyond this is not read: a generator may never end."""


class UnreadableResults(TypeError):
    """Raised when a source returned something that holds no candidates."""


def read_candidates(found: Any, source: str) -> list[RetrievalResult]:
    """*found* as results: a list or any iterable of results, strings and dictionaries with
    ``content``, one of these by itself, or None for nothing. Blank contents are left out.

    Raises:
        UnreadableResults: it is anything else, named without its content.
    """
    if found is None:
        return []
    if isinstance(found, (str, Mapping, RetrievalResult)):
        found = (found,)
    if not isinstance(found, Iterable) or isinstance(found, (bytes, bytearray)):
        raise UnreadableResults(f"returned {type(found).__name__}, not a list of results")
    read = (_candidate(item, source) for item in islice(found, MOST_CANDIDATES))
    return [each for each in read if each.content.strip()]


async def aread_candidates(found: Any, source: str) -> list[RetrievalResult]:
    """The same, for an async iterable too.

    Raises:
        UnreadableResults: *found* holds no candidates.
    """
    if not isinstance(found, AsyncIterable):
        return read_candidates(found, source)
    return read_candidates(await _first(found, MOST_CANDIDATES), source)


async def _first(found: AsyncIterable[Any], limit: int) -> list[Any]:
    items: list[Any] = []
    iterator = aiter(found)
    try:
        async for item in iterator:
            items.append(item)
            if len(items) == limit:
                break
    finally:
        close = getattr(iterator, "aclose", None)
        if close is not None:
            await close()
    return items


def _candidate(item: Any, source: str) -> RetrievalResult:
    if isinstance(item, RetrievalResult):
        return item
    if isinstance(item, str):
        return RetrievalResult(item, 1.0, source)
    content = item.get("content") if isinstance(item, Mapping) else None
    if not isinstance(content, str):
        raise UnreadableResults(
            f"returned {type(item).__name__} without content, not a result, string or dictionary"
        )
    return RetrievalResult(
        content,
        item.get("score", 1.0),
        source,
        id=str(item.get("id", "")),
        embedding=item.get("embedding"),
        metadata=item.get("metadata") or {},
    )
