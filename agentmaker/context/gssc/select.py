"""Second stage: the packets worth their room."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Literal, TypeAlias

from agentmaker.context.gssc.config import DEFAULT, GSSCConfig
from agentmaker.context.gssc.packet import HISTORY, SYSTEM, UNRATED, ContextPacket
from agentmaker.context.recency import recency
from agentmaker.context.words import terms
from agentmaker.errors import ContextWindowExceeded
from agentmaker.tokens import TokenCounter, adopted, count_tokens

Reason: TypeAlias = Literal["below_min_relevance", "duplicate", "budget_exhausted", "compressed"]


@dataclass(frozen=True, slots=True)
class Excluded:
    """A packet that is not in the context, and why."""

    packet: ContextPacket
    reason: Reason


@dataclass(frozen=True, slots=True)
class Selection:
    """The packets chosen, system instructions first and then the best first, and the others."""

    packets: tuple[ContextPacket, ...]
    excluded: tuple[Excluded, ...] = ()


@dataclass(frozen=True, slots=True)
class _Rated:
    packet: ContextPacket
    score: float
    cost: int


def select(
    packets: Iterable[ContextPacket],
    query: str,
    *,
    budget: int | None = None,
    config: GSSCConfig = DEFAULT,
    counter: TokenCounter = count_tokens,
    now: datetime | None = None,
) -> Selection:
    """The best of *packets* within *budget* tokens, by default the configuration's room.

    System instructions and required packets are always in; what the former fill is full. A
    packet costs what *counter* says, or its ``token_count`` where that is more. Of equal
    scores the first wins, and what does not fit makes way for what does. What was found twice
    is in once; turns stay as they were said.

    Raises:
        ContextWindowExceeded: there is no room for the required packets.
    """
    everything = tuple(packets)
    system = [each for each in everything if each.kind == SYSTEM]
    rate = _Rater(query, config, adopted(counter), now or datetime.now(UTC))
    rated = sorted(
        (rate(each) for each in everything if each.kind != SYSTEM), key=lambda each: -each.score
    )
    room = (config.room if budget is None else budget) - sum(map(rate.cost, system))
    kept, excluded = _greedy(rated, room - _needed(rated, room), config.min_relevance)
    return Selection((*system, *kept), excluded)


def relevance(query: str, content: str) -> float:
    """The share of the query's terms that *content* has; 0.5 where the query has none."""
    wanted = set(terms(query))
    return len(wanted.intersection(terms(content))) / len(wanted) if wanted else UNRATED


def _needed(rated: Sequence[_Rated], room: int) -> int:
    """Tokens of the required packets."""
    needed = sum(each.cost for each in rated if each.packet.required)
    if needed > max(0, room):
        raise ContextWindowExceeded(
            "the required packets",
            needed,
            max(0, room),
            hint="require fewer of them, shorten them, or raise max_tokens",
        )
    return needed


def _greedy(
    rated: Sequence[_Rated], room: int, least: float
) -> tuple[list[ContextPacket], tuple[Excluded, ...]]:
    kept: list[ContextPacket] = []
    said = {each.packet.content for each in rated if each.packet.required}
    excluded: list[Excluded] = []
    for packet, cost in ((each.packet, each.cost) for each in rated):
        if packet.required:
            kept.append(packet)
        elif packet.relevance_score < least:
            excluded.append(Excluded(packet, "below_min_relevance"))
        elif packet.content in said and packet.kind != HISTORY:
            excluded.append(Excluded(packet, "duplicate"))
        elif room <= 0 or cost > room:
            excluded.append(Excluded(packet, "budget_exhausted"))
        else:
            kept.append(packet)
            said.add(packet.content)
            room -= cost
    return kept, tuple(excluded)


class _Rater:
    """Rates packets for one query at one moment."""

    def __init__(
        self, query: str, config: GSSCConfig, counter: TokenCounter, now: datetime
    ) -> None:
        self.query = query
        self.config = config
        self.counter = counter
        self.now = now if now.tzinfo else now.astimezone(UTC)

    def __call__(self, packet: ContextPacket) -> _Rated:
        if packet.relevance_score == UNRATED:
            packet = replace(packet, relevance_score=relevance(self.query, packet.content))
        score = (
            self.config.relevance_weight * packet.relevance_score
            + self.config.recency_weight * self._recency(packet)
        )
        return _Rated(packet, score, self.cost(packet))

    def cost(self, packet: ContextPacket) -> int:
        return max(packet.token_count, self.counter(packet.content))

    def _recency(self, packet: ContextPacket) -> float:
        return recency((self.now - packet.moment).total_seconds() / 3600)
