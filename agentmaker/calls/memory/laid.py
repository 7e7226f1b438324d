"""Windows laid out, counted and written: what did not change since the last call is not again.

A window is taken in parts: what an earlier call has settled, what this one settles, and what may
yet be laid out otherwise. How a part is laid out depends on little of what stands before it, so
that parts laid out by themselves make the bytes that the whole would make.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import is_
from typing import Any

from agentmaker.calls.forms.dialects import Dialect
from agentmaker.calls.memory.beginnings import Beginnings, begin_with
from agentmaker.calls.memory.by_message import ByMessage
from agentmaker.calls.memory.written import Written
from agentmaker.calls.window import Trajectory, Window
from agentmaker.calls.wire import (
    FIRST,
    Before,
    Placed,
    Wire,
    closed,
    laid_out,
    may_part,
    to_wire,
    work_laid_out,
)
from agentmaker.context.counting import count_messages
from agentmaker.context.measure import REPLY_PRIMING, message_tokens
from agentmaker.messages import RESULT_ROLES, SYSTEM_ROLES, Message
from agentmaker.prompts import PromptRegistry
from agentmaker.tokens import TokenCounter

Mark = tuple[int, int]
"""A hash of a message's JSON, and how many characters that has."""


@dataclass(frozen=True, slots=True)
class Manner:
    """How windows are laid out and counted."""

    dialect: Dialect
    prompts: PromptRegistry
    counter: TokenCounter

    def is_that_of(self, other: Manner) -> bool:
        """Whether what was laid out in *other* would be laid out the same in this one."""
        same = self.counter is other.counter and self.prompts is other.prompts
        return same and self.dialect == other.dialect


@dataclass(frozen=True, slots=True, kw_only=True)
class Laid:
    """What leaves, and its tokens by row.

    Attributes:
        messages: as dictionaries, which must not be changed.
        json: of each of them.
        marks: by which it is compared with the next request.
        results: tokens of what tools answered.
        is_wire: whether the SDK would write that JSON.
        characters: of the JSON of all of them.
    """

    messages: tuple[Mapping[str, Any], ...] = ()
    json: tuple[bytes, ...] = ()
    marks: tuple[Mark, ...] = ()
    counts: Mapping[str, int]
    results: int = 0
    defects: tuple[str, ...] = ()
    is_wire: bool = True
    characters: int = 0


NOTHING = Laid(counts={"system": REPLY_PRIMING})


@dataclass(frozen=True, slots=True, eq=False)
class Settled:
    """The beginning of a window, laid out, and what it was made of.

    Attributes:
        frame: the window without its messages.
        asked: where the question is, None where it is not among *messages*.
    """

    manner: Manner
    frame: Window
    messages: tuple[Message, ...] = ()
    asked: int | None = None
    before: Before = FIRST
    laid: Laid = NOTHING

    def begins(self, window: Window, messages: tuple[Message, ...], manner: Manner) -> bool:
        """Whether *window*, which has *messages*, begins with this one."""
        covered = len(self.messages)
        return (
            self.manner.is_that_of(manner)
            and self._stands_in(window)
            and begin_with(messages, self.messages)
            and self.may_end(messages, covered)
        )

    def may_end(self, messages: Sequence[Message], end: int) -> bool:
        """Whether what follows on it, *end* of *messages*, can be laid out by itself."""
        return end == len(messages) or may_part(
            self.before.last, messages[end], self.manner.dialect
        )

    def _stands_in(self, window: Window) -> bool:
        """Whether what stands beside the messages, and their rows, are the same."""
        frame, system = self.frame, window.system
        same = frame.recap == window.recap and len(frame.system) == len(system)
        if not same or not all(map(is_, frame.system, system)):
            return False
        if self.asked is None:
            return len(self.messages) <= len(window.history)
        turn = (frame.progress, frame.block) == (window.progress, window.block)
        return turn and self.asked == len(window.history)


