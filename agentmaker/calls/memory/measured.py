"""The sizes and digests of a conversation, taken once for every message."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from operator import is_

from agentmaker.calls.memory.beginnings import Beginnings, Mark
from agentmaker.context.elastic import unit_sizes
from agentmaker.context.sizes import Unit
from agentmaker.messages import Message, dumps, joined_units
from agentmaker.tokens import TokenCounter


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """What a conversation weighs.

    Attributes:
        spans: for each unit, which messages it has.
        units: their sizes.
        digests: of every beginning; item n covers the system messages and n messages more.
    """

    messages: tuple[Message, ...]
    counter: TokenCounter
    spans: tuple[range, ...]
    units: tuple[Unit, ...]
    digests: tuple[bytes, ...]

    def up_to_last_unit(self) -> Measured:
        """Without the last unit, which may have grown since."""
        end = self.spans[-1].start if self.spans else 0
        return Measured(
            self.messages[:end],
            self.counter,
            self.spans[:-1],
            self.units[:-1],
            self.digests[: end + 1],
        )


class Measurements:
    """The last *maximum* conversations measured."""

    def __init__(self, maximum: int = 1_000) -> None:
        self._known: Beginnings[Measured] = Beginnings(maximum)

    def of(
        self, system: Iterable[Message], messages: tuple[Message, ...], counter: TokenCounter
    ) -> Measured:
        """Measure *messages*; what was measured before as the same objects is not again."""
        begun = digest(b"", system)
        mark = _mark_of(messages, counter, begun)
        known = self._longest(messages, mark)
        measured = _measured(messages, counter, begun, known)
        self._known.put(measured, len(messages), mark, before=known)
        return measured

    def known(
        self, system: Iterable[Message], messages: tuple[Message, ...], counter: TokenCounter
    ) -> int:
        """How many of *messages* have been measured."""
        known = self._longest(messages, _mark_of(messages, counter, digest(b"", system)))
        return 0 if known is None else len(known.messages)

    def _longest(self, messages: tuple[Message, ...], mark: Mark) -> Measured | None:
        return self._known.longest(len(messages), mark, partial(_begins, messages))


def _mark_of(messages: tuple[Message, ...], counter: TokenCounter, begun: bytes) -> Mark:
    def mark(count: int) -> Hashable:
        return id(messages[count - 1]), id(counter), begun

    return mark


def _begins(messages: tuple[Message, ...], known: Measured) -> bool:
    return all(map(is_, messages, known.messages))


def _measured(
    messages: tuple[Message, ...], counter: TokenCounter, begun: bytes, known: Measured | None
) -> Measured:
    if known is not None and len(known.messages) == len(messages):
        return known
    before = Measured((), counter, (), (), (begun,)) if known is None else known.up_to_last_unit()
    start = len(before.messages)
    fresh = messages[start:]
    spans = [range(span.start + start, span.stop + start) for span in joined_units(fresh)]
    sizes = unit_sizes(fresh, counter)
    return Measured(
        messages,
        counter,
        (*before.spans, *spans),
        (*before.units, *sizes),
        (*before.digests, *_chain(before.digests[-1], fresh)),
    )


def _chain(before: bytes, messages: Sequence[Message]) -> Iterator[bytes]:
    for message in messages:
        before = digest(before, (message,))
        yield before


def digest(before: bytes, messages: Iterable[Message]) -> bytes:
    """A digest of *messages* behind what *before* is a digest of."""
    running = hashlib.blake2b(before, digest_size=16)
    for message in messages:
        running.update(dumps(message.to_wire()).encode("utf-8", "surrogatepass"))
    return running.digest()
