"""The sizes and digests of a conversation, taken once for every message."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from agentmaker.calls.memory.beginnings import Beginnings, begin_with
from agentmaker.calls.memory.written import Written, writings, written
from agentmaker.context.elastic import unit_sizes
from agentmaker.context.growing import Growing
from agentmaker.context.sizes import Units
from agentmaker.digests import hashed
from agentmaker.messages import Message, joined_units
from agentmaker.tokens import TokenCounter


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """What a conversation weighs.

    Attributes:
        spans: for each unit, which messages it has.
        units: their sizes.
        digests: of every beginning; item n covers the system messages and n messages more.
        characters: of the JSON of all messages.
    """

    system: tuple[Message, ...]
    messages: tuple[Message, ...]
    counter: TokenCounter
    spans: Growing[range]
    units: Units
    digests: Growing[bytes]
    characters: int = 0

    def begins(
        self, system: tuple[Message, ...], messages: tuple[Message, ...], counter: TokenCounter
    ) -> bool:
        same = self.counter is counter and self.system == system
        return same and begin_with(messages, self.messages)

    def but_last_unit(self) -> Measured:
        """What of it holds where its last unit grows."""
        units, length = len(self.spans) - 1, self.spans[-1].start
        return replace(
            self,
            messages=self.messages[:length],
            spans=self.spans.upto(units),
            units=self.units.upto(units),
            digests=self.digests.upto(length + 1),
        )


_Found = tuple[tuple[Message, ...], tuple[Message, ...], TokenCounter, Measured | None]
"""What was asked last, and what was found: of one call it is asked more than once."""


class Measurements:
    """The last *maximum* conversations measured."""

    def __init__(self, maximum: int = 1_000) -> None:
        self.writings = writings()
        self._known: Beginnings[Measured] = Beginnings(maximum)
        self._found: _Found | None = None

    def of(
        self, system: tuple[Message, ...], messages: tuple[Message, ...], counter: TokenCounter
    ) -> Measured:
        """Measure *messages*; what was measured before as the same objects is not again."""
        known = self._longest(system, messages, counter)
        if known is not None and len(known.messages) == len(messages):
            measured = known
        else:
            measured = self._longer(known or self._nothing(system, counter), messages)
        mark = partial(_mark, messages)
        self._known.put(measured, len(messages), mark, known, measured.characters)
        self._found = system, messages, counter, measured
        return measured

    def known(
        self, system: tuple[Message, ...], messages: tuple[Message, ...], counter: TokenCounter
    ) -> int:
        """How many of *messages* have been measured."""
        known = self._longest(system, messages, counter)
        return 0 if known is None else len(known.messages)

    def _longest(
        self, system: tuple[Message, ...], messages: tuple[Message, ...], counter: TokenCounter
    ) -> Measured | None:
        found = self._found
        if found and found[0] is system and found[1] is messages and found[2] is counter:
            return found[3]
        known = self._known.longest(
            len(messages),
            partial(_mark, messages),
            lambda known: known.begins(system, messages, counter),
        )
        self._found = system, messages, counter, known
        return known

    def _nothing(self, system: tuple[Message, ...], counter: TokenCounter) -> Measured:
        begun = hashed(*(self.writings.of(message).json for message in system))
        return Measured(system, (), counter, Growing(), Units(), Growing([begun]))

    def _longer(self, known: Measured, messages: tuple[Message, ...]) -> Measured:
        """*messages*, which begin with those that are *known*."""
        covered = len(known.messages)
        start = known.spans[-1].start if covered else 0
        spans = [
            range(start + each.start, start + each.stop) for each in joined_units(messages[start:])
        ]
        if covered and spans[0].stop == covered:
            del spans[0]
        elif covered:
            known = known.but_last_unit()
        began = len(known.messages)
        jsons = [self.writings.of(each) for each in messages[began:]]
        return Measured(
            known.system,
            messages,
            known.counter,
            known.spans.and_then(spans),
            known.units.and_then(unit_sizes(messages, spans, known.counter)),
            known.digests.and_then(_digests(known.digests[-1], jsons)),
            known.characters + sum([each.mark[1] for each in jsons[covered - began :]]),
        )


def _mark(messages: Sequence[Message], count: int) -> Hashable:
    """The last message tells conversations apart."""
    return id(messages[count - 1])


def digest(messages: Iterable[Message]) -> bytes:
    """A digest of *messages*."""
    return hashed(*(written(message).json for message in messages))


def _digests(before: bytes, messages: Iterable[Written]) -> list[bytes]:
    """A digest behind *before* for each of *messages*."""
    found = []
    for message in messages:
        before = hashed(before, message.json)
        found.append(before)
    return found
