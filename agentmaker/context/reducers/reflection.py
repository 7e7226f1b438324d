"""Reduces a reflection loop: the newest answer and every distinct point of criticism stay."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from agentmaker.context.folding import ASummarize
from agentmaker.context.knobs import check_count
from agentmaker.context.reducers.base import check_room, tokens_of
from agentmaker.context.reducers.condense import condense
from agentmaker.prompts import DEFAULT_PROMPTS, PromptRegistry
from agentmaker.tokens import TokenCounter, adopted, count_tokens

ANSWERS = ("draft", "refine")

_BULLET = re.compile(r"^\s*(?:[-*•·]|\(?\d{1,3}[.)、])\s*")
_WORDS = re.compile(r"\w+")


async def reduce_reflection(
    entries: Sequence[Mapping[str, Any]],
    *,
    summarize: ASummarize | None,
    budget: int,
    counter: TokenCounter = count_tokens,
    prompts: PromptRegistry = DEFAULT_PROMPTS,
) -> Sequence[Mapping[str, Any]]:
    """*entries*, each ``{"kind": "draft"|"critique"|"refine", "text": ...}``, in *budget* tokens.

    Superseded answers go. The points of all critiques stay as one list, each once; only
    where they do not fit are they summarised.

    Raises:
        ContextWindowExceeded: the newest answer alone is larger.
        ConfigError: *budget* is negative.
    """
    check_count("budget", budget, least=0)
    counter = adopted(counter)
    if tokens_of(*map(_text, entries), counter=counter) <= budget:
        return entries
    answer = next((entry for entry in reversed(entries) if entry["kind"] in ANSWERS), None)
    kept = [] if answer is None else [answer]
    room = check_room("the newest answer", tokens_of(*map(_text, kept), counter=counter), budget)
    points = distinct_points(entries, prompts)
    listed = _listed(points, prompts)
    if counter(listed) > room:
        listed = await condense(
            points,
            kind="reflection",
            summarize=summarize,
            room=room,
            counter=counter,
            prompts=prompts,
        )
    return [*({"kind": "critique", "text": text} for text in (listed,) if text), *kept]


def _text(entry: Mapping[str, Any]) -> str:
    return str(entry["text"])


def _listed(points: Sequence[str], prompts: PromptRegistry) -> str:
    lines = (prompts.text("reducer.reflection.mark"), *(f"- {point}" for point in points))
    return "\n".join(lines) if points else ""


def distinct_points(
    entries: Iterable[Mapping[str, Any]], prompts: PromptRegistry = DEFAULT_PROMPTS
) -> list[str]:
    """The points of all critiques; of those that say the same, the last wording."""
    mark = prompts.text("reducer.reflection.mark")
    found: dict[str, str] = {}
    for entry in entries:
        for point in (
            _points(_text(entry).removeprefix(mark)) if entry["kind"] == "critique" else ()
        ):
            words = " ".join(_WORDS.findall(point.casefold())) or point
            found.pop(words, None)
            found[words] = point
    return list(found.values())


def _points(critique: str) -> Iterator[str]:
    """The points of one critique: its lines, without bullets and numbers."""
    lines = (_BULLET.sub("", line).strip() for line in critique.splitlines())
    return filter(None, lines)
