"""What all reducers share: their shape, their knobs, how text is added up."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from agentmaker.context.folding import ASummarize
from agentmaker.context.knobs import check_count
from agentmaker.errors import ContextWindowExceeded
from agentmaker.tokens import TokenCounter, count_tokens


@dataclass(frozen=True, slots=True)
class ReducerConfig:
    """How much of the newest work stays word for word, where a reducer is called by itself.

    In the engine the room decides.

    Attributes:
        agent_keep_recent_steps: newest units of a tool loop: a call and its results.
        plan_keep_recent: newest step results of a plan.

    Raises:
        ConfigError: a knob is negative.
    """

    agent_keep_recent_steps: int = 3
    plan_keep_recent: int = 3

    def __post_init__(self) -> None:
        self.validate()

    def validate(self) -> None:
        check_count("agent_keep_recent_steps", self.agent_keep_recent_steps, least=0)
        check_count("plan_keep_recent", self.plan_keep_recent, least=0)


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
