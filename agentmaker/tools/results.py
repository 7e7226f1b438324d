"""Results in bounds: head and tail around a marker, and the whole text put away."""

from __future__ import annotations

from dataclasses import dataclass

from agentmaker.context.aside import aside
from agentmaker.context.clip import cut_middle, cut_to, fits
from agentmaker.prompts import DEFAULT_PROMPTS, PromptRegistry
from agentmaker.scope import Scope
from agentmaker.tokens import TokenCounter
from agentmaker.tools.archive import Archive

_LEAST = 8
"""Tokens of a text below which its ends say nothing: the marker stands alone."""


@dataclass(frozen=True, slots=True)
class Capped:
    """A result as it is shown.

    Attributes:
        put_away: the name of the whole text in the archive, None where it is not there.
    """

    text: str
    put_away: str | None = None


def cap(
    text: str,
    tokens: int,
    counter: TokenCounter,
    *,
    put_away: str | None = None,
    prompts: PromptRegistry = DEFAULT_PROMPTS,
) -> str:
    """*text* itself when it fits, else its head and tail around a marker, at most *tokens*.

    The marker says how large the text is and how much of it is left, in tokens, and by which
    name `recall` brings it back when it was *put_away*. Where there is no room for the marker,
    a shorter one stands for it, and where there is none for that, the head stands alone.
    """
    if fits(text, tokens, counter):
        return text
    whole = counter(text)
    for marker in _markers(whole, tokens, counter, put_away, prompts):
        room = tokens - counter(marker)
        if room >= _LEAST:
            return cut_middle(text, tokens, counter, f"\n{marker}\n")
        if room >= 0:
            return marker
    return cut_to(text, tokens, counter)


async def capped(
    text: str,
    tokens: int,
    counter: TokenCounter,
    *,
    scope: Scope,
    name: str,
    archive: Archive | None = None,
    prompts: PromptRegistry = DEFAULT_PROMPTS,
) -> Capped:
    """`cap`, with the whole text put away in *archive* under *name* when it does not fit.

    Long texts are counted in a thread.
    """
    if await aside(len(text), fits, text, tokens, counter):
        return Capped(text)
    kept = archive is not None and await archive.put(scope, name, text)
    put_away = name if kept else None
    shown = await aside(len(text), cap, text, tokens, counter, put_away=put_away, prompts=prompts)
    return Capped(shown, put_away=put_away)


def _markers(
    whole: int, tokens: int, counter: TokenCounter, put_away: str | None, prompts: PromptRegistry
) -> list[str]:
    def full(kept: int) -> str:
        if put_away is None:
            return prompts.render("tool.cut", whole=whole, kept=kept)
        return prompts.render("tool.put_away", whole=whole, kept=kept, id=put_away)

    kept = max(0, tokens - counter(full(tokens)))
    return [full(kept), prompts.render("wire.cut", dropped=whole)]
