"""What a model may call a block, and the host's way from there back to its source.

Every id ends in a hash over the item, its revision and what the package was asked for: it stays
the same while they do, and a text that makes one up names nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from agentmaker.tasks.digest import digest
from agentmaker.tasks.package import Block, Diagnostic, Ref

_DIGITS = 10


def reference_id(*facts: Any) -> str:
    """What a block of these *facts* is called, wherever it stands: ``r-0f3a97c2d1``."""
    return f"r-{digest('reference', *facts)[:_DIGITS]}"


def joined(
    blocks: Sequence[Block], refs: Sequence[Ref]
) -> tuple[tuple[Block, ...], tuple[Ref, ...], tuple[Diagnostic, ...]]:
    """Blocks and refs that belong to each other one to one; text of any other is dropped."""
    shown = Counter(block.reference_id for block in blocks)
    kept = Counter(ref.reference_id for ref in refs)
    good = {key for key, count in shown.items() if count == 1 and kept[key] == 1}
    return (
        tuple(block for block in blocks if block.reference_id in good),
        tuple(ref for ref in refs if ref.reference_id in good),
        tuple(_problems((key for key in shown if key not in good), kept)),
    )


def _problems(keys: Iterable[str], kept: Counter[str]) -> Iterable[Diagnostic]:
    for key in keys:
        code = "join_ambiguous" if kept[key] else "join_missing"
        yield Diagnostic(code=code, detail="a block was dropped")
