"""A finished context, with what it was made of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from agentmaker.context.gssc.layout import Layout, Part
from agentmaker.context.gssc.packet import ContextPacket
from agentmaker.context.gssc.select import Excluded
from agentmaker.context.results import SourceOutcome


@dataclass(frozen=True, slots=True, kw_only=True)
class GSSCContext:
    """A context, and what became of everything that could have been in it.

    Attributes:
        tokens: of *text* as a whole.
        selected: the packets in it, system instructions first and then the best first.
        shortened: those of them of which only the head is in it.
        excluded: the others, each with a reason.
        outcomes: what memory and knowledge did.
    """

    text: str
    tokens: int
    selected: tuple[ContextPacket, ...]
    shortened: tuple[ContextPacket, ...]
    excluded: tuple[Excluded, ...]
    outcomes: tuple[SourceOutcome, ...]

    @classmethod
    def of(
        cls,
        layout: Layout,
        fitted: Layout,
        tokens: int,
        *,
        excluded: Iterable[Excluded],
        outcomes: tuple[SourceOutcome, ...],
    ) -> GSSCContext:
        """What *fitted*, of so many *tokens*, has left of *layout*."""
        whole, left = layout.ranked, fitted.ranked
        gone = _packets(part for rank, part in whole.items() if rank not in left)
        return cls(
            text=fitted.text,
            tokens=tokens,
            selected=_packets(left.values()),
            shortened=_packets(part for rank, part in left.items() if part != whole[rank]),
            excluded=(*excluded, *(Excluded(packet, "compressed") for packet in gone)),
            outcomes=outcomes,
        )

    def __str__(self) -> str:
        return self.text


def _packets(parts: Iterable[Part]) -> tuple[ContextPacket, ...]:
    return tuple(part.packet for part in parts if part.packet)
