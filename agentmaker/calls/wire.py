"""Where segments become dictionaries: one place, one order, one block.

The order is system, recap, history, block and question, trajectory. Recap, progress and block
are fenced text inside a user message, because a second system message or two user messages in
a row break strict chat templates, and because remembered text must not gain authority.

Where a dialect wants turns, one system message or none, messages of several rows become one;
each row is then counted by its own text in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

from agentmaker.calls.forms.adaptations import unsaid
from agentmaker.calls.forms.dialects import Dialect
from agentmaker.calls.forms.fence import fence
from agentmaker.calls.forms.repair import repair
from agentmaker.calls.forms.spelling import with_content, written_out
from agentmaker.calls.forms.turns import (
    Turn,
    are_joined,
    in_turns,
    is_answer,
    joined_content,
    part_of,
)
from agentmaker.calls.window import Window
from agentmaker.context.growing import NO_NAMES, Names
from agentmaker.messages import RESULT_ROLES, SYSTEM_ROLES, Message
from agentmaker.prompts import PromptRegistry

_LEANING = (*SYSTEM_ROLES, *RESULT_ROLES)
"""The roles of messages that belong to what is before them, or may."""

_KINDS = {"history": "recap", "trajectory": "progress", "block": "context"}


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

    placed: tuple[Placed, ...] = ()
    defects: tuple[str, ...] = ()

    @property
    def messages(self) -> list[dict[str, Any]]:
        return [placed.message.to_wire() for placed in self.placed]


@dataclass(frozen=True, slots=True)
class Before:
    """What was laid out before a part of a window.

    Attributes:
        ids: of its calls, all of them answered.
        last: its last message, as sent.
    """

    ids: Names = NO_NAMES
    last: Placed | None = None

    def and_then(self, placed: Sequence[Placed]) -> Before:
        ids = self.ids.and_then([call.id for each in placed for call in each.message.tool_calls])
        return Before(ids, placed[-1] if placed else self.last)


FIRST = Before()
"""Where nothing was laid out yet."""


def may_part(last: Placed | None, message: Message, dialect: Dialect) -> bool:
    """Whether what begins with *message* can be laid out by itself behind *last*.

    Nothing of the two is joined, folded into the other, or answered by it.
    """
    if last is None or message.role in _LEANING:
        return False
    return dialect.roles != "alternate" or not are_joined(part_of(last.message), part_of(message))


def to_wire(
    window: Window, dialect: Dialect, prompts: PromptRegistry, before: Before = FIRST
) -> Wire:
    """Lay the window out for *dialect*, mended so that a strict server accepts it."""
    return closed(laid_out(window, dialect, prompts, before), dialect, prompts, before)


def closed(wire: Wire, dialect: Dialect, prompts: PromptRegistry, before: Before) -> Wire:
    """*wire*, which may be nothing at all behind *before*, with an end that *dialect* takes."""
    last = wire.placed[-1] if wire.placed else before.last
    if dialect.ends != "asking" or last is None or not is_answer(last.message):
        return wire
    closing = Placed(row=last.row, message=Message(prompts.text("wire.closing"), "user"))
    return replace(wire, placed=(*wire.placed, closing))


def laid_out(window: Window, dialect: Dialect, prompts: PromptRegistry, before: Before) -> Wire:
    """A window, or a part of one, that may go on."""
    return _mended(lay_out(window, dialect, prompts), dialect, prompts, before)


def work_laid_out(
    messages: Sequence[Message], dialect: Dialect, prompts: PromptRegistry, before: Before
) -> Wire:
    """*messages* that go on with the work of a window, as they are laid out in that."""
    placed = [Placed(row="trajectory", message=each) for each in messages]
    return _mended(_folded(placed, dialect), dialect, prompts, before)


def _mended(
    placed: list[Placed], dialect: Dialect, prompts: PromptRegistry, before: Before
) -> Wire:
    """What is *placed*, mended and written as *dialect* wants it."""
    messages = tuple([each.message for each in placed])
    repaired = repair(messages, prompts, used=before.ids)
    if repaired.messages is not messages:
        mended = zip(repaired.origins, repaired.messages, strict=True)
        placed = [_holding(placed[origin], message) for origin, message in mended]
    if dialect.tools == "text":
        placed = [_holding(each, written_out(each.message, prompts)) for each in placed]
    if dialect.roles == "alternate":
        placed = _alternating(placed, dialect, prompts, before.last)
    if dialect.empty_content == "empty":
        placed = [_holding(each, with_content(each.message)) for each in placed]
    return Wire(placed=tuple(placed), defects=repaired.defects)


def _holding(placed: Placed, message: Message) -> Placed:
    return placed if placed.message is message else replace(placed, message=message)


def _alternating(
    placed: Sequence[Placed], dialect: Dialect, prompts: PromptRegistry, last: Placed | None
) -> list[Placed]:
    """The messages in turns behind *last*, those that became one with the notes of all of them."""
    turns = in_turns(
        [each.message for each in placed],
        opening=Message(prompts.text("wire.opening"), "user"),
        unsaid=unsaid(dialect, prompts),
        after="system" if last is None else part_of(last.message),
    )
    return [_taking(turn, [placed[place] for place in turn.places]) for turn in turns]


def _taking(turn: Turn, parts: Sequence[Placed]) -> Placed:
    """What is placed for a turn: in the row of its last part; a filler is the history's."""
    if not parts:
        return Placed(row="history", message=turn.message)
    *before, last = parts
    if not before:
        return last
    notes = [note for part in before for note in _all_notes(part, last.row)]
    return replace(last, message=turn.message, notes=(*notes, *last.notes))


