"""What a memory is worth: how relevant, how recent, how important."""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import datetime, timedelta

from agentmaker.context.knobs import check_number
from agentmaker.context.recency import recency
from agentmaker.errors import ConfigError
from agentmaker.memory.memories.record import MemoryRecord

_HOUR = timedelta(hours=1)


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


def _recency(record: MemoryRecord, now: datetime) -> float:
    return recency((now - record.updated) / _HOUR)
