"""What was left out: the first of it by name, the rest by number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from agentmaker.tasks.package import Omission, Reason

if TYPE_CHECKING:
    from agentmaker.tasks.things import Key, Thing

LISTED = 256
"""Omissions that a package lists; a task may have many thousand things."""


@dataclass(slots=True)
class Omitting:
    """Takes down what is left out of one package."""

    listed: list[Omission] = field(default_factory=list)
    unlisted: Counter[str] = field(default_factory=Counter)

    def add(self, thing: Thing, reason: Reason, detail: str = "") -> None:
        self._add(
            Omission(
                binding_id=thing.bound.id,
                ref=thing.told.ref,
                reason=reason,
                detail=detail,
                label=thing.label,
            )
        )

    def refuse(self, ref: str) -> None:
        self._add(Omission(binding_id="", ref=ref, reason="unauthorized"))

    def skip(self, things: Iterable[Thing]) -> None:
        for thing in things:
            self.add(thing, "explicitly_skipped")

    def rest(
        self, things: Iterable[Thing], number: int, seen: Collection[Key], reason: Reason
    ) -> None:
        """All *number* of *things* but those *seen*; no more of them are looked at than listed."""
        left = number - len(seen)
        for thing in things:
            if left <= 0 or len(self.listed) >= LISTED:
                break
            if thing.key not in seen:
                self.add(thing, reason)
                left -= 1
        if left > 0:
            self.unlisted[reason] += left

    def _add(self, omission: Omission) -> None:
        if len(self.listed) < LISTED:
            self.listed.append(omission)
        else:
            self.unlisted[omission.reason] += 1
