"""First stage: packets from everywhere, the sources asked at once."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agentmaker.context.gather import Fetched
from agentmaker.context.gather import gather as ask
from agentmaker.context.gssc.config import DEFAULT, GSSCConfig
from agentmaker.context.gssc.found import found_packets, system_packets, turn_packets
from agentmaker.context.gssc.packet import MEMORY, RAG, ContextPacket
from agentmaker.context.gssc.retrievers import Retriever, source_of
from agentmaker.context.results import SourceOutcome
from agentmaker.context.sources import ContextSource, Grant
from agentmaker.messages import Message, read_messages
from agentmaker.scope import Scope
from agentmaker.tokens import TokenCounter, adopted, count_tokens

MEMORY_LIMIT = 10
RAG_LIMIT = 5


@dataclass(frozen=True, slots=True)
class Gathered:
    """All candidates, system instructions first, and what became of each source."""

    packets: tuple[ContextPacket, ...]
    outcomes: tuple[SourceOutcome, ...] = ()


async def gather(
    query: str,
    *,
    system_instructions: str | None = None,
    memory: Retriever | None = None,
    rag: Retriever | None = None,
    conversation_history: Iterable[Message | Mapping[str, Any]] = (),
    custom_packets: Iterable[ContextPacket] = (),
    scope: Scope | None = None,
    config: GSSCConfig = DEFAULT,
    counter: TokenCounter = count_tokens,
) -> Gathered:
    """Candidates for *query*: system instructions, memory, knowledge, turns, custom packets.

    A source that fails or is late is left out, with one line in the log for all of them.

    Raises:
        SourceError: one made with ``required=True`` did.
        TypeError: a turn is no message, a packet no `ContextPacket`, or a source cannot be asked.
    """
    counter = adopted(counter)
    system = system_packets(system_instructions, counter)
    turns = turn_packets(read_messages(conversation_history), counter)
    custom = _checked(custom_packets)
    wanted = _wanted(memory, rag)
    fetched = await ask(
        query, [(each.source, _grant(each, config, counter)) for each in wanted], scope=scope
    )
    _say_missing(fetched)
    found = [
        packet
        for each, got in zip(wanted, fetched, strict=True)
        for packet in found_packets(got.candidates, each.kind, counter, limit=each.limit)
    ]
    packets = (*system, *found, *turns, *custom)
    return Gathered(packets, tuple(each.outcome for each in fetched))


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A source, what its results are, and how many of them are taken."""

    source: ContextSource
    kind: str
    limit: int


def _wanted(memory: Retriever | None, rag: Retriever | None) -> list[_Wanted]:
    given = (("memory", memory, MEMORY, MEMORY_LIMIT), ("rag", rag, RAG, RAG_LIMIT))
    return [
        _Wanted(source_of(each, name, limit=limit), kind, limit)
        for name, each, kind, limit in given
        if each is not None
    ]


def _grant(wanted: _Wanted, config: GSSCConfig, counter: TokenCounter) -> Grant:
    own = wanted.source.timeout
    return Grant(config.room, config.source_timeout if own is None else own, counter)


def _checked(packets: Iterable[ContextPacket]) -> tuple[ContextPacket, ...]:
    checked = tuple(packets)
    for place, each in enumerate(checked):
        if not isinstance(each, ContextPacket):
            raise TypeError(
                f"custom_packets[{place}] must be a ContextPacket, not {type(each).__name__}: "
                "write ContextPacket(text)"
            )
    return checked


def _say_missing(fetched: Sequence[Fetched]) -> None:
    outcomes = [each.outcome for each in fetched]
    missing = [
        f"{each.name} ({each.outcome}: {each.reason})"
        for each in outcomes
        if each.outcome not in ("ok", "empty")
    ]
    if missing:
        logging.getLogger("agentmaker").warning("a context goes on without %s", ", ".join(missing))
