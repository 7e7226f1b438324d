"""Prepare the window."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from agentmaker.calls.call import Call, Reply, changed
from agentmaker.calls.middleware import Next, Step
from agentmaker.calls.room import TooDense
from agentmaker.calls.said import adapted
from agentmaker.context.turns import Turns
from agentmaker.errors import ContextWindowExceeded

DENSER = 1.01
"""How much denser than what was too dense a request is planned."""


class Assembly:
    """Runs *steps* over a call.

    A step that needs a summary sends a call of its own to *ask*, a chain from Limits
    down without Assembly, so summaries are limited and recorded like every request.
    """

    def __init__(self, steps: Sequence[Step], ask: Next) -> None:
        self.steps = steps
        self.ask = ask

    async def prepare(self, call: Call) -> Call:
        """The call as it will be sent; its clock stands still while a summary is asked for."""
        clock = _Clock(self.ask)
        prepared = await self._planned(call, clock)
        return changed(prepared, own_ms=prepared.own_ms + clock.own_ms)

    async def _planned(self, call: Call, clock: _Clock) -> Call:
        """The call, planned anew where what it is made of comes to more than was planned."""
        asked = call
        while True:
            try:
                return await self._through(call, clock)
            except TooDense as error:
                call = replace(call, density=error.density * DENSER)
            except ContextWindowExceeded:
                if asked.density or not _forgets(asked):
                    raise
                call = asked

    async def _through(self, call: Call, clock: _Clock) -> Call:
        for step in self.steps:
            call = await step(call, clock.ask)
            await clock.turns.turn()
        return call


def _forgets(call: Call) -> bool:
    """Whether what would refuse the call was learnt, and not often enough to be relied on."""
    if not call.setting.budget.calibrate:
        return False
    setting, window = call.setting, adapted(call).window
    known = setting.views.measurements.of(window.system, window.conversation, setting.counter)
    digest = setting.views.schemas.digest(window.tools)
    return setting.calibrations.forget_unsure(call.model, call.scope, known.digests, digest)


class _Clock:
    """Measures our own work: everything since it was made, less *ask* and the turns of others."""

    def __init__(self, ask: Next) -> None:
        self._ask = ask
        self._started = time.perf_counter()
        self._waited = 0.0
        self.turns = Turns()

    async def ask(self, call: Call) -> Reply:
        started = time.perf_counter()
        try:
            return await self._ask(call)
        finally:
            self._waited += time.perf_counter() - started

    @property
    def own_ms(self) -> float:
        return (time.perf_counter() - self._started - self._waited - self.turns.waited) * 1000