class Layouts:
    """The last *maximum* beginnings of windows: of a turn, and of the work in it."""

    def __init__(self, writings: ByMessage[Written], maximum: int = 1_000) -> None:
        self._writings = writings
        self._known: Beginnings[Settled] = Beginnings(maximum)

    async def lay_out(self, window: Window, manner: Manner) -> tuple[Laid, Settled | None]:
        """*window* as it leaves, and the beginning of it that is remembered."""
        messages = window.conversation
        if window.question is None:
            wire = to_wire(window, manner.dialect, manner.prompts)
            return await self._laid(NOTHING, wire, manner.counter), None
        known = self._known.longest(
            len(messages),
            partial(_mark, messages),
            lambda each: each.begins(window, messages, manner),
        )
        settled = await self._settled(known or Settled(manner, window), window, messages)
        if len(settled.messages) == len(messages) and manner.dialect.ends == "any":
            return settled.laid, settled
        wire = _open_end(settled, window, messages)
        if not wire.placed:
            return settled.laid, settled
        return await self._laid(settled.laid, wire, manner.counter), settled

    def forget(self, settled: Settled) -> None:
        """No window will begin with *settled* any more."""
        self._known.forget(settled)

    async def _settled(
        self, known: Settled, window: Window, messages: tuple[Message, ...]
    ) -> Settled:
        """*known* and what can be settled behind it, remembered."""
        for end in _ends(messages, len(window.history), len(known.messages)):
            longer = await self._longer(known, window, messages[:end])
            if longer.laid.defects or not longer.may_end(messages, end):
                break
            self._known.put(
                longer,
                end,
                partial(_mark, messages),
                before=known if known.asked == longer.asked else None,
                characters=longer.laid.characters,
            )
            known = longer
        return known

    async def _longer(
        self, known: Settled, window: Window, messages: tuple[Message, ...]
    ) -> Settled:
        """*known* with all of *messages*, which begin *window*, laid out."""
        manner, asked = known.manner, len(window.history)
        frame = _frame(window) if known.asked is None else known.frame
        covered = len(known.messages)
        if covered > asked:
            fresh = messages[covered:]
            wire = work_laid_out(fresh, manner.dialect, manner.prompts, known.before)
        else:
            part = _part(window, covered, len(messages))
            wire = laid_out(part, manner.dialect, manner.prompts, known.before)
        return Settled(
            manner,
            frame,
            messages,
            asked if asked < len(messages) else None,
            known.before.and_then(wire.placed),
            await self._laid(known.laid, wire, manner.counter),
        )

    async def _laid(self, before: Laid, wire: Wire, counter: TokenCounter) -> Laid:
        """*before* and behind it what *wire* has."""
        # With its notes, a message has a text that was not counted before.
        noted = [each.message for each in wire.placed if each.notes]
        if noted:
            await count_messages(noted, counter)
        counts, results = _tallied(wire.placed, counter, before.counts)
        written = [self._writings.of(each.message) for each in wire.placed]
        return Laid(
            messages=before.messages + tuple([each.wire for each in written]),
            json=before.json + tuple([each.json for each in written]),
            marks=before.marks + tuple([each.mark for each in written]),
            counts=counts,
            results=before.results + results,
            defects=before.defects + wire.defects,
            is_wire=before.is_wire and all(each.is_wire for each in written),
            characters=before.characters + sum([each.mark[1] for each in written]),
        )


def _open_end(settled: Settled, window: Window, messages: Sequence[Message]) -> Wire:
    """What *window* has behind what is *settled* of it."""
    manner, covered = settled.manner, len(settled.messages)
    if covered == len(messages):
        return closed(Wire(), manner.dialect, manner.prompts, settled.before)
    rest = _part(window, covered, len(messages))
    return to_wire(rest, manner.dialect, manner.prompts, settled.before)


def _mark(messages: Sequence[Message], count: int) -> Hashable:
    return id(messages[count - 1])


def _frame(window: Window) -> Window:
    """*window* without its messages, but for the system's."""
    return Window(
        system=window.system, recap=window.recap, progress=window.progress, block=window.block
    )


def _part(window: Window, start: int, stop: int) -> Window:
    """What *window* has from its message *start* to *stop*, the system's not counted."""
    asked = len(window.history)
    has_question = window.question is not None and start <= asked < stop
    since = window.trajectory.messages[max(0, start - asked - 1) : max(0, stop - asked - 1)]
    return Window(
        system=() if start else window.system,
        history=window.history[start:stop],
        question=window.question if has_question else None,
        trajectory=Trajectory(messages=since),
        recap="" if start else window.recap,
        progress=window.progress if has_question else "",
        block=window.block if has_question else "",
    )


def _ends(messages: Sequence[Message], asked: int, covered: int) -> Iterator[int]:
    """Where parts can be settled: before the question, and behind the work that followed it.

    Not behind a system message, which may be folded into what follows.
    """
    if covered < asked and messages[asked - 1].role not in SYSTEM_ROLES:
        yield asked
    end = len(messages)
    if end > max(asked + 1, covered) and messages[-1].role not in SYSTEM_ROLES:
        yield end


def _tallied(
    placed: Sequence[Placed], counter: TokenCounter, before: Mapping[str, int]
) -> tuple[dict[str, int], int]:
    """Tokens by row with those *before*, each note in a message on its own.

    Beside them those of what tools answered.
    """
    counts, results = dict(before), 0
    for each in placed:
        rest = message_tokens(each.message, counter)
        results += rest if each.message.role in RESULT_ROLES else 0
        for note in each.notes:
            tokens = min(rest, counter(note.text))
            rest -= tokens
            counts[note.row] = counts.get(note.row, 0) + tokens
        counts[each.row] = counts.get(each.row, 0) + rest
    return counts, results
