"""A text of any length summarised in pieces that its summariser can hold.

Written once as a generator that asks and is answered; `drive` and `adrive` do the asking.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator, Iterator
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from agentmaker.context.aside import aside
from agentmaker.context.clip import cut_to
from agentmaker.context.measure import FRAMING, REPLY_PRIMING
from agentmaker.context.recap import Settled, settle
from agentmaker.errors import ConfigError, LLMResponseError
from agentmaker.prompts import DEFAULT_PROMPTS, PromptRegistry
from agentmaker.tokens import TokenCounter, count_tokens

T = TypeVar("T")

Summarize = Callable[[str, str], str]
"""``(text, instruction) -> summary``."""

ASummarize = Callable[[str, str], Awaitable[str]]

MARGIN = 64
"""Tokens of a summariser's window that stay unused, for counters that disagree."""

LEAST_PIECE = 64

_NEAR = 64


class SummaryRefused(LLMResponseError):
    """Raised when a summary cannot take the place of anything.

    Attributes:
        reason: ``"empty"``, ``"unfinished"`` or ``"no_saving"``.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(f"the summary cannot be used ({reason}): what it was to replace stays")
        self.reason = reason


class Request(NamedTuple):
    """What a summariser is asked: one plain text, and what to do with it."""

    text: str
    instruction: str


Flow = Generator[Request, str, T]
"""Asks, is sent the answers, and returns a T."""


def drive(flow: Flow[T], summarize: Summarize) -> T:
    """Run *flow* to its end, each request answered by *summarize*."""
    step = _advanced(flow, None)
    while isinstance(step, Request):
        step = _advanced(flow, summarize(*step))
    return step.result


async def adrive(flow: Flow[T], summarize: ASummarize, *, characters: int = 0) -> T:
    """As `drive`, of a text of so many *characters*; *summarize* is awaited."""
    step = await aside(characters, _advanced, flow, None)
    while isinstance(step, Request):
        answer = await summarize(*step)
        step = await aside(characters, _advanced, flow, answer)
    return step.result


@dataclass(frozen=True, slots=True)
class _Ended(Generic[T]):
    result: T


def _advanced(flow: Flow[T], answer: str | None) -> Request | _Ended[T]:
    """What *flow* asks next, sent the *answer* to what it asked before."""
    try:
        return next(flow) if answer is None else flow.send(answer)
    except StopIteration as end:
        return _Ended(end.value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Folding:
    """How a text becomes a recap.

    Attributes:
        room: the most tokens the recap may have.
        window: tokens of the summariser's own window; None when it is not known.
        instruction: replaces the built-in instructions.
    """

    room: int
    window: int | None = None
    counter: TokenCounter = count_tokens
    prompts: PromptRegistry = DEFAULT_PROMPTS
    instruction: str | None = None

    def flow(self, text: str, *, recap: str = "", replaced: int | None = None) -> Flow[Settled]:
        """Take *text* up into *recap*.

        *replaced* is what each summary must stay below to be worth it, in tokens.

        Raises:
            SummaryRefused: an answer is empty, or no shorter than what it replaces.
            ConfigError: the summariser's window has no room for any text.
        """
        so_far = Settled(recap)
        for piece in self._pieces(text):
            summary = yield self._request(piece, so_far.text)
            so_far = self._settled(summary, f"{so_far.text}\n{piece}", replaced)
        if not so_far.text:
            raise SummaryRefused("empty")
        return so_far

    def _request(self, piece: str, recap: str) -> Request:
        key = "context.summary_merge" if recap else "context.summary"
        earlier = f"{self.prompts.text('context.summary_prefix')}{recap}\n\n" if recap else ""
        return Request(earlier + piece, self.instruction or self.prompts.text(key))

    def _settled(self, summary: object, source: str, replaced: int | None) -> Settled:
        if not isinstance(summary, str) or not summary.strip():
            raise SummaryRefused("empty")
        room = self._recap_room
        if replaced is not None:
            if self.counter(summary.strip()) >= replaced:
                raise SummaryRefused("no_saving")
            room = min(room, replaced - 1)
        label = self.prompts.text("recap.facts")
        return settle(summary, source, room=room, counter=self.counter, label=label)

    @property
    def _recap_room(self) -> int:
        return self.room if self.window is None else min(self.room, self.window // 4)

    def _pieces(self, text: str) -> Iterator[str]:
        """*text* in pieces that fit the summariser's window beside instruction and recap."""
        room = None if self.window is None else self._piece_room(self.window)
        while text:
            piece = text if room is None else cut_to(text, room, self.counter)
            piece = _whole_words(text, piece)
            yield piece
            text = text[len(piece) :]

    def _piece_room(self, window: int) -> int:
        keys = ("context.summary", "context.summary_merge")
        instructions = [self.instruction] if self.instruction else map(self.prompts.text, keys)
        fixed = max(map(self.counter, instructions)) + 2 * FRAMING + REPLY_PRIMING + MARGIN
        prefix = self.counter(self.prompts.text("context.summary_prefix"))
        # One recap goes in and one comes out.
        room = window - fixed - prefix - 2 * self._recap_room
        if room < LEAST_PIECE:
            raise ConfigError(
                f"a summariser with a window of {window} tokens has no room for text beside its "
                f"instruction ({fixed} tokens) and its recap: use one with a larger window"
            )
        return room


def _whole_words(text: str, piece: str) -> str:
    """*piece*, the beginning of *text*, cut back to a space where one is near its end."""
    near = piece.rfind(" ", len(piece) - _NEAR) + 1
    return piece[:near] if near and len(piece) < len(text) else piece
