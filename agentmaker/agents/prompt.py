"""What a run is asked, laid out: kept with the run, so that it is asked the same when resumed.

- Role, rules and what an agent always has as info are one system message: they hold still, and
  so does the beginning of every request. Info is fenced there as well, so that it gives no orders.
- All else is one message of the user's, in this order: info, examples, instruct, output, input.
  What is data is fenced, and can open no other slot.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from agentmaker.agents.outputs import Output, read_output
from agentmaker.calls.wire import with_text_before
from agentmaker.errors import SessionError
from agentmaker.messages import ASKED, Message


@dataclass(frozen=True, slots=True)
class Piece:
    """The text of one slot, as it is sent."""

    slot: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """The slots of one run as text.

    Attributes:
        said: what the user said, as the session keeps it.
        system: the pieces of the system message.
        above: the pieces above what is said, in the same message.
        slot: which slot what is said comes from.
        below: what is said under its heading, as it is sent where there are pieces above it.
        output: what answers are to be read as, where a slot says so.
    """

    said: Message
    system: tuple[Piece, ...] = ()
    above: tuple[Piece, ...] = ()
    slot: str = "input"
    below: Message | None = None
    output: Output | None = None

    @property
    def messages(self) -> tuple[Message, ...]:
        """What stands first of all."""
        text = _joined(self.system)
        return (Message(text, "system"),) if text else ()

    def pieces(self, *, with_output: bool) -> tuple[Piece, ...]:
        """The user's message piece by piece; without what says how the answer is to look."""
        above = tuple(piece for piece in self.above if with_output or piece.slot != "output")
        last = self.below if above and self.below else self.said
        return (*above, Piece(self.slot, last.text))

    def question(self, *, with_output: bool) -> Message:
        """The user's message; a source is asked what was said in it."""
        *above, _ = self.pieces(with_output=with_output)
        if not above or self.below is None:
            return self.said
        message = with_text_before(self.below, _joined(above))
        return replace(message, metadata={**message.metadata, ASKED: self.said.text})

    def to_json(self) -> dict[str, Any]:
        """All of it but what was said."""
        return {
            "system": [[piece.slot, piece.text] for piece in self.system],
            "above": [[piece.slot, piece.text] for piece in self.above],
            "slot": self.slot,
            "below": self.below and self.below.to_wire(),
            "output": self.output and [self.output.digest, self.output.contract],
        }


def kept_prompt(data: Mapping[str, Any], outputs: Sequence[Output | None]) -> Prompt:
    """The prompt of a run from its *data*; its output is of *outputs* or has words in there.

    Raises:
        SessionError: it is neither.
    """
    kept, said = data.get("prompt"), Message.from_wire(data["question"])
    if kept is None:
        raise SessionError("an older version began this run: ask its question again")
    return Prompt(
        said=said,
        system=tuple(Piece(*each) for each in kept["system"]),
        above=tuple(Piece(*each) for each in kept["above"]),
        slot=kept["slot"],
        below=kept["below"] and Message.from_wire(kept["below"]),
        output=kept["output"] and _output(kept["output"], outputs),
    )


def _output(kept: Sequence[Any], outputs: Sequence[Output | None]) -> Output | None:
    digest, contract = kept
    known = next((each for each in outputs if each and each.digest == digest), None)
    if known is not None or contract is not None:
        return known or read_output(contract)
    raise SessionError(
        "the answer of this run was to be of a type that this agent does not have: "
        "resume it by agent.output(that type).resume(run id)"
    )


def _joined(pieces: Sequence[Piece]) -> str:
    return "\n\n".join(piece.text for piece in pieces)
