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
    from agentmaker.lazy import names_of

    # Most of what is in here needs none of them, and they need most of what is in here.
    __getattr__, __dir__ = names_of(__name__, dict.fromkeys(__all__, "context.reducers"))
