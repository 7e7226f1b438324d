"""What a run would send first, by the code that sends it, shared out among the slots."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any

from agentmaker.agents.beginning import rehearsed, toolbox_of
from agentmaker.agents.equipped import Equipped
from agentmaker.agents.explained import Explained, Slot
from agentmaker.agents.opening import Opening, opening_of
from agentmaker.agents.run import ActiveRun
from agentmaker.agents.script import loop_of
from agentmaker.agents.slots import Slots
from agentmaker.calls.ledger import Ledger
from agentmaker.calls.setting import Setting
from agentmaker.clients.using import Overrides
from agentmaker.context.measure import messages_tokens
from agentmaker.errors import ContextWindowExceeded
from agentmaker.memory.recaps import fenced, without_recap
from agentmaker.messages import Message
from agentmaker.plain import dumps
from agentmaker.tokens.calibrated import spread

AMPLE = 1 << 40
"""Tokens of a window in which every request fits."""


async def explained(agent: Equipped, always: Slots, once: Slots) -> Explained:
    """The first request of a run; one that is refused, in a window that holds all of it."""
    run = await rehearsed(agent, always, once)
    try:
        return await _explained(agent, run)
    except ContextWindowExceeded as error:
        run.chat = run.chat.scoped(Overrides(window=AMPLE))
        run.setting = await run.chat.setting(run.overrides)
        return replace(await _explained(agent, run), refused=error)


async def _explained(agent: Equipped, run: ActiveRun) -> Explained:
    async with aclosing(agent.script(run)) as script:
        part = await anext(script)
    loop = loop_of(part, run, toolbox_of(agent, run))
    ledger = await run.chat.rehearse(run.arguments(loop.window, **loop.params), run.overrides)
    rows = _Rows(ledger, run.setting).of(opening_of(part, run), **loop.params)
    framing = ledger.estimate - sum(row.tokens for row in rows)
    around = Slot(slot="framing", lands="every message", tokens=framing)
    return Explained(rows=(*rows, around), ledger=ledger)


@dataclass(frozen=True, slots=True)
class _Rows:
    """Shares each row of a ledger out among the parts that are in it."""

    ledger: Ledger
    setting: Setting

    def of(self, opening: Opening, tools: Sequence[Any], response_format: Any = None) -> list[Slot]:
        return [
            *self._shared("system", self._system(opening)),
            *self._whole("tools", "tools", tools),
            *self._whole("output", "response_format", response_format),
            *self._shared("history", self._history(opening)),
            *self._shared("question", self._question(opening)),
        ]

    def _shared(self, row: str, parts: Iterator[Slot]) -> list[Slot]:
        """The parts of a row, all with less where some of them were left out to make it fit."""
        known = {str(at): part for at, part in enumerate(parts)}
        tokens = {at: part.tokens for at, part in known.items()}
        used = self.ledger[row].used
        if sum(tokens.values()) > used:
            tokens = spread(tokens, used)
        return [replace(part, tokens=tokens[at]) for at, part in known.items()]

    def _whole(self, slot: str, row: str, sent: Any) -> list[Slot]:
        used = self.ledger[row].used
        return [Slot(slot=slot, lands=row, tokens=used, text=dumps(sent))] if sent else []

    def _system(self, opening: Opening) -> Iterator[Slot]:
        for piece in opening.prompt.system:
            yield self._slot(piece.slot, "system message", piece.text)

    def _history(self, opening: Opening) -> Iterator[Slot]:
        recap, said = without_recap(opening.history)
        if opening.memo and opening.history:
            yield self._slot("memo", "first user message", opening.memo)
        if recap:
            yield self._slot("recap", "first user message", fenced(recap, self.setting.prompts))
        if said:
            yield self._said("history", "messages before", said)

    def _question(self, opening: Opening) -> Iterator[Slot]:
        if opening.memo and not opening.history:
            yield self._slot("memo", "user message", opening.memo)
        for piece in opening.question_pieces:
            yield self._slot(piece.slot, "user message", piece.text)

    def _slot(self, slot: str, lands: str, text: str) -> Slot:
        return Slot(slot=slot, lands=lands, tokens=self.setting.counter(text), text=text)

    def _said(self, slot: str, lands: str, messages: Sequence[Message]) -> Slot:
        tokens = messages_tokens(messages, self.setting.counter)
        text = "\n".join(f"{each.role}: {each.text}" for each in messages)
        return Slot(slot=slot, lands=lands, tokens=tokens, text=text)
