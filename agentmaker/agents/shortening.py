"""Shortens texts that a run must not forget: words give way, figures stay."""

from __future__ import annotations

import re
from collections.abc import Sequence

from agentmaker.context.clip import fits
from agentmaker.context.facts import absent, facts_in
from agentmaker.context.recap import head_of, level
from agentmaker.tokens import TokenCounter

_DIGITS = re.compile(r"(?<![A-Za-z])[A-Za-z]*\d[0-9A-Za-z]*(?:[.,:/-][0-9A-Za-z]+)*(?: ?%)?")
_COUNTED = re.compile(r"(?<=\d)[ -][^\W\d_]+")


def figures_in(text: str) -> tuple[str, ...]:
    """The facts and all other numbers of *text*, in order of appearance, each once."""
    line = _line(text)
    facts = facts_in(line)
    known = {digits for fact in facts for digits in _DIGITS.findall(fact)}
    found = (match for match in _DIGITS.finditer(line) if match[0] not in known)
    bare = (_with_what_it_counts(match, line) for match in found)
    return tuple(sorted(dict.fromkeys((*facts, *bare)), key=line.find))


def _with_what_it_counts(number: re.Match[str], line: str) -> str:
    counted = _COUNTED.match(line, number.end())
    return f"{number[0]}{counted[0]}" if counted else number[0]


def shortened(text: str, tokens: int, counter: TokenCounter) -> str:
    """*text* on one line of at most *tokens*: its first words, and the figures they lack.

    Figures come first to the room; *text* itself when it fits.
    """
    if fits(text, tokens, counter):
        return text
    line, figures = _line(text), figures_in(text)
    words = ""
    for _ in range(2):  # what the words say already leaves them more room the second time
        listed = _listed(absent(figures, words))
        words = head_of(line, tokens - counter(f" {listed}"), counter)
    lacking = absent(figures, words)
    short = " ".join(filter(None, (words, _listed(lacking))))
    while lacking and counter(short) > tokens:
        lacking = lacking[:-1]
        short = " ".join(filter(None, (words, _listed(lacking))))
    return short


def levelled(texts: Sequence[str], room: int, counter: TokenCounter) -> list[str]:
    """*texts* in at most *room* tokens together, the words of the longest cut to one height."""
    sizes = [counter(text) for text in texts]
    if sum(sizes) <= room:
        return list(texts)
    least = [least_of(text, counter) for text in texts]
    spare = max(0, room) - sum(least)
    if spare < 0:
        height = level(least, max(0, room))
        heights = [min(each, height) for each in least]
    else:
        words = [size - each for size, each in zip(sizes, least, strict=True)]
        height = level(words, spare)
        heights = [each + min(more, height) for each, more in zip(least, words, strict=True)]
    return [shortened(text, most, counter) for text, most in zip(texts, heights, strict=True)]


def least_of(text: str, counter: TokenCounter) -> int:
    """The tokens of *text* when nothing but its figures is left."""
    figures = figures_in(text)
    return min(counter(text), counter(f" {_listed(figures)}")) if figures else 0


def _listed(figures: Sequence[str]) -> str:
    return f"[{', '.join(figures)}]" if figures else ""


def _line(text: str) -> str:
    return " ".join(text.split())
