"""Slots as the text of a prompt, in the language of its headings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from agentmaker.agents.prompt import Piece, Prompt
from agentmaker.agents.slots import Slots, info_text
from agentmaker.calls.forms.fence import escaped, fence
from agentmaker.calls.wire import with_text_before
from agentmaker.context.rendering import Data, to_yaml
from agentmaker.errors import ConfigError
from agentmaker.messages import Message
from agentmaker.prompts import PromptRegistry

HEADED = ("info", "instruct", "output", "input")
"""The slots that may stand under a heading of their own."""

_ENDS = "\n\r\v\f\x1c-\x1e\x85\u2028\u2029"
_BEGUN = rf"(?:^|(?<=[{_ENDS}]))((?:[^\S{_ENDS}]|[\u200b-\u200f\u2060\ufeff])*)"
"""The beginning of a line, by whatever ends the one before, and what is invisible there."""


def said_in(always: Slots, once: Slots) -> tuple[str, Message]:
    """The slot of what is asked, and that: the input, else what is to be done, else facts.

    Raises:
        ConfigError: there is none of these.
    """
    asked = once.over(always)
    if asked.input is not None:
        return "input", asked.input
    if asked.instruct:
        return "instruct", Message("\n\n".join(asked.instruct))
    if once.info:
        return "info", Message(info_text(once.info))
    raise ConfigError("nothing is asked: say it by input(...), or what is to be done by instruct")


def laid_out(always: Slots, once: Slots, prompts: PromptRegistry) -> Prompt:
    """What is asked of an agent with *always* by a request with *once*."""
    slot, said = said_in(always, once)
    asked, layout = once.over(always), Layout(prompts)
    pieces = tuple(layout.above(replace(asked, info=once.info).without(slot)))
    return Prompt(
        said=said,
        system=tuple(layout.system(replace(asked, info=always.info))),
        above=pieces,
        slot=slot,
        below=layout.under(slot, said) if pieces else None,
        output=asked.output,
    )


@dataclass(frozen=True, slots=True)
class Layout:
    """Writes the pieces of a prompt with the headings and notes of *prompts*."""

    prompts: PromptRegistry

    def system(self, slots: Slots) -> Iterator[Piece]:
        """What stands in the system message."""
        if slots.role:
            yield Piece("role", slots.role)
        if slots.system:
            yield Piece("system", "\n\n".join(slots.system))
        yield from self._info(slots.info)

    def above(self, slots: Slots) -> Iterator[Piece]:
        """What stands above what is said."""
        yield from self._info(slots.info)
        if slots.examples:
            yield Piece("examples", self._fenced("examples", to_yaml([*slots.examples])))
        if slots.instruct:
            yield Piece("instruct", self._headed("instruct", "\n\n".join(slots.instruct)))
        if slots.output is not None:
            text = f"{self.prompts.text('slots.output')}\n{slots.output.shape}"
            yield Piece("output", self._headed("output", text))

    def under(self, slot: str, said: Message) -> Message:
        """*said* under the heading of its slot; what looks like one in it is escaped."""
        if isinstance(said.content, str):
            return replace(said, content=self._headed(slot, self._apart(said.content)))
        parts = [self._part(part) for part in said.content]
        return with_text_before(replace(said, content=parts), self._heading(slot))

    def _info(self, info: Sequence[Data]) -> Iterator[Piece]:
        if info:
            yield Piece("info", self._fenced("info", info_text(info)))

    def _part(self, part: Any) -> Any:
        text = part.get("text") if isinstance(part, Mapping) else None
        return {**part, "text": self._apart(text)} if isinstance(text, str) else part

    def _heading(self, slot: str) -> str:
        return self.prompts.text(f"slots.heading.{slot}")

    def _headed(self, slot: str, text: str) -> str:
        return f"{self._heading(slot)}\n{text}"

    def _fenced(self, slot: str, text: str) -> str:
        return fence(self._unheaded(text), kind=slot, note=self.prompts.text(f"slots.{slot}"))

    def _apart(self, text: str) -> str:
        """*text* that can open no slot, without a fence around it."""
        return escaped(self._unheaded(text))

    def _unheaded(self, text: str) -> str:
        """*text* with a backslash before what looks like a heading at the start of a line."""
        headings = "|".join(re.escape(self._heading(slot)) for slot in HEADED)
        return re.sub(rf"{_BEGUN}({headings})", r"\1\\\2", text, flags=re.IGNORECASE)
