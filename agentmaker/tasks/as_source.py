"""A package as the results of a context source."""

from __future__ import annotations

from dataclasses import fields

from agentmaker.context.results import RetrievalResult
from agentmaker.errors import ConfigError
from agentmaker.scope import Scope
from agentmaker.tasks.package import Block, ContextPackage


def check_scope(task: Scope | None, given: Scope | None) -> None:
    """Raises ConfigError: *given* is not whose task it is, in a part that the task names."""
    parts = [each.name for each in fields(Scope) if each.name != "agent"]
    for part in parts if task and given else ():
        wanted = getattr(task, part)
        if wanted is not None and getattr(given, part) != wanted:
            raise ConfigError(
                f"this task is of another {part}: make a TaskContext for the scope of this run"
            )


def results_of(package: ContextPackage, source: str) -> list[RetrievalResult]:
    """A result for each block, the first with the highest score."""
    shown = [block for block in package.blocks if block.text]
    return [
        _result(package, block, source, 1 - place / len(shown)) for place, block in enumerate(shown)
    ]


def _result(package: ContextPackage, block: Block, source: str, score: float) -> RetrievalResult:
    return RetrievalResult(
        block.shown,
        score,
        source,
        id=block.reference_id,
        metadata={
            "reference_id": block.reference_id,
            "ref": package.resolve(block.reference_id),
            "revision": package.revision,
            "completeness": block.completeness,
        },
    )
