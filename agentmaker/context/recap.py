"""What stays of text that leaves the window: a summary or an extract, with its facts checked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Reversible, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice

from agentmaker.context.clip import cut_middle, cut_to, fits
from agentmaker.context.facts import missing, newest_facts, weight
from agentmaker.prompts import DEFAULT_PROMPTS
from agentmaker.tokens import TokenCounter, unremembered

__all__ = [
    "LOST_LISTED",
    "Settled",
    "cut_middle",
    "cut_to",
    "extract",
    "head_of",
    "level",
    "settle",
]

LOST_LISTED = 256
"""The most lost facts a record names."""

FACTS_SHARE = 0.5
"""The share of a full room that facts may claim from the words of a summary or an extract."""

SHORTEST_LINE = 16
"""Tokens below which the head of an entry says too little to be worth a line."""

LABEL = DEFAULT_PROMPTS.text("recap.facts")
"""What stands before the facts."""

_MISFITS = 32
_WIDEST = 16
_CUT = "…"
_BETWEEN = ", "


@dataclass(frozen=True, slots=True)
class Settled:
    """A text that fits its room.

    Attributes:
        text: what stands in the window.
        lost: facts of the source that are not in it, the weightiest first, then the
            newest; at most `LOST_LISTED`.
    """

    text: str
    lost: tuple[str, ...] = ()


def settle(
    summary: str, source_text: str, *, room: int, counter: TokenCounter, label: str = LABEL
) -> Settled:
    """*summary* cut to *room* tokens, the facts of *source_text* that it left out appended.

    The facts may take `FACTS_SHARE` of the room from a long summary and all it leaves
    free. When they do not all fit, identifiers come first, and the newest among them.
    """
    counter = _counting_once(counter)
    frame = _Frame(_ranked(newest_facts(source_text)), room, counter, label)
    words = head_of(summary.strip(), room, counter)
    free = max(int(room * FACTS_SHARE), room - counter(words))
    residue = frame.residue(words, free)
    if residue:
        words = head_of(words, room - counter(f"\n{residue}"), counter)
    return frame.around(words)


def extract(
    entries: Reversible[str], *, room: int, counter: TokenCounter, label: str = LABEL
) -> Settled:
    """The heads of *entries* (oldest first) and their facts, filling *room* tokens.

    A pure function of its input, for when there is no summary. The newest entries come
    first to the room; the lines stand in the order of the conversation. Work is in
    proportion to the room, not to the entries.
    """
    counter = _counting_once(counter)
    facts = _ranked(islice(_newest(entries), room + LOST_LISTED))
    frame = _Frame(facts, room, counter, label)
    residue = frame.residue("", int(room * FACTS_SHARE))
    for _ in range(2):  # what the lines say already leaves them more room the second time
        words = _lines(entries, room - counter(f"\n{residue}"), counter)
        residue = frame.residue(words, room - counter(f"{words}\n"))
    return frame.around(words)


def _counting_once(counter: TokenCounter) -> TokenCounter:
    """*counter*, remembering while a text is made what nobody will count later."""
    return cache(unremembered(counter))


@dataclass(frozen=True, slots=True)
class _Frame:
    """The facts that should stand beside some words, and the room for both."""

    facts: tuple[str, ...]
    room: int
    counter: TokenCounter
    label: str

    def around(self, words: str) -> Settled:
        """*words* and below them the facts they lack."""
        counter = self.counter
        residue = self.residue(words, self.room - counter(words))
        text = "\n".join(filter(None, (words, residue)))
        while residue and counter(text) > self.room:  # the two may take more together
            residue = residue.rpartition(_BETWEEN)[0]
            text = "\n".join(filter(None, (words, residue)))
        return Settled(text, tuple(islice(missing(self.facts, text), LOST_LISTED)))

    def residue(self, words: str, room: int) -> str:
        """The facts *words* lack under their label, as many as fit *room*; "" for none."""
        chosen = self._fitting(missing(self.facts, words), room - self.counter(f"{self.label} "))
        return f"{self.label} {_BETWEEN.join(chosen)}" if chosen else ""

    def _fitting(self, facts: Iterable[str], room: int) -> list[str]:
        chosen: list[str] = []
        left, misfits, counted = room, 0, 0
        for fact in facts:
            cost = self.counter(f"{fact}{_BETWEEN}")
            if cost > left and counted < len(chosen):  # together they may take less than one by one
                left = room - self.counter(_BETWEEN.join((*chosen, "")))
                counted = len(chosen)
            if cost <= left:
                chosen.append(fact)
                left -= cost
            elif (misfits := misfits + 1) == _MISFITS:
                break
        return chosen


def _ranked(facts: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(facts, key=weight))


def _newest(entries: Reversible[str]) -> Iterator[str]:
    """The facts of *entries*, the one mentioned last first, each once, read as far as asked."""
    seen: set[str] = set()
    for entry in reversed(entries):
        for fact in newest_facts(entry):
            if fact not in seen:
                seen.add(fact)
                yield fact


def _lines(entries: Reversible[str], room: int, counter: TokenCounter) -> str:
    """The newest *entries*, a line each, long ones cut to one height so that *room* is full."""
    lines, sizes = _newest_lines(entries, room, counter)
    height = level(sizes, room)
    heads = [
        line if size <= height else head_of(line, height - 1, counter)
        for line, size in zip(lines, sizes, strict=True)
    ]
    left = room - counter("\n".join(filter(None, heads)))
    for index in reversed(range(len(lines))):  # what cuts between words leave goes to the newest
        if left < 0 or heads[index] == lines[index]:
            continue
        longer = head_of(lines[index], counter(heads[index]) + left, counter)
        left -= max(0, counter(longer) - counter(heads[index]))
        heads[index] = longer
        if left < SHORTEST_LINE:
            break
    return cut_to("\n".join(filter(None, heads)), room, counter)


def _newest_lines(
    entries: Reversible[str], room: int, counter: TokenCounter
) -> tuple[list[str], list[int]]:
    """As many of the newest *entries* as *room* has a line for, oldest first, and their sizes."""
    lines: list[str] = []
    sizes: list[int] = []
    left = room
    for entry in reversed(entries):
        line = " ".join(entry[: max(0, room) * _WIDEST].split())
        size = counter(f"{line}\n")
        left -= min(size, SHORTEST_LINE)
        if left < 0:
            break
        lines.append(line)
        sizes.append(size)
    return lines[::-1], sizes[::-1]


def head_of(text: str, tokens: int, counter: TokenCounter) -> str:
    """The first words of *text* in *tokens*: half a number would be a wrong number."""
    if fits(text, tokens, counter):
        return text
    head = cut_to(text, tokens - counter(_CUT), counter)
    words = head.rpartition(" ")[0]
    return f"{words if len(words) * 2 > len(head) else head}{_CUT}" if head else ""


def level(sizes: Sequence[int], room: int) -> int:
    """The height to which *sizes* must be cut for their sum to fill *room*."""
    left, remaining = room, len(sizes)
    for size in sorted(sizes):
        if size * remaining >= left:
            return left // remaining
        left -= size
        remaining -= 1
    return max(sizes, default=0)
