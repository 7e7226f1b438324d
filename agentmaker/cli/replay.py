"""Put recorded conversations through the engine, one recorded answer after another."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from agentmaker.calls.call import new_id
from agentmaker.calls.ledger import Ledger
from agentmaker.calls.recording import Record
from agentmaker.cli.files import Conversation, Messages, Tools
from agentmaker.observe.report import Totals, totals


class Outcome(Protocol):
    """What came of fitting: at least the ledger."""

    @property
    def ledger(self) -> Ledger: ...


class Session(Protocol):
    """Fits the calls of one conversation, and remembers its cuts from one to the next."""

    async def fit(self, messages: Sequence[Any], *, tools: Sequence[Any] = ()) -> Outcome: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One call replayed: the record of it, and what went wrong, if anything did."""

    where: str
    record: Record
    error: Exception | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What a replay came to; *first* holds the first message of each error."""

    window: int
    model: str
    counter: str
    conversations: int
    calls: int
    errors: dict[str, int]
    first: dict[str, str]
    totals: Totals


async def replay(
    conversations: Iterable[Conversation],
    session: Callable[[], Session],
    *,
    model: str,
    tools: Tools = (),
    each: Callable[[Attempt], None],
) -> list[Attempt]:
    """Fit every call of every conversation, each conversation in a session of its own.

    A conversation that brings no tools gets *tools*. A call that fails becomes an attempt
    with its error, and the replay goes on; *each* is told of every attempt as it is made.
    """
    attempts = []
    for conversation in conversations:
        record = Record(ledger=None, purpose="replay", model=model, run_id=new_id())
        one, schemas = session(), conversation.tools or tools
        for number, messages in enumerate(conversation.calls(), start=1):
            fitted = await _fit(one, messages, schemas, record)
            attempts.append(replace(fitted, where=f"{conversation.where}, call {number}"))
            each(attempts[-1])
    return attempts


def summarise(attempts: Sequence[Attempt], *, window: int, model: str, counter: str) -> Summary:
    """Count what happened."""
    failed = [attempt for attempt in attempts if attempt.error]
    sums = totals([attempt.record.fields() for attempt in attempts])
    return Summary(
        window=window,
        model=model,
        counter=counter,
        conversations=len({attempt.record.run_id for attempt in attempts}),
        calls=len(attempts),
        errors={name: count for name, count in sums.outcomes.items() if name != "ok"},
        # The first of each name stands last in the reversed order.
        first={one.record.outcome: f"{one.where}: {one.error}" for one in reversed(failed)},
        totals=sums,
    )


async def _fit(session: Session, messages: Messages, tools: Tools, record: Record) -> Attempt:
    started = time.perf_counter()
    failure: Exception | None = None
    try:
        ledger: Ledger | None = (await session.fit(messages, tools=tools)).ledger
    except Exception as error:
        failure, ledger = error, getattr(error, "ledger", None)
    spent = (time.perf_counter() - started) * 1000
    done = replace(
        record,
        ledger=ledger,
        request_id=new_id(),
        outcome=type(failure).__name__ if failure else "ok",
        own_ms=spent,
        total_ms=spent,
    )
    return Attempt(where="", record=done, error=failure)
