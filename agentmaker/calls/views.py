"""Remembered cuts: what was shown of a conversation, so that it stands until it must change."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from typing import NamedTuple

from agentmaker.calls.memory.laid import Layouts, Settled
from agentmaker.calls.memory.measured import Measurements
from agentmaker.calls.memory.remembered import Remembered
from agentmaker.calls.memory.schemas import Schemas
from agentmaker.context.cuts import Cut
from agentmaker.context.results import Block
from agentmaker.context.sources import ContextSource
from agentmaker.messages import Message
from agentmaker.scope import Scope

Sent = tuple[tuple[int, int], ...]
"""For each message sent: a hash of its JSON, and how many characters that has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What one request showed of its conversation.

    Attributes:
        cut: which units, and how short.
        recap: the text standing for dropped units before the question of the cut.
        progress: the text standing for dropped units behind it, in that question's message.
        kept: what the reducer left of the units behind it.
        lost: facts of the dropped units that neither text holds.
        sent: what left, for the ledger's figure of the kept prefix.
        density: the provider's tokens for one of ours, by which it was cut.
        key: under which it is remembered.
        is_first: whether the cut was made for this request, with a summary.
        settled: what of it is laid out for the next one.
    """

    cut: Cut | None = None
    recap: str = ""
    progress: str = ""
    kept: tuple[Message, ...] = ()
    lost: tuple[str, ...] = ()
    sent: Sent = ()
    density: float = 1.0
    key: Key | None = field(default=None, compare=False)
    is_first: bool = field(default=False, compare=False)
    settled: Settled | None = field(default=None, compare=False, repr=False)

    @property
    def to_return_to(self) -> View:
        """What its cut stands for, for a request that goes on from here once more."""
        return replace(self, sent=(), settled=None)


class Key(NamedTuple):
    """Names a conversation's beginning under one scope and one policy."""

    scope: Scope | None
    policy: Hashable
    digest: bytes

    def __hash__(self) -> int:
        return hash(self.digest)  # the rest is seldom another, and dear to hash


class Turn(NamedTuple):
    """Names one turn: the conversation up to its question, and who was asked for it."""

    key: Key
    sources: tuple[ContextSource, ...]


@dataclass(frozen=True, slots=True)
class Built:
    """A turn's block, and the request it was built for."""

    block: Block
    request_id: str


class Views:
    """A bounded memory of views and blocks, shared by calls at the same time."""

    def __init__(self, maximum: int = 1_000) -> None:
        self.measurements = Measurements()
        self.layouts = Layouts(self.measurements.writings)
        self.schemas = Schemas()
        self._views: Remembered[Key, View] = Remembered(maximum)
        self._blocks: Remembered[Turn, Built] = Remembered(maximum)
        self._said: Remembered[Hashable, bool] = Remembered(maximum)
        self._without: Remembered[str, bool] = Remembered(maximum)

    def latest(self, scope: Scope | None, policy: Hashable, digests: Sequence[bytes]) -> View:
        """The view of the longest remembered beginning."""
        begun = islice(reversed(digests), len(digests) - 1)
        return self._views.first(map(partial(Key, scope, policy), begun)) or View()

    def remember(self, key: Key, view: View, over: View) -> bool:
        """Remember *view*, which was made when *over* was the latest; whether it still is.

        One made meanwhile by another call stands, and what it shows goes on to be shown.

        Of *over* only the first view of a cut stays, from which all others follow.
        """
        if over.key is not None and over.key != key:
            kept = over.to_return_to if over.is_first and over.cut is not None else None
            self._views.put_over(over.key, kept, over)
        if over.settled is not None and over.cut != view.cut:
            self.layouts.forget(over.settled)
        return self._views.put_over(key, view, over)

    def block(self, turn: Turn) -> Built | None:
        """What was built last for *turn*."""
        return self._blocks.get(turn)

    def remember_block(self, turn: Turn, built: Built) -> None:
        self._blocks.put(turn, built)

    def go_without_summary(self, request_id: str) -> None:
        """One was of no use to this request, so no other is asked for."""
        self._without.put(request_id, True)

    def goes_without_summary(self, request_id: str) -> bool:
        return self._without.get(request_id) is not None

    def first_time(self, thing: Hashable) -> bool:
        """Whether *thing* was not said before."""
        known = self._said.get(thing)
        self._said.put(thing, True)
        return known is None
