"""What a model is told of what it is not shown: a few names, and how many there are by reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from agentmaker.prompts import PromptRegistry
from agentmaker.tasks.package import Block, Omission, Reason, joined_text
from agentmaker.tokens import TokenCounter

DETAILS = 8
"""Omissions that a model is told by name."""

_TOLD: frozenset[Reason] = frozenset(
    {
        "not_selected",
        "selection_budget_exhausted",
        "selection_failed",
        "selection_invalid",
        "block_budget_exhausted",
        "size_budget_exhausted",
        "read_failed",
    }
)
"""The others say nothing that a model could ask for."""


def omitted_note(
    omissions: Sequence[Omission],
    unlisted: Mapping[str, int],
    blocks: Sequence[Block],
    budget: int | None,
    prompts: PromptRegistry,
    counter: TokenCounter,
) -> str:
    """The longest note that fits beside *blocks* in *budget* tokens, "" where none does."""
    told = [each for each in omissions if each.reason in _TOLD]
    counts = Counter[str](each.reason for each in told)
    counts.update({reason: number for reason, number in unlisted.items() if reason in _TOLD})
    if not counts:
        return ""
    heading = prompts.render("task.omitted", counts=_listed(counts))
    lines = [f"- {' '.join(each.label.split())} ({each.reason})" for each in told[:DETAILS]]
    shown = [block.shown for block in blocks]
    for number in range(len(lines), -1, -1):
        note = "\n".join((heading, *lines[:number]))
        if budget is None or counter(joined_text(shown, note)) <= budget:
            return note
    return ""


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{number} {reason}" for reason, number in sorted(counts.items()))
