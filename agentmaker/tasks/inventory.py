"""What a source has, as it was last told: in order, and with a revision of its own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from agentmaker.tasks.digest import digest
from agentmaker.tasks.source import Descriptor, Problem

_NUMBERS = re.compile(r"(\d+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Inventory:
    """The items of one source at one *revision*, by ref, in order.

    Attributes:
        failed: why the source could not be asked, "" when it could; then it offers nothing.
        known: what it said last, whether or not it could be asked this time.
    """

    revision: str
    known: dict[str, Descriptor] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    failed: str = ""

    @property
    def descriptors(self) -> Mapping[str, Descriptor]:
        return {} if self.failed else self.known

    def failing(self, reason: str) -> Inventory:
        """The same source when it cannot be asked: what it told before may be untrue by now."""
        if self.failed == reason:
            return self
        return replace(self, revision=digest("failed", reason), failed=reason)


UNASKED = Inventory(revision=digest("unasked"), failed="not asked yet")


def inventory_of(told: dict[str, Descriptor], problems: Sequence[Problem]) -> Inventory:
    facts = [[each.ref, each.reason] for each in problems]
    revision = digest(facts, *(facts_of(each) for each in told.values()))
    return Inventory(revision=revision, known=told, problems=tuple(problems))


def facts_of(item: Descriptor) -> list[Any]:
    """All that a descriptor says; its metadata may hold when and where that was."""
    claims = [item.required, item.priority]
    words = [item.ref, item.revision, item.role, item.title, item.summary, item.parent]
    return [*words, item.size, *claims]


def by_ref(items: Iterable[Descriptor]) -> dict[str, Descriptor]:
    """*items* in the order of their refs, numbers as numbers, however they came."""
    return {each.ref: each for each in sorted(items, key=lambda each: _natural(each.ref))}


def _natural(ref: str) -> tuple[list[tuple[int, int, str]], str]:
    # A number beyond what int() reads is compared as text.
    parts = [part for part in _NUMBERS.split(ref) if part]
    return [_part(part) for part in parts], ref


def _part(part: str) -> tuple[int, int, str]:
    return (0, int(part), "") if part.isdecimal() and len(part) < 100 else (1, 0, part)
