"""What deserves a place in the window."""

from agentmaker.context.reducers import (
    REDUCERS,
    ReducerConfig,
    reduce_agent,
    reduce_plan,
    reduce_reflection,
    tokens_of,
)

__all__ = [
    "REDUCERS",
    "ReducerConfig",
    "reduce_agent",
    "reduce_plan",
    "reduce_reflection",
    "tokens_of",
]
