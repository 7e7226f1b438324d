"""What Measure found out and the later steps go by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

from agentmaker.calls.room import Fixed, Room
from agentmaker.calls.views import Key, Turn, View
from agentmaker.context.cuts import Cut, Policy, tokens_shown
from agentmaker.context.sizes import Unit, as_units
from agentmaker.messages import Message
from agentmaker.tokens.calibrated import Scale

RECAP_SHARE = 0.4
"""Of what a cut goes down to, the share set aside for what remains of the dropped units.

The smallest with which the identifiers of real tool conversations outlive a cut to half.
"""

RECAP_MOST = 2_000
"""Tokens of a recap, however large the window."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One request's accounts and the view of its conversation.

    What is planned is planned in tokens as we count them; *account* is the same room in those
    of the provider, which are *density* of ours.

    Attributes:
        fixed: what travels with every request.
        scale: how the provider counts this conversation, as far as it is known.
        units: the conversation's units by size; *spans* says which messages they are.
        asked: the unit of the question, None when there is none.
        view: what the previous request of this conversation showed.
        cut: what this one shows.
        key: under which the view is remembered; *turn*, under which the block is.
        block_tokens: tokens of the block in this request.
        kept: what the reducer left of the units of the cut behind its question.
        progress: what stands for the dropped ones among them.
        lost: facts of dropped units that nothing sent holds any more.
    """

    room: Room
    account: Room
    conversation: tuple[Message, ...]
    units: Sequence[Unit]
    spans: Sequence[range]
    asked: int | None
    key: Key
    turn: Turn
    view: View = field(default_factory=View)
    cut: Cut | None = None
    block_tokens: int = 0
    kept: tuple[Message, ...] = ()
    progress: str = ""
    lost: tuple[str, ...] = ()
    fixed: Fixed = field(default_factory=Fixed)
    scale: Scale = field(default_factory=Scale)
    density: float = 1.0

    @property
    def stands(self) -> bool:
        """Whether the cut is the one of the previous request."""
        return self.cut is not None and self.cut == self.view.cut

    @property
    def this_turn(self) -> bool:
        """Whether the cut was made for the question of this request."""
        return self.cut is not None and self.cut.asked == self.asked

    @property
    def before(self) -> range:
        """The units that the recap stands for: those before the question of the cut."""
        return range(0 if self.cut is None else self.cut.asked or 0)

    @property
    def behind(self) -> range:
        """The units that the progress stands for: those of the cut behind its question."""
        if self.cut is None:
            return range(0)
        return range(0 if self.cut.asked is None else self.cut.asked + 1, self.cut.end)

    @property
    def shown_tokens(self) -> int:
        """Tokens of what the cut shows, its recap at full room."""
        return tokens_shown(self.units, self.cut)

    @property
    def history(self) -> range:
        """The units before the question; none of them when there is no question."""
        return range(self.asked or 0)

    @property
    def work(self) -> range:
        """The units behind the question."""
        return range(0 if self.asked is None else self.asked + 1, len(self.units))

    def policy(self, low_water: float) -> Policy:
        """The room for the conversation beside the block there is."""
        shared = self.room.shared
        room = target = max(0, shared - self.block_tokens)
        if low_water < 1.0:
            target = int(min(room, max(0, shared - self.room.block)) * low_water)
        return Policy(
            room=room,
            most=self.room.most - self.block_tokens,
            target=target,
            recap=min(RECAP_MOST, int(target * RECAP_SHARE)),
        )

    def with_cut(self, cut: Cut | None) -> Self:
        """The plan with *cut*, and with what was made for it where it is the one that stood."""
        if cut is self.cut:
            return self
        view = self.view if cut == self.view.cut else View()
        return replace(self, cut=cut, kept=view.kept, progress=view.progress, lost=view.lost)

    def shown_in(self, span: range) -> Iterator[tuple[int, int | None]]:
        """The units of *span* that are shown, with their caps."""
        if self.cut is None:
            yield from ((index, None) for index in span)
        elif span:
            yield from (each for each in self.cut.shown(len(self.units)) if each[0] in span)

    def dropped_in(self, span: range) -> list[range]:
        """The units of *span* that are not shown, by runs."""
        shown = sorted({index for index, _ in self.shown_in(span)})
        edges = zip([span.start - 1, *shown], [*shown, span.stop], strict=True)
        return [range(left + 1, right) for left, right in edges if left + 1 < right]

    def dropped_tokens(self, span: range) -> int:
        return sum(map(self.tokens_in, self.dropped_in(span)))

    def messages_of(self, unit: int) -> tuple[Message, ...]:
        span = self.spans[unit]
        return self.conversation[span.start : span.stop]

    def messages_in(self, run: range) -> tuple[Message, ...]:
        """The messages of the units of *run*, which is not empty."""
        return self.conversation[self.spans[run.start].start : self.spans[run.stop - 1].stop]

    def tokens_in(self, span: range) -> int:
        """Tokens of the units of *span* before anything was cut."""
        return as_units(self.units).total(span.start, span.stop)
