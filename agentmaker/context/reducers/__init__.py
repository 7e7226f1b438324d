"""Reducers: one for each paradigm of agent, each keeping what its paradigm lives on.

All of them

- return the object they were given when it fits the budget, and never change it;
- keep the newest parts word for word, and put one entry that begins with the paradigm's mark
  in the place of the others;
- return at most the budget, or raise `ContextWindowExceeded` when what must stay is larger;
- lose nothing to a failing summariser: its place is taken by an extract.
"""

from agentmaker.context.kept import ReducerConfig
from agentmaker.context.reducers.agent import reduce_agent
from agentmaker.context.reducers.base import Reducer, accepted, tokens_of
from agentmaker.context.reducers.condense import condense
from agentmaker.context.reducers.plan import reduce_plan
from agentmaker.context.reducers.reflection import reduce_reflection

REDUCERS: dict[str, Reducer] = {
    "agent": reduce_agent,
    "plan": reduce_plan,
    "reflection": reduce_reflection,
}

OF_ENTRIES = frozenset({"plan", "reflection"})
"""Kinds whose reducers take their paradigm's own entries instead of messages."""

__all__ = [
    "OF_ENTRIES",
    "REDUCERS",
    "Reducer",
    "ReducerConfig",
    "accepted",
    "condense",
    "reduce_agent",
    "reduce_plan",
    "reduce_reflection",
    "tokens_of",
]
