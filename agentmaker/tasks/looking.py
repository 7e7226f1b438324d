"""Asks a source what it has, and takes nothing it says for granted."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Iterable
from dataclasses import dataclass, field
from types import MappingProxyType

import anyio
from anyio import to_thread

from agentmaker.tasks.listing import by_ref
from agentmaker.tasks.source import Changing, Descriptor, Page, Problem, TaskSource


@dataclass(slots=True)
class Look:
    """What a source told: all things by ref, in order, and what was wrong with some of them."""

    told: dict[str, Descriptor] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def take(self, things: Iterable[object]) -> None:
        """Add *things* that can be told apart."""
        for each in things:
            if not isinstance(each, Descriptor) or not _is_named(each):
                self.problems.append(Problem("", "invalid", "no descriptor"))
            elif each.ref in self.told:
                self.problems.append(Problem(each.ref, "invalid", "told twice"))
            else:
                self.told[each.ref] = each

    def note(self, problems: Iterable[object]) -> None:
        """Add *problems* that are some."""
        self.problems.extend(each for each in problems if isinstance(each, Problem))


def _is_named(thing: Descriptor) -> bool:
    given: tuple[object, ...] = (thing.ref, thing.revision)
    return all(isinstance(each, str) for each in given)


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
    try:
        while (page := await _next(pages, seconds)) is not None:
            found.take(page.descriptors)
            found.note(page.problems)
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
