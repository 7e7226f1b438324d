"""Third stage: the chosen packets in sections, under headings that no text can imitate."""

from __future__ import annotations

from collections.abc import Iterable

from agentmaker.context.gssc.guard import guard_against
from agentmaker.context.gssc.layout import NAMES, Layout, Name, Part, Section
from agentmaker.context.gssc.packet import EVIDENCE, HISTORY, SYSTEM, ContextPacket
from agentmaker.messages import ROLES
from agentmaker.prompts import DEFAULT_PROMPTS, PromptRegistry

_RULE = "---"
_JOINTS: dict[Name, str] = {"evidence": f"\n{_RULE}\n"}
_SPEAKERS = tuple(f"{role}:" for role in ROLES)


def structure(
    packets: Iterable[ContextPacket], query: str, *, prompts: PromptRegistry = DEFAULT_PROMPTS
) -> Layout:
    """*packets*, the best first, and *query* in five sections; task and output are always there.

    A line that imitates a heading, the rule between pieces of evidence or the mark of a cut
    gets a backslash; in the background so does one that imitates a turn. System instructions
    are the developer's and stay as written. Turns stand behind the rest, in order of time.
    """
    writer = _Writer(prompts)
    parts: dict[Name, list[Part]] = {name: [] for name in NAMES}
    parts["task"].append(Part(writer.guard(query)))
    parts["output"].append(Part(prompts.text("gssc.output")))
    for rank, packet in enumerate(packets):
        parts[_home(packet)].append(Part(writer.text(packet), packet, rank))
    parts["context"].sort(key=_order)
    return Layout(tuple(writer.section(name, parts[name]) for name in NAMES if parts[name]))


class _Writer:
    """Writes packets and sections in the words of *prompts*."""

    def __init__(self, prompts: PromptRegistry) -> None:
        self._headings = {name: prompts.text(f"gssc.heading.{name}") for name in NAMES}
        marks = (*self._headings.values(), _RULE, prompts.text("gssc.cut"))
        self.guard = guard_against(marks)
        self._guard_background = guard_against((*marks, *_SPEAKERS))

    def section(self, name: Name, parts: Iterable[Part]) -> Section:
        return Section(name, self._headings[name], tuple(parts), _JOINTS.get(name, "\n"))

    def text(self, packet: ContextPacket) -> str:
        home = _home(packet)
        if home == "policies":
            return packet.content
        if home == "evidence":
            return self.guard(packet.content)
        opening = _speaker(packet)
        return f"{opening}{self._guard_background(packet.content.removeprefix(opening))}"


def _home(packet: ContextPacket) -> Name:
    if packet.kind == SYSTEM:
        return "policies"
    return "evidence" if packet.kind in EVIDENCE else "context"


def _speaker(packet: ContextPacket) -> str:
    """The ``role:`` a turn begins with, "" for what is none."""
    opening = "".join(packet.content.partition(":")[:2])
    return opening if packet.kind == HISTORY and opening in _SPEAKERS else ""


def _order(part: Part) -> tuple[bool, float]:
    if part.packet is None or part.packet.kind != HISTORY:
        return False, part.rank
    return True, part.packet.moment.timestamp()
