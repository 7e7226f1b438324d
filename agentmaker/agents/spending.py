"""What a run has spent, as the JSON that is kept of it, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentmaker.calls.call import Usage
from agentmaker.calls.limits import Run, RunPolicy


def spent_by(meter: Run, children: Mapping[str, Run]) -> dict[str, Any]:
    """What a run has spent, as JSON, and what *children* have of that."""
    spent = {"calls": meter.calls, "tokens": meter.tokens, "usage": meter.usage.counts()}
    if not children:
        return spent
    return {**spent, "children": {id: spent_by(each, {}) for id, each in children.items()}}


def children_of(spent: Mapping[str, Any]) -> dict[str, Run]:
    """What sub-agents had spent of that, by their runs."""
    children: Mapping[str, Any] = spent.get("children", {})
    return {id: meter_of(RunPolicy(), each) for id, each in children.items()}


def meter_of(policy: RunPolicy, spent: Mapping[str, Any], *, parent: Run | None = None) -> Run:
    """A meter that goes on from what was spent before."""
    if not spent:
        return Run(policy, parent=parent)
    usage = Usage(**spent["usage"])
    return Run(policy, calls=spent["calls"], tokens=spent["tokens"], usage=usage, parent=parent)
