"""What a model is told of what it is not shown: a few names, and how many there are by reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from agentmaker.tasks.omissions import OmissionLog
from agentmaker.tasks.package import Block, Reason, joined_text
from agentmaker.tasks.reader_options import ReaderOptions

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


def omitted_note(omissions: OmissionLog, blocks: Sequence[Block], options: ReaderOptions) -> str:
    """The longest note that fits beside *blocks* in the budget, "" where none does."""
    told = [each for each in omissions.listed if each.reason in _TOLD]
    counts = Counter[str](each.reason for each in told)
    counts.update({why: number for why, number in omissions.unlisted.items() if why in _TOLD})
    if not counts:
        return ""
    heading = options.prompts.render("task.omitted", counts=_listed(counts))
    lines = [f"- {' '.join(each.label.split())} ({each.reason})" for each in told[:DETAILS]]
    shown = [block.shown for block in blocks]
    for number in range(len(lines), -1, -1):
        note = "\n".join((heading, *lines[:number]))
        if options.budget is None or options.counter(joined_text(shown, note)) <= options.budget:
            return note
    return ""


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{number} {reason}" for reason, number in sorted(counts.items()))
