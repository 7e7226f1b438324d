"""One at a time in a process: a block that the next one with the same key waits for.

- Those who wait get their turn in the order they came; who is cancelled loses it, nobody else.
- Each event loop has its own order: what one loop waits for, another cannot wake.
- Where nobody is at work, nothing is kept.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager
from contextvars import ContextVar

import anyio
from anyio.lowlevel import EventLoopToken, current_token

from agentmaker.errors import SessionError

_DEEPEST = 16
"""Blocks inside each other that are remembered."""


class _Gate:
    """Lets one in; *users* are those inside and before it."""

    def __init__(self) -> None:
        # No lock: a stream that is not read to its end is closed by another task.
        self.free = anyio.Semaphore(1, max_value=1)
        self.users = 0
        self.holder: object = None


_gates: dict[tuple[EventLoopToken, Hashable], _Gate] = {}
_held: ContextVar[tuple[object, ...]] = ContextVar("agentmaker_held", default=())


@asynccontextmanager
async def exclusive(key: Hashable) -> AsyncIterator[None]:
    """Wait until no other task of this event loop is inside with the same *key*.

    Raises:
        SessionError: the one inside is the one who asks, and would wait for itself.
    """
    here = (current_token(), key)
    gate = _gates.setdefault(here, _Gate())
    _refuse_to_wait_for_oneself(gate)
    gate.users += 1
    try:
        async with gate.free:
            gate.holder = object()
            _held.set((*_held.get()[-_DEEPEST:], gate.holder))
            try:
                yield
            finally:
                gate.holder = None
    finally:
        gate.users -= 1
        if not gate.users:
            del _gates[here]


def _refuse_to_wait_for_oneself(gate: _Gate) -> None:
    if gate.holder is not None and gate.holder in _held.get():
        raise SessionError(
            "this session is taken by the very run that asks for it: "
            "give the run inside it a session of its own"
        )
