"""Lets a selector choose among the candidates, and holds it to them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, TypeAlias

import anyio

from agentmaker.errors import ConfigError
from agentmaker.memory.resize import called
from agentmaker.tasks.candidates import Item, Key
from agentmaker.tasks.package import Reason

_LONGEST = 1_000
"""Characters of a summary."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One item to choose: *key* is good for this request only, the rest is text of a source."""

    key: str
    label: str
    role: str
    summary: str
    size: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionRequest:
    """What a selector is asked.

    Attributes:
        candidates: the likeliest first.
        max_blocks: so many of them can be shown at most.
        budget: tokens there are for all of them, None for no bound.
    """

    consumer: str
    phase: str
    query: str
    candidates: tuple[Candidate, ...]
    max_blocks: int
    budget: int | None


Selector: TypeAlias = Callable[[SelectionRequest], Iterable[str] | Awaitable[Iterable[str]]]
"""Returns the keys it wants in the order it wants them: fewer than it was given, or none."""


@dataclass(frozen=True, slots=True)
class Selection:
    """What was chosen; or, with *reason*, why nothing was."""

    items: tuple[Item, ...] = ()
    reason: Reason | None = None
    detail: str = ""


@dataclass(slots=True)
class SelectorGate:
    """Asks one selector for one read; the same candidates are not asked about twice.

    Fails closed: a selector that fails, is late or names what it was not given chooses nothing.
    """

    selector: Selector
    timeout: float | None
    _made: dict[tuple[Key, ...], Selection] = field(default_factory=dict)

    async def choose(self, items: Sequence[Item], request: SelectionRequest) -> Selection:
        """What the selector wants of *items*, which stand in the request as ``candidates``."""
        keys = tuple(item.key for item in items)
        if keys not in self._made:
            self._made[keys] = await self._choose(items, request)
        made = self._made[keys]
        # The items of a newer revision take the place of those that were chosen.
        now = {item.key: item for item in items}
        return Selection(tuple(now[each.key] for each in made.items), made.reason, made.detail)

    async def _choose(self, items: Sequence[Item], request: SelectionRequest) -> Selection:
        try:
            with anyio.fail_after(self.timeout):
                chosen = _listed(await called(self.selector, request), len(items))
        except TimeoutError:
            return Selection(reason="selection_failed", detail="late")
        except Exception as error:
            return Selection(reason="selection_failed", detail=type(error).__name__)
        offered = {each.key: item for each, item in zip(request.candidates, items, strict=True)}
        return _checked(chosen, offered)


def candidates_of(items: Sequence[Item]) -> tuple[Candidate, ...]:
    """*items* as a selector is shown them."""
    return tuple(
        Candidate(
            key=f"c{place}",
            label=item.label,
            role=item.descriptor.role,
            summary=item.descriptor.summary[:_LONGEST],
            size=item.descriptor.size,
        )
        for place, item in enumerate(items, 1)
    )


def check_selector(given: Any) -> Selector | None:
    """Check what a user gives as ``semantic_selector``.

    Raises:
        ConfigError: it cannot be called.
    """
    if given is None or (callable(given) and not isinstance(given, type)):
        selector: Selector | None = given
        return selector
    raise ConfigError(
        "semantic_selector is a function of a SelectionRequest that returns keys: pass one, "
        "such as ModelSelector(client)"
    )


def _listed(chosen: object, most: int) -> object:
    """*chosen* as a list, no longer than it takes to see that it names too many."""
    if isinstance(chosen, (str, bytes)) or not isinstance(chosen, Iterable):
        return chosen
    return list(islice(chosen, most + 1))


def _checked(keys: object, offered: Mapping[str, Item]) -> Selection:
    if not isinstance(keys, list):
        return Selection(reason="selection_invalid", detail=f"{type(keys).__name__} is no list")
    if any(not isinstance(key, str) or key not in offered for key in keys):
        return Selection(reason="selection_invalid", detail="unknown key")
    if len(set(keys)) < len(keys):
        return Selection(reason="selection_invalid", detail="repeated key")
    return Selection(tuple(offered[key] for key in keys))