def _all_notes(placed: Placed, row: str) -> Sequence[Note]:
    """Notes for everything in the message that is not of *row*."""
    if placed.row == row:
        return placed.notes
    text = placed.message.text
    for note in placed.notes:
        text = text.replace(note.text, "", 1)
    return (*placed.notes, Note(row=placed.row, text=text.strip()))


def lay_out(window: Window, dialect: Dialect, prompts: PromptRegistry) -> list[Placed]:
    """The window's messages in sending order."""
    placed = [Placed(row="history", message=message) for message in window.history]
    asked = len(placed)
    if window.question is not None:
        placed.append(Placed(row="question", message=window.question))
    placed += [Placed(row="trajectory", message=each) for each in window.trajectory.messages]
    if window.progress:
        _put_before(placed, asked, note_for("trajectory", window.progress, prompts))
    block = note_for("block", window.block, prompts) if window.block else None
    role = _role_of_block(dialect) if block else None
    if block and role is None:
        as_part = dialect.block == "parts" and dialect.content != "text"
        _put_before(placed, asked, block, as_part=as_part)
    placed = _folded(placed, dialect)
    if block and role is not None:
        _insert(placed, block, role=role)
    if window.recap:
        _put_before(placed, 0, note_for("history", window.recap, prompts))
    return _with_leading(placed, window.system, dialect) if window.system else placed


def _role_of_block(dialect: Dialect) -> str | None:
    """The role of the block's own message; None for a block inside the question's."""
    takes_system = dialect.system in ("first", "anywhere") and dialect.roles == "any"
    if dialect.block == "system" and takes_system:
        return "system"
    return "user" if dialect.block == "message" else None


def _with_leading(
    placed: list[Placed], system: Sequence[Message], dialect: Dialect
) -> list[Placed]:
    """The messages behind their *system* messages, or the one message that these become."""
    if dialect.system not in ("one", "user"):
        return [*[Placed(row="system", message=each) for each in system], *placed]
    first, *others = system
    content = reduce(joined_content, (each.content for each in others), first.content)
    if dialect.system == "one":
        message = replace(first, content=content) if others else first
        return [Placed(row="system", message=message), *placed]
    if isinstance(content, str):
        _put_before(placed, 0, Note(row="system", text=content))
    elif content:
        placed.insert(0, Placed(row="system", message=Message(content, "user")))
    return placed


def note_for(row: str, text: str, prompts: PromptRegistry) -> Note:
    """The fenced form of a recap (``history``), progress (``trajectory``) or ``block``."""
    key = "context.guard" if row == "block" else "recap.note"
    return Note(row=row, text=fence(text, kind=_KINDS[row], note=prompts.text(key)))


def with_text_before(message: Message, text: str, *, as_part: bool = False) -> Message:
    """*message* with *text* above its own."""
    content = message.content
    if isinstance(content, str) and not as_part:
        return replace(message, content=f"{text}\n\n{content}")
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content or []
    return replace(message, content=[{"type": "text", "text": text}, *parts])


def _folded(placed: list[Placed], dialect: Dialect) -> list[Placed]:
    """The messages with system messages where *dialect* takes them."""
    stay = dialect.system == "anywhere" and dialect.roles != "alternate"
    return placed if stay else fold_system(placed)


def fold_system(placed: Sequence[Placed]) -> list[Placed]:
    """Fold system messages into the user message behind them, else into the one before.

    They stand above its text, so that a question stays the last thing it says. Where neither
    neighbour is a user message they become one.
    """
    folded: list[Placed] = []
    waiting: list[Placed] = []
    for each in placed:
        if each.message.role in SYSTEM_ROLES:
            waiting.append(each)
            continue
        if waiting and each.message.role == "user":
            each = _with_system(each, waiting)
        elif waiting:
            _settle(folded, waiting)
        waiting = []
        folded.append(each)
    if waiting:
        _settle(folded, waiting)
    return folded


def _settle(folded: list[Placed], waiting: Sequence[Placed]) -> None:
    """Give the system messages that *waiting* holds a place at the end of *folded*."""
    if folded and folded[-1].message.role == "user":
        folded[-1] = _with_system(folded[-1], waiting)
    else:
        folded.append(replace(waiting[0], message=Message(_texts(waiting), "user")))


def _with_system(placed: Placed, system: Sequence[Placed]) -> Placed:
    text = _texts(system)
    return replace(placed, message=with_text_before(placed.message, text)) if text else placed


def _texts(placed: Sequence[Placed]) -> str:
    return "\n\n".join(filter(None, (each.message.text for each in placed)))


def _put_before(placed: list[Placed], index: int, note: Note, *, as_part: bool = False) -> None:
    """Put *note* at the top of the user message at *index*, or before it as a message."""
    if index < len(placed) and placed[index].message.role == "user":
        old = placed[index]
        message = with_text_before(old.message, note.text, as_part=as_part)
        placed[index] = replace(old, message=message, notes=(note, *old.notes))
    else:
        placed.insert(index, Placed(row=note.row, message=Message(note.text, "user")))


def _insert(placed: list[Placed], block: Note, *, role: str) -> None:
    """Put *block* before the question as a message of its own."""
    asked = next((i for i, each in enumerate(placed) if each.row == "question"), len(placed))
    placed.insert(asked, Placed(row="block", message=Message(block.text, role)))
