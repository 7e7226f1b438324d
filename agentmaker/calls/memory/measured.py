"""The sizes and digests of a conversation, taken once for every message."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass

from agentmaker.calls.memory.beginnings import Beginnings, Mark, begin_with
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

    messages: tuple[Message, ...]
    counter: TokenCounter
    spans: Growing[range]
    units: Units
    digests: Growing[bytes]
    characters: int = 0

    def before_growth(self, messages: tuple[Message, ...]) -> Measured:
        """What of it holds for *messages*, which begin with its own: its last unit may grow."""
        if not self.spans:
            return self
        start = self.spans[-1].start
        if start + joined_units(messages[start:])[0].stop == len(self.messages):
            return self
        return Measured(
            self.messages[:start],
            self.counter,
            self.spans.upto(len(self.spans) - 1),
            self.units.upto(len(self.spans) - 1),
            self.digests.upto(start + 1),
        )


class Measurements:
    """The last *maximum* conversations measured."""

    def __init__(self, maximum: int = 1_000) -> None:
        self.writings = writings()
        self._known: Beginnings[Measured] = Beginnings(maximum)

    def of(
        self, system: Iterable[Message], messages: tuple[Message, ...], counter: TokenCounter
    ) -> Measured:
        """Measure *messages*; what was measured before as the same objects is not again."""
        begun = self._begun(system)
        mark = _mark_of(messages, counter, begun)
        known = self._longest(messages, mark)
        known = known or Measured((), counter, Growing(), Units(), Growing([begun]))
        measured = known if len(known.messages) == len(messages) else self._longer(known, messages)
        self._known.put(measured, len(messages), mark, known, measured.characters)
        return measured

    def known(
        self, system: Iterable[Message], messages: tuple[Message, ...], counter: TokenCounter
    ) -> int:
        """How many of *messages* have been measured."""
        known = self._longest(messages, _mark_of(messages, counter, self._begun(system)))
        return 0 if known is None else len(known.messages)

    def _begun(self, system: Iterable[Message]) -> bytes:
        return hashed(*(self.writings.of(message).json for message in system))

    def _longest(self, messages: tuple[Message, ...], mark: Mark) -> Measured | None:
        return self._known.longest(
            len(messages), mark, lambda known: begin_with(messages, known.messages)
        )

    def _longer(self, known: Measured, messages: tuple[Message, ...]) -> Measured:
        """*messages*, which begin with those that are *known*."""
        before, counter = known.before_growth(messages), known.counter
        start = len(before.messages)
        fresh = messages[start:]
        spans = [range(span.start + start, span.stop + start) for span in joined_units(fresh)]
        jsons = [self.writings.of(each) for each in fresh]
        more = jsons[len(known.messages) - start :]
        return Measured(
            messages,
            counter,
            before.spans.and_then(spans),
            before.units.and_then(unit_sizes(fresh, counter)),
            before.digests.and_then(_digests(before.digests[-1], jsons)),
            known.characters + sum(each.mark[1] for each in more),
        )


def _mark_of(messages: tuple[Message, ...], counter: TokenCounter, begun: bytes) -> Mark:
    def mark(count: int) -> Hashable:
        return id(messages[count - 1]), id(counter), begun

    return mark


def digest(messages: Iterable[Message]) -> bytes:
    """A digest of *messages*."""
    return hashed(*(written(message).json for message in messages))


def _digests(before: bytes, messages: Iterable[Written]) -> Iterator[bytes]:
    """A digest behind *before* for each of *messages*."""
    for message in messages:
        before = hashed(before, message.json)
        yield before
