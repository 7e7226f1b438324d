"""The end of a run's time, for what it awaits."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import anyio

from agentmaker.calls.limits import Run


@contextmanager
def within(meter: Run) -> Iterator[None]:
    """What is awaited inside is cancelled when no time is left of the run.

    Raises:
        RunLimitExceeded: none is left, now or by then.
    """
    meter.check_time()
    with anyio.move_on_after(meter.left()) as limit:
        yield
    if limit.cancelled_caught:
        raise meter.late()
