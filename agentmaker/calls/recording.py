"""One record for every request really sent, handed to the sinks."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from agentmaker.calls.call import Call, Reply, Usage
from agentmaker.calls.guard import guarded
from agentmaker.calls.ledger import Ledger
from agentmaker.calls.middleware import Next
from agentmaker.calls.refusals.overflow import PromptRefused
from agentmaker.errors import ContextOverflow
from agentmaker.messages import has_media

EVENT = "agentmaker.request"

TRUNCATED = 0.5
LEAST_TRUNCATED = 1_000
"""A count below this share of an estimate above so many tokens is no error of counting."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What one request cost and where its tokens went.

    Attributes:
        own_ms: milliseconds this library spent on the request.
        total_ms: milliseconds from the making of the call to its settled reply.
        truncated: whether the provider counted so little that it must have dropped some of it.
        outcome: ``"ok"``, or the name of the exception that ended it.
    """

    ledger: Ledger | None
    usage: Usage | None = None
    purpose: str = "request"
    model: str = ""
    run_id: str = ""
    request_id: str = ""
    stream: bool = False
    finish_reason: str | None = None
    truncated: bool = False
    outcome: str = "ok"
    own_ms: float = 0.0
    total_ms: float = 0.0

    @property
    def estimate_error(self) -> float | None:
        """(estimate - provider's count) / provider's count, None where it did not say."""
        counted = self.usage.prompt_tokens if self.usage else None
        if not counted or self.ledger is None:
            return None
        return (self.ledger.estimate - counted) / counted

    def fields(self) -> dict[str, Any]:
        """The record as flat, JSON-ready fields: counts, names and milliseconds, no content."""
        return {
            "purpose": self.purpose,
            "model": self.model,
            "run_id": self.run_id,
            "request_id": self.request_id,
            "stream": self.stream,
            "outcome": self.outcome,
            "finish_reason": self.finish_reason,
            **(_ledger_fields(self.ledger) if self.ledger else {}),
            **(self.usage or Usage()).counts(),
            "estimate_error": _rounded(self.estimate_error),
            "truncated": self.truncated,
            "own_ms": round(self.own_ms, 3),
            "total_ms": round(self.total_ms, 3),
        }


class Sink(Protocol):
    """Where records go. What it raises is logged and never fails a call."""

    def __call__(self, record: Record, /) -> None: ...


class Recording:
    """Write one record when the reply settles, or when the request fails."""

    def __init__(self, sinks: Sequence[Sink]) -> None:
        self.sinks = sinks

    async def __call__(self, call: Call, next: Next, /) -> Reply:
        try:
            reply = await next(call)
        except BaseException as error:
            _learn_from_refusal(call, error)
            self._write(call, Reply(error=error))
            raise
        reply.ledger = call.ledger
        reply.on_settle(partial(self._settled, call))
        return reply

    def _settled(self, call: Call, reply: Reply) -> None:
        truncated = _is_truncated(call, reply.usage)
        reply.learnt = not truncated and _learns(call, reply)
        if truncated and call.setting.views.first_time(("truncated", call.model)):
            _say_truncated(call, reply)
        self._write(call, reply, truncated)

    def _write(self, call: Call, reply: Reply, truncated: bool = False) -> None:
        if not self.sinks:
            return
        record = _record(call, reply, truncated)
        for sink in self.sinks:
            guarded(sink, record, f"sink {type(sink).__name__}")


def _learns(call: Call, reply: Reply) -> bool:
    """Learn from the provider's count of a prompt, where it is the count of all of it."""
    usage = reply.usage
    if call.expected is None or usage is None or not usage.prompt_tokens:
        return False
    if reply.error is not None:
        return False
    known = call.setting.calibrations
    return known.learn(call.expected, usage.prompt_tokens, usage.cached_tokens or 0)


def _learn_from_refusal(call: Call, error: BaseException) -> None:
    """A server that says how long a refused prompt was has counted it too."""
    if isinstance(error, PromptRefused) and error.overflow.prompt and call.expected:
        error.learnt = call.setting.calibrations.learn(call.expected, error.overflow.prompt)


def _say_truncated(call: Call, reply: Reply) -> None:
    """Say that the server seems to drop what does not fit without a word."""
    logging.getLogger("agentmaker").warning(
        "the server of %r counted %d tokens in a prompt of about %d: it seems to drop the front of "
        "what it cannot hold; set window= to what it was started with",
        reply.model or call.model,
        reply.usage.prompt_tokens if reply.usage else 0,
        call.ledger.estimate if call.ledger else 0,
    )


def _record(call: Call, reply: Reply, truncated: bool) -> Record:
    return Record(
        ledger=call.ledger,
        usage=reply.usage,
        purpose=call.purpose,
        model=reply.model or call.model,
        run_id=call.run_id,
        request_id=call.request_id,
        stream=call.stream,
        finish_reason=reply.finish_reason,
        truncated=truncated,
        outcome=_outcome(reply.error),
        own_ms=call.own_ms,
        total_ms=(time.perf_counter() - call.started) * 1000,
    )


def is_truncated(ledger: Ledger | None, usage: Usage | None) -> bool:
    """Whether the provider counted far less than what was sent."""
    usage = usage or Usage()
    # Some count what they had cached apart.
    counted = max(usage.prompt_tokens or 0, usage.cached_tokens or 0)
    estimate = ledger.estimate if ledger else 0
    return 0 < counted < TRUNCATED * estimate and estimate > LEAST_TRUNCATED


def _is_truncated(call: Call, usage: Usage | None) -> bool:
    if not is_truncated(call.ledger, usage):
        return False
    # What pictures and sounds cost is a guess.
    return not any(has_media(message.get("content")) for message in call.messages)


def _outcome(error: BaseException | None) -> str:
    if error is None:
        return "ok"
    # What the caller will see of a prompt that was refused, should the smaller one be too.
    kind = ContextOverflow if isinstance(error, PromptRefused) else type(error)
    return kind.__name__


def _ledger_fields(ledger: Ledger) -> dict[str, Any]:
    fields: dict[str, Any] = {"window": ledger.window}
    for row in ledger:
        fields[f"{row.name}_allotted"] = row.allotted
        fields[f"{row.name}_used"] = row.used
        fields[f"{row.name}_dropped"] = row.dropped
    for source in ledger.sources:
        fields[f"source_{source.name}"] = source.outcome
        fields[f"source_{source.name}_found"] = source.found
        fields[f"source_{source.name}_kept"] = source.kept
        fields[f"source_{source.name}_tokens"] = source.tokens
        fields[f"source_{source.name}_ms"] = round(source.ms, 3)
        if source.reason:
            fields[f"source_{source.name}_reason"] = source.reason
    return {
        **fields,
        "estimate": ledger.estimate,
        "counter": ledger.counter,
        "factor": _rounded(ledger.factor),
        "samples": ledger.samples,
        "last_error": _rounded(ledger.last_error),
        "prefix_kept": _rounded(ledger.prefix_kept),
        "reductions": list(ledger.reductions),
        "repairs": list(ledger.repairs),
        "lost": len(ledger.lost),
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
