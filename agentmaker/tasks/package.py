"""What a reader gives: blocks of text, where they come from, and what was left out and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, Literal, TypeAlias

from agentmaker.calls.forms.fence import fence
from agentmaker.context.rendering.data import AS_TEXT
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
        ref: the name of the item within its source, at *revision*.
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
        tokens: of *shown* and what parts it from the next.
        note: the line above the text when it is shown.
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
    note: str = ""

    @property
    def shown(self) -> str:
        """The text as a model sees it: between marks that it cannot forge, under its note."""
        return shown(self.text, self.note) if self.text else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Omission:
    """Something that could have been shown and was not; a model is shown its *label* only."""

    binding_id: str
    ref: str
    reason: Reason
    detail: str = ""
    label: str = ""


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
        authorised: items the consumer may see.
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
    """What one consumer may see of a task for one query, at one revision of the task.

    Two reads of unchanged sources give equal packages, in any process.

    Attributes:
        revision: of all that the consumer may see; the task's own where nothing is hidden from it.
        omissions: the first of each kind; those that are not listed are counted in *unlisted*.
        unlisted: how many more there are, by reason.
        omitted: what a model is told of the omissions, a heading and lines, in the same budget.
        embedding: what this read took; not compared, nor part of ``to_dict``, since the next
            read of the same finds its embeddings made.
    """

    revision: str
    consumer: str
    phase: str
    query: str
    blocks: tuple[Block, ...] = ()
    refs: tuple[Ref, ...] = ()
    omissions: tuple[Omission, ...] = ()
    unlisted: Mapping[str, int] = field(default_factory=dict)
    omitted: str = ""
    coverage: Coverage = field(default_factory=Coverage)
    diagnostics: tuple[Diagnostic, ...] = ()
    embedding: EmbeddingUsage = field(default_factory=EmbeddingUsage, compare=False)
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """All of it as a model sees it; "" when nothing was disclosed or left out."""
        return joined_text([block.shown for block in self.blocks], self.omitted)

    @property
    def omission_counts(self) -> dict[str, int]:
        """How many items were left out, by reason."""
        counts = Counter[str](each.reason for each in self.omissions)
        counts.update(self.unlisted)
        return dict(sorted(counts.items()))

    def resolve(self, reference_id: str) -> Ref | None:
        """Where the block that a model names is; None for an id that was not issued."""
        return next((ref for ref in self.refs if ref.reference_id == reference_id), None)

    def to_dict(self) -> dict[str, Any]:
        """The package as JSON, the same bytes for the same package."""
        from agentmaker.tasks.package_json import to_dict

        return to_dict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ContextPackage:
        """The package that ``to_dict`` was made of.

        A block without exactly one ref is left out, with a diagnostic.

        Raises:
            ConfigError: *data* is no package.
        """
        from agentmaker.tasks.package_json import from_dict

        return from_dict(data)


AS_TEXT[ContextPackage] = attrgetter("text")  # as info: refs and omissions stay on the host


def shown(text: str, note: str) -> str:
    """*text* of a source as a model sees it."""
    return fence(text, kind="source", note=note)


def joined_text(blocks: list[str], omitted: str) -> str:
    """Blocks and the note on what was left out, as they stand in a prompt."""
    note, _, lines = omitted.partition("\n")
    left_out = fence(lines, kind="omitted", note=note) if omitted else ""
    return "\n\n".join(filter(None, [*blocks, left_out]))
