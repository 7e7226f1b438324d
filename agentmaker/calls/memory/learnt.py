"""The windows that servers stated when they refused a prompt, remembered for a while."""

from __future__ import annotations

from collections.abc import Callable

LASTING = 3_600.0
"""Seconds: a server may be started anew with a larger window."""

MOST_MODELS = 1_000
"""Limits are remembered for so many models."""


class LearntLimits:
    """Tokens by model; the oldest are forgotten first."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._limits: dict[str, tuple[int, float]] = {}

    def of(self, model: str) -> int | None:
        """What *model* holds as far as its server said lately."""
        limit, until = self._limits.get(model, (None, 0.0))
        return limit if self._clock() < until else None

    def learn(self, model: str, limit: int) -> None:
        """Remember that *model* holds *limit* tokens."""
        self._limits.pop(model, None)
        self._limits[model] = limit, self._clock() + LASTING
        if len(self._limits) > MOST_MODELS:
            del self._limits[next(iter(self._limits))]
