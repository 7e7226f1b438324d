"""What all reducers share: their shape, their knobs, how text is added up."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from agentmaker.context.folding import ASummarize
from agentmaker.errors import ContextWindowExceeded
from agentmaker.tokens import TokenCounter, count_tokens


class Reducer(Protocol):
    """Brings a trajectory down to *budget* tokens.

    *summarize* is awaited as ``(text, instruction) -> summary``; None asks nobody. A
    paradigm's own knobs are keyword arguments of its function.

    Raises:
        ContextWindowExceeded: what must stay word for word is larger than *budget*.
    """

    async def __call__(
        self,
        items: Sequence[Any],
        /,
        *,
        summarize: ASummarize | None,
        budget: int,
        counter: TokenCounter = ...,
    ) -> Sequence[Any]: ...


def accepted(reducer: Callable[..., object], **offered: Any) -> dict[str, Any]:
    """Of the knobs *offered*, those that *reducer* has."""
    known = inspect.signature(reducer).parameters
    return {name: value for name, value in offered.items() if name in known}


def tokens_of(*texts: str, counter: TokenCounter = count_tokens) -> int:
    """The tokens of *texts*, added up."""
    return sum(map(counter, texts))


def check_room(part: str, needed: int, budget: int) -> int:
    """The tokens of *budget* left beside *part*.

    Raises:
        ContextWindowExceeded: *part* alone needs more.
    """
    if needed > budget:
        raise ContextWindowExceeded(part, needed, budget)
    return budget - needed
