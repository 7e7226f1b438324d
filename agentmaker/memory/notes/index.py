"""Titles and gists of notes in so many tokens, and the parts of a text that fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from agentmaker.calls.forms.fence import fence
from agentmaker.context.clip import cut_to, fits
from agentmaker.memory.records import Document
from agentmaker.prompts import PromptRegistry
from agentmaker.tokens import TokenCounter


def index_of(
    notes: Sequence[Document], tokens: int, counter: TokenCounter, prompts: PromptRegistry
) -> str:
    """The index as it may stand in a window: fenced, since notes are data; "" where none fits."""

    def fenced(lines: str) -> str:
        return fence(lines, kind="notes", note=prompts.text("notes.index"))

    return listing(notes, tokens, counter, prompts, framed=fenced)


def listing(
    notes: Sequence[Document],
    tokens: int,
    counter: TokenCounter,
    prompts: PromptRegistry,
    *,
    framed: Callable[[str], str] = str,
) -> str:
    """The first of *notes*, a line each, and how many are left out; "" where not one fits."""
    lines = [line_of(note) for note in notes]
    fitting = _fitting(lines, tokens - counter(framed("")), counter)
    for shown in range(fitting, 0, -1):
        text = framed("\n".join([*lines[:shown], *_left_out(len(lines) - shown, prompts)]))
        if counter(text) <= tokens:
            return text
    return ""


def line_of(note: Document) -> str:
    gist = " ".join(note.gist.split())
    return f"- {note.name}: {gist}" if gist else f"- {note.name}"


def _fitting(lines: Sequence[str], room: int, counter: TokenCounter) -> int:
    for number, line in enumerate(lines):
        room -= counter(line)
        if room < 0:
            return number
    return len(lines)


def _left_out(number: int, prompts: PromptRegistry) -> tuple[str, ...]:
    return (prompts.render("notes.left_out", number=number),) if number else ()


def part_of(
    text: str, start: int, tokens: int, counter: TokenCounter, prompts: PromptRegistry
) -> str:
    """*text* from character *start* on, as far as *tokens* go, and where to read on."""
    rest = text[max(start, 0) :]
    if fits(rest, tokens, counter):
        return rest
    widest = prompts.render("notes.read_on", left=len(text), start=len(text))
    part = cut_to(rest, tokens - counter(f"\n{widest}"), counter) or rest[:1]
    read_on = prompts.render(
        "notes.read_on", left=len(rest) - len(part), start=max(start, 0) + len(part)
    )
    return f"{part}\n{read_on}"
