"""Where segments become dictionaries: one place, one order, one block.

The order is system, recap, history, block and question, trajectory. Recap, progress and block
are fenced text inside a user message, because a second system message or two user messages in
a row break strict chat templates, and because remembered text must not gain authority.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from agentmaker.calls.dialects import Dialect
from agentmaker.calls.fence import fence
from agentmaker.calls.repair import repair
from agentmaker.calls.window import Window
from agentmaker.messages import SYSTEM_ROLES, Message
from agentmaker.prompts import PromptRegistry


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """Fenced text of another ledger row inside a message."""

    row: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """One message to be sent, the ledger row it belongs to, and the notes inside it."""

    row: str
    message: Message
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Wire:
    """What leaves: the messages in order, each with its row, and what was mended last."""

    placed: tuple[Placed, ...]
    defects: tuple[str, ...] = ()

    @property
    def messages(self) -> list[dict[str, Any]]:
        return [placed.message.to_wire() for placed in self.placed]


def to_wire(window: Window, dialect: Dialect, prompts: PromptRegistry) -> Wire:
    """Lay the window out for *dialect*, mended so that a strict server accepts it."""
    placed = lay_out(window, dialect, prompts)
    repaired = repair([each.message for each in placed], missing=prompts.text("wire.missing_result"))
    if not repaired.defects:
        return Wire(placed=tuple(placed))
    rows = {id(each.message): each for each in placed}
    mended: list[Placed] = []
    for message in repaired.messages:
        known = rows.get(id(message))
        row = mended[-1].row if mended else "history"
        mended.append(known or Placed(row=row, message=message))
    return Wire(placed=tuple(mended), defects=repaired.defects)


def lay_out(window: Window, dialect: Dialect, prompts: PromptRegistry) -> list[Placed]:
    """The window's messages in sending order."""
    placed = [Placed(row="history", message=message) for message in window.history]
    asked = len(placed)
    if window.question is not None:
        placed.append(Placed(row="question", message=window.question))
    placed += [Placed(row="trajectory", message=each) for each in window.trajectory.messages]
    _place_progress(placed, asked, window, prompts)
    _place_block(placed, asked, window, dialect, prompts)
    _place_recap(placed, window, prompts)
    if dialect.system == "first":
        placed = fold_system(placed)
    return [*(Placed(row="system", message=each) for each in window.system), *placed]


def note_for(row: str, window_text: str, prompts: PromptRegistry) -> Note:
    """The fenced form of a recap (``history``), progress (``trajectory``) or ``block``."""
    key = "context.guard" if row == "block" else "recap.note"
    return Note(row=row, text=fence(window_text, kind=_KINDS[row], note=prompts.text(key)))


_KINDS = {"history": "recap", "trajectory": "progress", "block": "context"}


def _place_progress(
    placed: list[Placed], asked: int, window: Window, prompts: PromptRegistry
) -> None:
    if window.progress:
        _put_before(placed, asked, note_for("trajectory", window.progress, prompts))


def _place_recap(placed: list[Placed], window: Window, prompts: PromptRegistry) -> None:
    if window.recap:
        _put_before(placed, 0, note_for("history", window.recap, prompts))


def _place_block(
    placed: list[Placed], asked: int, window: Window, dialect: Dialect, prompts: PromptRegistry
) -> None:
    if not window.block:
        return
    note = note_for("block", window.block, prompts)
    if dialect.block in ("message", "system"):
        role = "user" if dialect.block == "message" else "system"
        placed.insert(asked, Placed(row="block", message=Message(note.text, role)))
    else:
        _put_before(placed, asked, note, as_part=dialect.block == "parts")


def _put_before(placed: list[Placed], index: int, note: Note, *, as_part: bool = False) -> None:
    """Put *note* at the top of the user message at *index*, or before it as a message."""
    if index < len(placed) and placed[index].message.role == "user":
        old = placed[index]
        message = with_text_before(old.message, note.text, as_part=as_part)
        placed[index] = replace(old, message=message, notes=(note, *old.notes))
    else:
        placed.insert(index, Placed(row=note.row, message=Message(note.text, "user")))


def with_text_before(message: Message, text: str, *, as_part: bool = False) -> Message:
    """*message* with *text* above its own."""
    content = message.content
    if isinstance(content, str) and not as_part:
        return replace(message, content=f"{text}\n\n{content}")
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content or []
    return replace(message, content=[{"type": "text", "text": text}, *parts])


def fold_system(placed: Sequence[Placed]) -> list[Placed]:
    """Fold system messages into the user message behind them, else into the one before.

    Where neither neighbour is a user message they become one, so that the place, and with it
    the prefix, does not depend on what comes later.
    """
    folded: list[Placed] = []
    waiting: list[Placed] = []
    for each in placed:
        if each.message.role in SYSTEM_ROLES:
            waiting.append(each)
            continue
        if waiting and each.message.role == "user":
            each = replace(each, message=with_text_before(each.message, _texts(waiting)))
        elif waiting:
            _fold_back(folded, waiting)
        waiting = []
        folded.append(each)
    if waiting:
        _fold_back(folded, waiting)
    return folded


def _fold_back(folded: list[Placed], waiting: Sequence[Placed]) -> None:
    if folded and folded[-1].message.role == "user":
        message = with_text_behind(folded[-1].message, _texts(waiting))
        folded[-1] = replace(folded[-1], message=message)
    else:
        folded.append(Placed(row=waiting[0].row, message=Message(_texts(waiting), "user")))


def with_text_behind(message: Message, text: str) -> Message:
    """*message* with *text* below its own."""
    content = message.content
    if isinstance(content, str):
        return replace(message, content=f"{content}\n\n{text}")
    return replace(message, content=[*(content or []), {"type": "text", "text": text}])


def _texts(placed: Iterable[Placed]) -> str:
    return "\n\n".join(each.message.text for each in placed)
