"""What a reader gives: blocks of text, where they come from, and what was left out and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from agentmaker.memory.index.values import EmbeddingUsage

Completeness: TypeAlias = Literal["complete", "truncated", "ref_only", "empty", "failed"]

Reason: TypeAlias = Literal[
    "already_disclosed",
    "not_selected",
    "explicitly_skipped",
    "selection_budget_exhausted",
    "semantic_selector_unavailable",
    "selection_failed",
    "selection_invalid",
    "covered_by_complete_parent",
    "block_budget_exhausted",
    "size_budget_exhausted",
    "read_failed",
    "unauthorized",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ref:
    """Where a block's text is: kept on the host, never shown to a model.

    Attributes:
        reference_id: what a model is shown instead; issued for this package.
        binding_id: the binding of the task it was read through.
        source_id: the source, at *source_revision*.
        ref: the name of the thing within its source, at *revision*.
    """

    reference_id: str
    binding_id: str
    source_id: str
    source_revision: str
    ref: str
    revision: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One stretch of text that may be shown.

    Attributes:
        reference_id: its `Ref`.
        label: its source and title as a model may see them.
        start: the character of the whole that *text* begins with.
        size: characters of the whole.
        tokens: of *text*.
    """

    reference_id: str
    role: str
    label: str
    text: str
    completeness: Completeness
    start: int = 0
    size: int = 0
    tokens: int = 0
    required: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Omission:
    """Something that could have been shown and was not."""

    binding_id: str
    ref: str
    reason: Reason
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """Something that went otherwise than it should, in a few words without content."""

    code: str
    binding_id: str = ""
    ref: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """How much of what the consumer is allowed to see was looked at.

    Attributes:
        authorised: things the consumer may see.
        candidates: of these, what the filters left.
        considered: of these, what stood in the descriptor window.
        disclosed: blocks with text.
        complete: of these, blocks with all of their text.
        tokens: of all blocks.
        budget: the tokens there were, None for no bound.
    """

    authorised: int = 0
    candidates: int = 0
    considered: int = 0
    disclosed: int = 0
    complete: int = 0
    tokens: int = 0
    budget: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextPackage:
    """What one consumer may see of a task for one query, at one revision of the task."""

    revision: str
    consumer: str
    phase: str
    query: str
    blocks: tuple[Block, ...] = ()
    refs: tuple[Ref, ...] = ()
    omissions: tuple[Omission, ...] = ()
    coverage: Coverage = field(default_factory=Coverage)
    diagnostics: tuple[Diagnostic, ...] = ()
    embedding: EmbeddingUsage = field(default_factory=EmbeddingUsage)
    metadata: Mapping[str, Any] = field(default_factory=dict)
