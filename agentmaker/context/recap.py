"""What stays of text that leaves the window: a summary or an extract, with its facts checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Reversible, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, islice

from agentmaker.context.clip import beginning, cut_middle, cut_to, fits
from agentmaker.context.facts import absent, missing, newest_facts, weight
from agentmaker.prompts import DEFAULT_PROMPTS
from agentmaker.tokens import TokenCounter, count_tokens, unremembered

__all__ = [
    "LOST_LISTED",
    "Settled",
    "cut_middle",
    "cut_to",
    "extract",
    "head_of",
    "level",
    "lost_of",
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

_FIRST, _MISFITS = 16, 8  # facts counted together at first, and how many too long ones are tried
_DEPTH = 256  # facts read beyond what could fit: older identifiers go before newer figures
_TRIES, _FULL, _AIM = 4, 0.94, 0.97  # how often lines are cut anew, and how full they make a room
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
    residue = frame.residue(absent(frame.facts, words), free)
    if residue:
        words = head_of(words, room - counter(f"\n{residue}"), counter)
    return frame.around(words).settled


def extract(
    entries: Reversible[str], *, room: int, counter: TokenCounter, label: str = LABEL
) -> str:
    """The heads of *entries* (oldest first) and their facts, filling *room* tokens.

    A pure function of its input, for when there is no summary. The newest entries come
    first to the room; the lines stand in the order of the conversation. Work is in
    proportion to the room, not to the entries.
    """
    counter = _counting_once(counter)
    words = _lines(entries, room - int(room * FACTS_SHARE), counter)
    facts = _newest(entries, words, room - counter(words), counter)
    frame = _Frame(facts, room, counter, label)
    text = frame.around(words).text
    left = room - counter(text)
    if left >= SHORTEST_LINE:  # facts are few, or said by the lines already
        text = frame.around(_lines(entries, min(room, counter(words) + left), counter)).text
    return text


def lost_of(entries: Reversible[str], text: str) -> tuple[str, ...]:
    """The facts of *entries* (oldest first) that are not in *text*, in the order of `Settled`."""
    by_weight: tuple[list[str], ...] = ([], [], [])
    for fact in missing(chain.from_iterable(map(newest_facts, reversed(entries))), text):
        by_weight[weight(fact)].append(fact)
        if len(by_weight[0]) == LOST_LISTED:
            break
    return tuple(islice(chain(*by_weight), LOST_LISTED))


def _counting_once(counter: TokenCounter) -> TokenCounter:
    """*counter*, remembering while a text is made what nobody will count later."""
    return cache(unremembered(counter))


@dataclass(frozen=True, slots=True)
class _Framed:
    """Some words and the *residue* of the facts they *lacked* below them."""

    text: str
    lacked: tuple[str, ...]
    residue: str

    @property
    def settled(self) -> Settled:
        return Settled(self.text, absent(self.lacked, self.residue)[:LOST_LISTED])


@dataclass(frozen=True, slots=True)
class _Frame:
    """The facts that should stand beside some words, and the room for both."""

    facts: tuple[str, ...]
    room: int
    counter: TokenCounter
    label: str

    def around(self, words: str) -> _Framed:
        """*words* and below them the facts they lack."""
        counter = self.counter
        lacked = absent(self.facts, words)
        residue = self.residue(lacked, self.room - counter(words))
        text = "\n".join(filter(None, (words, residue)))
        while residue and counter(text) > self.room:  # the two may take more together
            residue = residue.rpartition(_BETWEEN)[0]
            text = "\n".join(filter(None, (words, residue)))
        if counter(text) > self.room:  # and so may words and the mark of their cut
            text, residue = cut_to(text, self.room, counter), ""
            lacked = absent(self.facts, text)
        return _Framed(text, lacked, residue)

    def residue(self, facts: Sequence[str], room: int) -> str:
        """*facts* under their label, as many as fit *room*; "" for none."""
        chosen = self._fitting(facts, room - self.counter(f"{self.label} "))
        return f"{self.label} {_BETWEEN.join(chosen)}" if chosen else ""

    def _fitting(self, facts: Sequence[str], room: int) -> list[str]:
        """The first *facts* that fit *room*, counted many at a time, some longer ones left out."""
        chosen: list[str] = []
        start, some, misfits = 0, _FIRST, 0
        while start < len(facts) and room > 0 and misfits < _MISFITS:
            tried = facts[start : start + some]
            cost = self.counter(_BETWEEN.join((*tried, "")))
            if cost <= room:
                chosen += tried
                room -= cost
                start += len(tried)
                some = max(1, int(len(tried) * room * _AIM / max(1, cost)))
            elif len(tried) > 1:
                some = len(tried) // 2
            else:
                start += 1
                misfits += 1
        return chosen


def _ranked(facts: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(facts, key=weight))


def _newest(
    entries: Reversible[str], words: str, room: int, counter: TokenCounter
) -> tuple[str, ...]:
    """The facts of *entries*, ranked; read back until those that *words* lack fill *room*."""
    facts: dict[str, None] = {}
    lacked: tuple[list[str], ...] = ([], [], [])
    most, tried, ranked = room + _DEPTH, max(_FIRST, room // 8), 0
    for entry in reversed(entries):
        facts.update(dict.fromkeys(newest_facts(entry)))
        if len(facts) < tried:
            continue
        for fact in absent(tuple(islice(facts, ranked, None)), words):
            lacked[weight(fact)].append(fact)
        ranked = len(facts)
        if sum(map(len, lacked)) >= most:
            break
        if len(lacked[0]) >= tried:
            cost = counter(_BETWEEN.join(lacked[0][:tried]))
            if cost > room:
                break
            tried += max(1, tried * (room - cost) // max(1, cost))
    return _ranked(facts)


def _lines(entries: Reversible[str], room: int, counter: TokenCounter) -> str:
    """The newest *entries*, a line each, long ones cut to one height so that *room* is full.

    How long they are beside each other is estimated, how long all of them are is counted.
    """
    text, estimated, line_of = "", int(room * _AIM), cache(_line_of)
    for _ in range(_TRIES):
        shortest = SHORTEST_LINE * estimated // max(1, room)
        lines = _newest_lines(entries, estimated, shortest, line_of)
        text = "\n".join(filter(None, _heads(lines, estimated)))
        used = counter(text)
        if room * _FULL <= used <= room:
            break
        estimated = min(room * _WIDEST // 4, int(estimated * room * _AIM / max(1, used)))
    return text if used <= room else cut_to(text, room, counter)


def _heads(lines: Sequence[tuple[str, int]], room: int) -> Iterator[str]:
    height = level([size for _, size in lines], room)
    for line, size in lines:
        yield (
            line
            if size <= height
            else _whole_words(beginning(line, len(line) * height // size - 1))
        )


def _newest_lines(
    entries: Reversible[str],
    room: int,
    shortest: int,
    line_of: Callable[[str], tuple[str, int]],
) -> list[tuple[str, int]]:
    """As many of the newest *entries* as *room* has a line for, oldest first, and their sizes."""
    lines: list[tuple[str, int]] = []
    left, widest = room, max(0, room) * _WIDEST
    for entry in reversed(entries):
        line = line_of(entry[:widest])
        left -= max(1, min(line[1], shortest))
        if left < 0:
            break
        lines.append(line)
    return lines[::-1]


def _line_of(entry: str) -> tuple[str, int]:
    """*entry* on one line, and its size."""
    line = " ".join(entry.split())
    return line, count_tokens(line) + 1


def head_of(text: str, tokens: int, counter: TokenCounter) -> str:
    """The first words of *text* in *tokens*: half a number would be a wrong number."""
    if fits(text, tokens, counter):
        return text
    return _whole_words(cut_to(text, tokens - counter(_CUT), counter))


def _whole_words(head: str) -> str:
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
