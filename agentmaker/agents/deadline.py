"""The end of a run's time, for what it awaits."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from math import inf

import anyio

from agentmaker.calls.limits import Run

_ENDLESS = nullcontext()


def within(meter: Run) -> AbstractContextManager[None]:
    """What is awaited inside is cancelled when no time is left of the run.

    Raises:
        RunLimitExceeded: none is left, now or by then.
    """
    left = meter.left()
    if left <= 0:
        raise meter.late()
    return _ENDLESS if left == inf else _for(left, meter)


@contextmanager
def _for(seconds: float, meter: Run) -> Iterator[None]:
    with anyio.move_on_after(seconds) as limit:
        yield
    if limit.cancelled_caught:
        raise meter.late()
