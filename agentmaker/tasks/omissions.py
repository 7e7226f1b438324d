"""What was left out: the first of it by name, the rest by number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from agentmaker.tasks.package import Omission, Reason

if TYPE_CHECKING:
    from agentmaker.tasks.candidates import Item, Key

LISTED = 256
"""Omissions that a package lists; a task may have many thousand items."""


@dataclass(slots=True)
class OmissionLog:
    """Takes down what is left out of one package."""

    listed: list[Omission] = field(default_factory=list)
    unlisted: Counter[str] = field(default_factory=Counter)

    def add(self, item: Item, reason: Reason, detail: str = "") -> None:
        self._add(
            Omission(
                binding_id=item.bound.id,
                ref=item.descriptor.ref,
                reason=reason,
                detail=detail,
                label=item.label,
            )
        )

    def refuse(self, ref: str) -> None:
        self._add(Omission(binding_id="", ref=ref, reason="unauthorized"))

    def skip(self, items: Iterable[Item]) -> None:
        for item in items:
            self.add(item, "explicitly_skipped")

    def rest(
        self, items: Iterable[Item], number: int, seen: Collection[Key], reason: Reason
    ) -> None:
        """All *number* of *items* but those *seen*; no more of them are looked at than listed."""
        left = number - len(seen)
        for item in items:
            if left <= 0 or len(self.listed) >= LISTED:
                break
            if item.key not in seen:
                self.add(item, reason)
                left -= 1
        if left > 0:
            self.unlisted[reason] += left

    def _add(self, omission: Omission) -> None:
        if len(self.listed) < LISTED:
            self.listed.append(omission)
        else:
            self.unlisted[omission.reason] += 1
