"""A summariser that fails again and again is left alone for a while."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from agentmaker.calls.call import Call, Reply
from agentmaker.calls.memory.remembered import Remembered
from agentmaker.calls.middleware import Next
from agentmaker.calls.summaries import is_summary
from agentmaker.errors import LLMResponseError, RunStopped

FAILURES = 3
"""So many in a row, and a model is asked for no summary."""

PAUSE = 8
"""So many requests go without one then, before it is tried again."""

MOST_MODELS = 256


@dataclass(slots=True)
class _Record:
    failures: int = 0
    pause: int = 0


class Breaker:
    """A middleware around the line of a summary; what it refuses is served by an extract."""

    def __init__(self) -> None:
        self._records: Remembered[str, _Record] = Remembered(MOST_MODELS)

    async def __call__(self, call: Call, next: Next, /) -> Reply:
        """The reply by *next*.

        Raises:
            LLMResponseError: its model failed too often of late.
        """
        record = self._records.get(call.model) or _Record()
        self._records.put(call.model, record)
        if record.pause:
            record.pause -= 1
            raise LLMResponseError(f"{call.model!r} failed at {FAILURES} summaries in a row")
        try:
            reply = await next(call)
        except RunStopped:
            raise
        except Exception:
            _book(record, failed=True)
            raise
        reply.on_settle(partial(_judge, record, call))
        return reply


def _judge(record: _Record, call: Call, reply: Reply) -> None:
    _book(record, failed=not (is_summary(reply) and _saves(reply, call)))


def _saves(reply: Reply, call: Call) -> bool:
    """Whether *reply* is shorter than the text that *call* is about."""
    asked = call.window.question
    return asked is None or len(reply.content or "") < len(asked.text)


def _book(record: _Record, *, failed: bool) -> None:
    record.failures = record.failures + 1 if failed else 0
    if record.failures >= FAILURES:
        record.pause = PAUSE
