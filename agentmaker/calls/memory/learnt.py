"""What servers said of themselves when they refused: what they hold, and how they want it said."""

from __future__ import annotations

from collections.abc import Callable

from agentmaker.calls.call import Call
from agentmaker.calls.forms.dialects import Dialect
from agentmaker.calls.memory.remembered import Remembered

LASTING = 3_600.0
"""Seconds that a limit holds: a server may be started anew with a larger window."""

MOST = 1_000
"""So many models, and requests, are remembered."""


class LearntLimits:
    """Tokens by model; the oldest are forgotten first."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._limits: Remembered[str, tuple[int, float]] = Remembered(MOST)

    def of(self, model: str) -> int | None:
        """What *model* holds as far as its server said lately."""
        limit, until = self._limits.get(model) or (None, 0.0)
        return limit if self._clock() < until else None

    def learn(self, model: str, limit: int) -> None:
        """Remember that *model* holds *limit* tokens."""
        self._limits.put(model, (limit, self._clock() + LASTING))


class LearntDialects:
    """The dialects that servers asked for: for the request itself, and for a model that learns.

    A request that is sent again for another reason is said at once as its server wants it.
    """

    def __init__(self) -> None:
        self._requests: Remembered[str, Dialect] = Remembered(MOST)
        self._models: Remembered[tuple[str, Dialect], Dialect] = Remembered(MOST)

    def of(self, call: Call) -> Dialect:
        """The dialect to say *call* in."""
        dialect = call.setting.dialect
        asked_for = self._requests.get(call.request_id)
        return asked_for or self._models.get((call.model, dialect)) or dialect

    def try_out(self, call: Call, dialect: Dialect) -> None:
        """Say *call* in *dialect* from now on."""
        self._requests.put(call.request_id, dialect)

    def learn(self, call: Call, dialect: Dialect) -> None:
        """Say every call like *call* in *dialect*, where its own one learns."""
        if call.setting.dialect.learns:
            self._models.put((call.model, call.setting.dialect), dialect)
