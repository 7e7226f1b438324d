"""A scoped retrieval: several queries for one package, its results reserved beforehand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass

from agentmaker.context.knobs import check_count
from agentmaker.errors import ConfigError
from agentmaker.tasks.filters import Names, names

MOST_RESULTS = 64
"""Results that the groups of one plan may reserve together."""


@dataclass(frozen=True, slots=True)
class QueryGroup:
    """One query of a plan, over what its filters leave; at most *max_results* of it are read.

    Raises:
        ConfigError: *max_results* is below 1, or a filter is no list of strings.
        TypeError: *query* is no string.
    """

    query: str
    _: KW_ONLY
    paths: Names = ()
    roles: Names = ()
    bindings: Names = ()
    max_results: int = 8

    def __post_init__(self) -> None:
        check_query(self.query)
        check_count("max_results", self.max_results, least=1)
        for field in ("paths", "roles", "bindings"):
            object.__setattr__(self, field, names(field, getattr(self, field)))


@dataclass(frozen=True, slots=True)
class RetrievalPlan:
    """Queries that are answered together, at one revision of the task.

    Raises:
        ConfigError: there is no group, or they reserve more than 64 results together.
    """

    groups: Sequence[QueryGroup]

    def __post_init__(self) -> None:
        object.__setattr__(self, "groups", tuple(self.groups))
        if not self.groups or not all(isinstance(each, QueryGroup) for each in self.groups):
            raise ConfigError("a plan is a list of groups: RetrievalPlan([QueryGroup(...), ...])")
        reserved = sum(group.max_results for group in self.groups)
        if reserved > MOST_RESULTS:
            raise ConfigError(
                f"the plan reserves {reserved} results where {MOST_RESULTS} may be visible: "
                "lower max_results, or part it into plans that are read one after the other"
            )


def check_plan(plan: object) -> None:
    if not isinstance(plan, RetrievalPlan):
        kind = type(plan).__name__
        raise ConfigError(f"{kind} is no plan: give RetrievalPlan([QueryGroup(...), ...])")


def check_query(query: object) -> str:
    """*query*, which may be empty: then items stand in the order of their sources."""
    if isinstance(query, str):
        return query
    raise TypeError(f"a query is a string, not {type(query).__name__}: pass its text")
