"""What deserves a place in the window."""

from __future__ import annotations

from typing import TYPE_CHECKING

__all__ = [
    "REDUCERS",
    "ReducerConfig",
    "reduce_agent",
    "reduce_plan",
    "reduce_reflection",
    "tokens_of",
]

if TYPE_CHECKING:
    from agentmaker.context.reducers import (
        REDUCERS,
        ReducerConfig,
        reduce_agent,
        reduce_plan,
        reduce_reflection,
        tokens_of,
    )
else:

    def __getattr__(name: str) -> object:
        # Most of what is in here needs none of them, and they need most of what is in here.
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from agentmaker.context import reducers

        return getattr(reducers, name)
