"""The client's own retry policy, run here because an overflow must not be sent again.

The SDK retries below the ledger and would resend an overflow that is worded as a 500, so its
retries are off for each request. The waits follow openai's own: half a second doubled each
time, at most eight, less up to a quarter of jitter, unless the server names one below a minute.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import anyio

from agentmaker.calls.call import Call, Reply
from agentmaker.calls.middleware import Next
from agentmaker.errors import AgentmakerError

FIRST_WAIT = 0.5
LONGEST_WAIT = 8.0
LONGEST_NAMED_WAIT = 60.0


class Retry:
    """Send a call again, at most *retries* times, where its failure may pass."""

    def __init__(self, retries: int) -> None:
        self.retries = retries

    async def __call__(self, call: Call, next: Next, /) -> Reply:
        retries = call.options.get("max_retries", self.retries)
        for attempt in range(retries):
            try:
                return await next(call)
            except Exception as error:
                if not may_pass(error):
                    raise
                wait = _wait(error, attempt)
            await anyio.sleep(wait)
        return await next(call)


def may_pass(error: Exception) -> bool:
    """Whether the same request may succeed later: no connection, 408, 409, 429 or a 5xx.

    The server's ``x-should-retry`` header has the last word.
    """
    if isinstance(error, AgentmakerError):
        return False
    status = getattr(error, "status_code", None)
    if status is None:
        return _is_connection_error(error)
    told = _headers(error).get("x-should-retry")
    if told in ("true", "false"):
        return bool(told == "true")
    return status in (408, 409, 429) or status >= 500


def _is_connection_error(error: Exception) -> bool:
    import openai

    return isinstance(error, openai.APIConnectionError)


def _wait(error: Exception, attempt: int) -> float:
    named = _named_wait(_headers(error))
    if named is not None and 0 < named <= LONGEST_NAMED_WAIT:
        return named
    doubled: float = FIRST_WAIT * 2**attempt
    return min(doubled, LONGEST_WAIT) * (1 - 0.25 * random.random())


def _named_wait(headers: Mapping[str, Any]) -> float | None:
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            return float(headers[name]) * unit
        except (KeyError, ValueError):
            continue
    return None


def _headers(error: Exception) -> Mapping[str, Any]:
    headers: Mapping[str, Any] = getattr(getattr(error, "response", None), "headers", None) or {}
    return headers
