"""What was given and what was found, as packets."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from agentmaker.context.gssc.packet import HISTORY, MEMORY, RAG, SYSTEM, UNRATED, ContextPacket
from agentmaker.context.mmr.contest import Relevance
from agentmaker.context.results import RetrievalResult
from agentmaker.messages import Message
from agentmaker.tokens import TokenCounter

TURNS = 5
TURN_RELEVANCE = 0.6

LEAST_IMPORTANCE = 0.3
"""Memories that say they matter less are not gathered."""

LEAST_SCORE = 0.3
"""Passages with a smaller share of the best one's score are not gathered.

Measured on questions in English and Chinese: no answer is lost, and more than a third of the room
is saved.
"""

_UNSCORED = 1.0


def system_packets(text: str | None, counter: TokenCounter) -> list[ContextPacket]:
    """The system instructions as a packet; none for a blank *text*."""
    if text is None or not text.strip():
        return []
    metadata = {"type": SYSTEM}
    now = datetime.now(UTC)
    return [ContextPacket(text, now, counter(text), relevance_score=1.0, metadata=metadata)]


def turn_packets(turns: Sequence[Message], counter: TokenCounter) -> list[ContextPacket]:
    """The newest five turns that say something, as ``role: content``."""
    saying = [turn for turn in turns if turn.text.strip()]
    return [_turn_packet(turn, counter) for turn in saying[-TURNS:]]


def found_packets(
    found: Iterable[RetrievalResult], kind: str, counter: TokenCounter, *, limit: int
) -> list[ContextPacket]:
    """The best of what one source found, all of the same *kind* whatever they say they are.

    Only the order and proportions of its scores matter, so the best is wholly relevant. Where
    it gave none, nothing is known. A ``timestamp`` in the metadata says how old a result is, and
    the ``importance`` of a memory whether it is taken at all.
    """
    results = [each for each in found if kind != MEMORY or _matters(each)]
    scores = [_number(each.score) for each in results]
    relevances = _relevances(scores)
    least = LEAST_SCORE if kind == RAG else 0.0
    worthy = (index for index, each in enumerate(relevances) if each >= least)
    best = sorted(worthy, key=lambda index: -scores[index])[:limit]
    return [_found_packet(results[index], kind, relevances[index], counter) for index in best]


def _turn_packet(turn: Message, counter: TokenCounter) -> ContextPacket:
    text = f"{turn.role}: {turn.text}"
    metadata = {"type": HISTORY, "role": turn.role}
    return ContextPacket(text, turn.timestamp, counter(text), TURN_RELEVANCE, metadata)


def _found_packet(
    result: RetrievalResult, kind: str, relevance: float, counter: TokenCounter
) -> ContextPacket:
    given = _mapping(result.metadata)
    metadata = {**given, "type": kind, "source": result.source, "id": result.id}
    text = result.content
    return ContextPacket(text, _timestamp(given), counter(text), relevance, metadata)


def _matters(result: RetrievalResult) -> bool:
    stated = _mapping(result.metadata).get("importance")
    return not isinstance(stated, (int, float)) or not stated < LEAST_IMPORTANCE


def _relevances(scores: Sequence[float]) -> list[float]:
    if set(scores) <= {_UNSCORED}:
        return [UNRATED] * len(scores)
    worth = Relevance(min(scores), max(scores))
    return [_rated(worth(score)) for score in scores]


def _rated(relevance: float) -> float:
    """*relevance*, but never the very number that says there is none."""
    return math.nextafter(UNRATED, 1) if relevance == UNRATED else relevance


def _number(score: object) -> float:
    try:
        number = float(score)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return 0.0
    return number if math.isfinite(number) else 0.0


def _mapping(metadata: object) -> Mapping[str, Any]:
    # A source may return anything, and a fault of one of them costs no context.
    return metadata if isinstance(metadata, Mapping) else {}


def _timestamp(metadata: Mapping[str, Any]) -> datetime:
    stated = metadata.get("timestamp")
    if isinstance(stated, str):
        with suppress(ValueError):
            stated = datetime.fromisoformat(stated)
    return stated if isinstance(stated, datetime) else datetime.now(UTC)
