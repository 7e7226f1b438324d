"""What stands in every request of a part before the work: system, history, and the question."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from agentmaker.agents.memo import with_memo
from agentmaker.agents.prompt import Piece, Prompt
from agentmaker.calls.wire import with_text_before
from agentmaker.messages import ASKED, Message

if TYPE_CHECKING:
    from agentmaker.agents.run import ActiveRun
    from agentmaker.agents.script import Part


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """The messages before the work, and what they are made of.

    Attributes:
        memo: above the first thing that the user said.
        notes: above the question.
        ask: below the question.
        with_output: whether the answer of this part is the run's.
    """

    prompt: Prompt
    history: tuple[Message, ...] = ()
    memo: str = ""
    notes: str = ""
    ask: str = ""
    with_output: bool = False

    @property
    def messages(self) -> tuple[Message, ...]:
        """All of them, the question last."""
        said = (*self.history, self._question())
        return (*self.prompt.messages, *with_memo(self.memo, said))

    @property
    def question_pieces(self) -> Iterator[Piece]:
        """The question piece by piece."""
        if self.notes:
            yield Piece("notes", self.notes)
        yield from self.prompt.pieces(with_output=self.with_output)
        if self.ask:
            yield Piece("ask", self.ask)

    def _question(self) -> Message:
        asked = self.prompt.question(with_output=self.with_output)
        question = _with_text_behind(asked, self.ask)
        return with_text_before(question, self.notes) if self.notes else question


def opening_of(part: Part, run: ActiveRun) -> Opening:
    """The opening of *part* in *run*."""
    return Opening(
        prompt=run.prompt,
        history=run.history,
        memo=run.memo,
        notes=run.notes or "",
        ask=part.ask,
        with_output=part.output is not None and part.output is run.output_type,
    )


def _with_text_behind(message: Message, text: str) -> Message:
    if not text:
        return message
    if ASKED in message.metadata:
        asked = f"{message.metadata[ASKED]}\n\n{text}"
        message = replace(message, metadata={**message.metadata, ASKED: asked})
    if isinstance(message.content, str):
        return replace(message, content=f"{message.content}\n\n{text}")
    return replace(message, content=[*(message.content or ()), {"type": "text", "text": text}])
