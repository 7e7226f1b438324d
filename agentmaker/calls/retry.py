"""The client's own retry policy, run here because an overflow must not be sent again.

The SDK retries below the ledger and would resend an overflow that is worded as a 500, so its
retries are off for each request. The waits follow openai's own: half a second doubled each
time, at most eight, less up to a quarter of jitter, unless the server names one within a minute.
"""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

import anyio

from agentmaker.calls.call import Call, Reply
from agentmaker.calls.middleware import Next

if TYPE_CHECKING:
    from agentmaker.calls.refusals.faults import Fault

FIRST_WAIT = 0.5
LONGEST_WAIT = 8.0
LONGEST_NAMED_WAIT = 60.0
JITTER = 0.25

Sleep = Callable[[float], Awaitable[None]]


class Retry:
    """Send a call again, at most *retries* times (``math.inf`` sets no end), if it may help."""

    def __init__(self, retries: float, sleep: Sleep = anyio.sleep) -> None:
        self.retries = retries
        self.sleep = sleep

    async def __call__(self, call: Call, next: Next, /) -> Reply:
        for attempt in itertools.count():
            try:
                return await next(call)
            except Exception as error:
                if attempt >= self.retries or not may_pass(error):
                    raise
                wait = wait_after(error, attempt)
            await self.sleep(wait)
        raise AssertionError("unreachable")


def may_pass(error: Exception) -> bool:
    """Whether the same request may succeed later: no connection, 408, 409, 429 or a 5xx.

    The server's ``x-should-retry`` header has the last word. Its other words come before its
    status: a request above the rate limit, an empty account and a template's error stay.
    """
    import openai

    from agentmaker.calls.refusals.complaints import complaints_in
    from agentmaker.calls.refusals.faults import fault_in

    told = _headers(error).get("x-should-retry")
    if told in ("true", "false"):
        return told == "true"
    if isinstance(error, openai.APIConnectionError):
        return True
    fault = fault_in(error)
    if fault is not None and (_will_stay(fault) or complaints_in(error)):
        return False
    status = fault.status if fault else getattr(error, "status_code", None)
    if isinstance(status, int):
        return status in (408, 409, 429) or status >= 500
    return fault is not None and fault.kind in ("rate_limit", "server")


def _will_stay(fault: Fault) -> bool:
    hopeless = fault.quota is not None and fault.quota.exceeds
    return hopeless or fault.kind in ("auth", "content_filter")


def wait_after(error: Exception, attempt: int) -> float:
    """Seconds until the next attempt; *attempt* counts from 0."""
    named = _named_wait(_headers(error))
    if named is not None and 0 < named <= LONGEST_NAMED_WAIT:
        return named
    doubled = FIRST_WAIT * 2.0 ** min(attempt, 16)
    return min(doubled, LONGEST_WAIT) * (1 - JITTER * random.random())


def _named_wait(headers: Mapping[str, str]) -> float | None:
    """Seconds the server asks for: in milliseconds, in seconds, or until a date."""
    for read in (_milliseconds, _seconds, _until):
        try:
            return read(headers)
        except (KeyError, ValueError):
            continue
    return None


def _milliseconds(headers: Mapping[str, str]) -> float:
    return float(headers["retry-after-ms"]) / 1000


def _seconds(headers: Mapping[str, str]) -> float:
    return float(headers["retry-after"])


def _until(headers: Mapping[str, str]) -> float:
    return parsedate_to_datetime(headers["retry-after"]).timestamp() - time.time()


def _headers(error: Exception) -> Mapping[str, str]:
    headers: Mapping[str, str] = getattr(getattr(error, "response", None), "headers", None) or {}
    return headers
