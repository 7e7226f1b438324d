"""Asks a source what it has, and takes nothing it says for granted."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import anyio
import anyio.lowlevel
from anyio import to_thread

from agentmaker.tasks.inventory import by_ref
from agentmaker.tasks.source import (
    Changing,
    Descriptor,
    Page,
    Problem,
    TaskSource,
    Unreadable,
)

_MOST = 500_000
"""Items of one source."""

_IDLE = 256
"""Pages on end that tell nothing new."""

_ENDLESS = "its pages have no end"


@dataclass(slots=True)
class Enumeration:
    """What a source told: all items by ref, in order, and what was wrong with some of them."""

    descriptors: dict[str, Descriptor] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def take(self, items: Iterable[object]) -> None:
        """Add *items* that can be told apart.

        Raises:
            Unreadable: there is no end of them.
        """
        for each in items:
            if len(self.descriptors) + len(self.problems) >= _MOST:
                raise Unreadable(_ENDLESS)
            if not isinstance(each, Descriptor) or not _is_sound(each):
                self.problems.append(Problem("", "invalid", "no descriptor, or not of its types"))
            elif each.ref in self.descriptors:
                self.problems.append(Problem(each.ref, "invalid", "told twice"))
            else:
                self.descriptors[each.ref] = each

    def note(self, problems: Iterable[object]) -> None:
        """Add *problems* that are some."""
        self.problems.extend(
            each
            for each in problems
            if isinstance(each, Problem) and _are_text(each.ref, each.reason, each.detail)
        )


def _is_sound(item: Descriptor) -> bool:
    # No ref is "": that is the parent of what has none.
    words = item.ref, item.revision, item.role, item.title, item.summary, item.parent
    numbers: tuple[object, ...] = (item.size or 0, item.priority, item.required)
    return (
        _are_text(*words)
        and item.ref != ""
        and all(isinstance(each, int) for each in numbers)
        and (item.metadata == {} or _is_json(item.metadata))
    )


def _are_text(*given: object) -> bool:
    return all(isinstance(each, str) for each in given)


def _is_json(metadata: object) -> bool:
    try:
        json.dumps(metadata, sort_keys=True, default=str)
    except (TypeError, ValueError, RecursionError):
        return False
    return isinstance(metadata, Mapping)


async def enumerate_source(
    source: TaskSource, known: dict[str, Descriptor], seconds: float | None
) -> Enumeration:
    """Everything *source* has now, where *known* is what it told before, in the order of refs.

    Raises:
        TimeoutError: one page took longer than so many *seconds*.
        Exception: whatever the source raises.
    """
    if isinstance(source, Changing):
        return await _changed(source, known, seconds)
    pages = aiter(source.pages())
    try:
        return await _paged(pages, seconds)
    finally:
        await _close(pages)


async def _paged(pages: AsyncIterator[Page], seconds: float | None) -> Enumeration:
    found, idle = Enumeration(), 0
    while (page := await _next(pages, seconds)) is not None:
        before = len(found.descriptors)
        found.take(page.descriptors)
        found.note(page.problems)
        idle = 0 if len(found.descriptors) > before else idle + 1
        if idle >= _IDLE:
            raise Unreadable(_ENDLESS)
        await anyio.lowlevel.checkpoint()  # a source that never waits lets others work
    return found


async def _changed(
    source: Changing, known: dict[str, Descriptor], seconds: float | None
) -> Enumeration:
    with anyio.fail_after(seconds):
        changes = await source.changes(MappingProxyType(known))
    found = Enumeration()
    found.note(changes.problems)
    found.take(changes.descriptors)
    if not found.descriptors and not changes.gone:
        found.descriptors = known
    else:
        found.descriptors = await to_thread.run_sync(
            _merged, known, found.descriptors, frozenset(changes.gone)
        )
    return found


def _merged(
    known: dict[str, Descriptor], told: dict[str, Descriptor], gone: Collection[str]
) -> dict[str, Descriptor]:
    """*known* with what is *told* now; put in order only for new refs."""
    left = {ref: told.pop(ref, each) for ref, each in known.items() if ref not in gone}
    return by_ref((*left.values(), *told.values())) if told else left


async def _next(pages: AsyncIterator[Page], seconds: float | None) -> Page | None:
    with anyio.fail_after(seconds):
        return await anext(pages, None)


async def _close(pages: AsyncIterator[Page]) -> None:
    close = getattr(pages, "aclose", None)
    if close is not None:
        await close()
