"""A gate that holds replies back until a test opens it, from whatever thread it runs in."""

from __future__ import annotations

import threading
from contextlib import suppress

import anyio
from anyio.from_thread import BlockingPortal


class Gate:
    """Wait for something without sleeping: ``Delay(gate)`` answers once ``gate.open()`` ran.

    gate = Gate()
    server = ModelServer(Delay(gate, then="at last"))
    ...                     # the request hangs: look at what the program does meanwhile
    gate.open()

    An open gate stays open.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._opened = False
        self._waiting: dict[BlockingPortal, tuple[int, anyio.Event]] = {}

    @property
    def is_open(self) -> bool:
        return self._opened

    async def wait(self) -> None:
        """Return when the gate is open."""
        async with BlockingPortal() as portal:
            event = anyio.Event()
            with self._lock:
                if self._opened:
                    return
                self._waiting[portal] = (threading.get_ident(), event)
            try:
                await event.wait()
            finally:
                with self._lock:
                    self._waiting.pop(portal, None)

    def open(self) -> None:
        """Let everyone through, now and later."""
        with self._lock:
            self._opened = True
            waiting = list(self._waiting.items())
        for portal, (thread, event) in waiting:
            if thread == threading.get_ident():
                event.set()
            else:
                # A waiter that was cancelled meanwhile has closed its portal.
                with suppress(RuntimeError):
                    portal.start_task_soon(event.set)
