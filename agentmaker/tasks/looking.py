"""Asks a source what it has, and takes nothing it says for granted."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import anyio
import anyio.lowlevel
from anyio import to_thread

from agentmaker.tasks.listing import by_ref
from agentmaker.tasks.source import (
    Changing,
    Descriptor,
    Page,
    Problem,
    TaskSource,
    Unreadable,
)

_MOST = 500_000
"""Things of one source."""

_IDLE = 256
"""Pages on end that tell nothing new."""

_ENDLESS = "its pages have no end"


@dataclass(slots=True)
class Look:
    """What a source told: all things by ref, in order, and what was wrong with some of them."""

    told: dict[str, Descriptor] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def take(self, things: Iterable[object]) -> None:
        """Add *things* that can be told apart.

        Raises:
            Unreadable: there is no end of them.
        """
        for each in things:
            if len(self.told) + len(self.problems) >= _MOST:
                raise Unreadable(_ENDLESS)
            if not isinstance(each, Descriptor) or not _is_sound(each):
                self.problems.append(Problem("", "invalid", "no descriptor, or not of its types"))
            elif each.ref in self.told:
                self.problems.append(Problem(each.ref, "invalid", "told twice"))
            else:
                self.told[each.ref] = each

    def note(self, problems: Iterable[object]) -> None:
        """Add *problems* that are some."""
        self.problems.extend(
            each
            for each in problems
            if isinstance(each, Problem) and _are_text(each.ref, each.reason, each.detail)
        )


def _is_sound(thing: Descriptor) -> bool:
    # No ref is "": that is the parent of what has none.
    words = thing.ref, thing.revision, thing.role, thing.title, thing.summary, thing.parent
    numbers: tuple[object, ...] = (thing.size or 0, thing.priority, thing.required)
    return (
        _are_text(*words)
        and thing.ref != ""
        and all(isinstance(each, int) for each in numbers)
        and (thing.metadata == {} or _is_json(thing.metadata))
    )


def _are_text(*given: object) -> bool:
    return all(isinstance(each, str) for each in given)


def _is_json(metadata: object) -> bool:
    try:
        json.dumps(metadata, sort_keys=True, default=str)
    except (TypeError, ValueError, RecursionError):
        return False
    return isinstance(metadata, Mapping)


async def look(source: TaskSource, known: dict[str, Descriptor], seconds: float | None) -> Look:
    """Everything *source* has now, where *known* is what it told before, in the order of refs.

    Raises:
        TimeoutError: one page took longer than so many *seconds*.
        Exception: whatever the source raises.
    """
    if isinstance(source, Changing):
        return await _changed(source, known, seconds)
    found = Look()
    pages = aiter(source.pages())
    idle = 0
    try:
        while (page := await _next(pages, seconds)) is not None:
            before = len(found.told)
            found.take(page.descriptors)
            found.note(page.problems)
            idle = 0 if len(found.told) > before else idle + 1
            if idle >= _IDLE:
                raise Unreadable(_ENDLESS)
            await anyio.lowlevel.checkpoint()  # a source that never waits lets others work
    finally:
        await _close(pages)
    return found


async def _changed(source: Changing, known: dict[str, Descriptor], seconds: float | None) -> Look:
    with anyio.fail_after(seconds):
        changes = await source.changes(MappingProxyType(known))
    found = Look()
    found.note(changes.problems)
    found.take(changes.descriptors)
    if not found.told and not changes.gone:
        found.told = known
    else:
        found.told = await to_thread.run_sync(_merged, known, found.told, frozenset(changes.gone))
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
