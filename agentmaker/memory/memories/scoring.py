"""What a memory is worth: how relevant, how recent, how important."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from typing import TypeVar

from agentmaker.context.knobs import check_number
from agentmaker.context.recency import recency
from agentmaker.errors import ConfigError
from agentmaker.memory.memories.record import MemoryRecord

_HOUR = timedelta(hours=1)

MANY = 50
"""Of so many candidates the last has nothing to do with the query."""

T = TypeVar("T", bound=Hashable)


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """How much each counts in the score of a memory, which is their mean and lies in [0, 1].

    The sum of the three, each in [0, 1] and all of one weight, is that of Park et al. 2023,
    "Generative Agents: Interactive Simulacra of Human Behavior".

    Raises:
        ConfigError: one of them is negative or no number, or all are 0.
    """

    relevance: float = 1.0
    recency: float = 1.0
    importance: float = 1.0

    def __post_init__(self) -> None:
        for each in fields(self):
            check_number(each.name, getattr(self, each.name), least=0)
        if not self.relevance + self.recency + self.importance:
            raise ConfigError("one of relevance, recency and importance must weigh more than 0")

    def score(self, record: MemoryRecord, now: datetime, relevance: float) -> float:
        """From 0 to 1; *relevance* is that of the record beside the most relevant one."""
        return (
            self.relevance * relevance
            + self.recency * _recency(record, now)
            + self.importance * record.importance
        ) / (self.relevance + self.recency + self.importance)

    def lasting(self, record: MemoryRecord, now: datetime) -> float:
        """What it is worth whatever is asked."""
        return self.recency * _recency(record, now) + self.importance * record.importance


def relevances(scores: Mapping[T, float]) -> dict[T, float]:
    """What an index scored, from 0 to 1 for the best.

    Of `MANY` the worst has 0, as Park et al. scale it; the fewer there are, the less is taken off
    for being the last of them.
    """
    best, worst = max(scores.values(), default=0.0), min(scores.values(), default=0.0)
    least = worst * min(1.0, len(scores) / MANY)
    span = best - least
    return {each: (score - least) / span if span else 1.0 for each, score in scores.items()}


def _recency(record: MemoryRecord, now: datetime) -> float:
    return recency((now - record.updated) / _HOUR)
