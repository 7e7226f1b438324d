"""A context in its sections, before it is one text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from agentmaker.context.gssc.packet import ContextPacket

Name: TypeAlias = Literal["policies", "task", "evidence", "context", "output"]
NAMES: tuple[Name, ...] = get_args(Name)


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of a section; *rank* is the place of its packet in the selection, the best 0."""

    text: str
    packet: ContextPacket | None = None
    rank: int = -1

    @property
    def expendable(self) -> bool:
        """Whether it may be cut; what is no packet, or a required one, may not."""
        return self.packet is not None and not self.packet.required


@dataclass(frozen=True, slots=True)
class Section:
    """Parts under a heading; without a heading, what stands for a section that is gone."""

    name: Name
    heading: str
    parts: tuple[Part, ...]
    joint: str = "\n"

    @property
    def text(self) -> str:
        return "\n".join(filter(None, (self.heading, self.joint.join(self._texts()))))

    def _texts(self) -> Iterator[str]:
        return (part.text for part in self.parts)


@dataclass(frozen=True, slots=True)
class Layout:
    """All sections in their order; empty ones are not among them."""

    sections: tuple[Section, ...]

    @property
    def text(self) -> str:
        """The sections with a blank line between them."""
        return "\n\n".join(section.text for section in self.sections)

    @property
    def ranked(self) -> dict[int, Part]:
        """What holds a packet, by rank and the best first."""
        parts = (part for section in self.sections for part in section.parts if part.packet)
        return {part.rank: part for part in sorted(parts, key=lambda part: part.rank)}
