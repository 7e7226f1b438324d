"""The end of a run's time, for what it awaits."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import inf

import anyio

from agentmaker.calls.limits import Run


@contextmanager
def within(meter: Run) -> Iterator[None]:
    """What is awaited inside is cancelled when no time is left of the run.

    Raises:
        RunLimitExceeded: none is left, now or by then.
    """
    left = meter.left()
    if left <= 0:
        raise meter.late()
    if left == inf:
        yield
        return
    with anyio.move_on_after(left) as limit:
        yield
    if limit.cancelled_caught:
        raise meter.late()
