"""Remembered cuts: what was shown of a conversation, so that it stands until it must change."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from agentmaker.calls.measured import Measurements
from agentmaker.context.cuts import Cut
from agentmaker.context.results import Block
from agentmaker.context.sources import ContextSource
from agentmaker.messages import Message
from agentmaker.scope import Scope

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

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
    """

    cut: Cut | None = None
    recap: str = ""
    progress: str = ""
    kept: tuple[Message, ...] = ()
    lost: tuple[str, ...] = ()
    sent: Sent = ()


@dataclass(frozen=True, slots=True)
class Key:
    """Names a conversation's beginning under one scope and one policy."""

    scope: Scope | None
    policy: Hashable
    digest: bytes


@dataclass(frozen=True, slots=True)
class Turn:
    """Names one turn: the conversation up to its question, and who was asked for it."""

    key: Key
    sources: tuple[ContextSource, ...]


@dataclass(frozen=True, slots=True)
class Built:
    """A turn's block, and the request it was built for."""

    block: Block
    request_id: str


class Views:
    """A bounded memory of views and blocks; the least recently used are forgotten first."""

    def __init__(self, maximum: int = 1_000) -> None:
        self.maximum = maximum
        self.measurements = Measurements()
        self._views: OrderedDict[Key, View] = OrderedDict()
        self._blocks: OrderedDict[Turn, Built] = OrderedDict()
        self._said: OrderedDict[Hashable, bool] = OrderedDict()

    def latest(self, scope: Scope | None, policy: Hashable, digests: Sequence[bytes]) -> View:
        """The view of the longest remembered beginning."""
        for length in range(len(digests) - 1, 0, -1):
            view = _touched(self._views, Key(scope, policy, digests[length]))
            if view is not None:
                return view
        return View()

    def remember(self, key: Key, view: View) -> None:
        _put(self._views, key, view, self.maximum)

    def block(self, turn: Turn) -> Built | None:
        """What was built last for *turn*."""
        return _touched(self._blocks, turn)

    def remember_block(self, turn: Turn, built: Built) -> None:
        _put(self._blocks, turn, built, self.maximum)

    def first_time(self, thing: Hashable) -> bool:
        """Whether *thing* was not said before."""
        known = _touched(self._said, thing)
        _put(self._said, thing, True, self.maximum)
        return known is None


def _touched(memory: OrderedDict[K, V], key: K) -> V | None:
    value = memory.get(key)
    if value is not None:
        memory.move_to_end(key)
    return value


def _put(memory: OrderedDict[K, V], key: K, value: V, maximum: int) -> None:
    memory[key] = value
    memory.move_to_end(key)
    while len(memory) > maximum:
        memory.popitem(last=False)
