"""Ask a model for a summary, in pieces that fit its own window."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from agentmaker.calls.call import Call, Reply, new_id
from agentmaker.calls.middleware import Next
from agentmaker.calls.setting import SummaryModel
from agentmaker.calls.window import Window
from agentmaker.context.aside import aside
from agentmaker.context.folding import Folding, adrive
from agentmaker.errors import LLMResponseError
from agentmaker.messages import Message

LEAST = 128
"""Tokens a recap must have room for; an extract says nearly as much in less, and asks nobody.

Where system prompt and tools crowd the window, cuts come often and win little: a request for
each of them would cost more than it saves.
"""


@dataclass(frozen=True, slots=True)
class Asker:
    """The summariser of one call, as a model and as a function ``(text, instruction)``."""

    call: Call
    ask: Next
    model: SummaryModel

    @property
    def context_window(self) -> int:
        return self.model.window

    async def chat(self, messages: Sequence[Message], /) -> Reply:
        """Send one summary request down the chain."""
        model = self.model
        setting = replace(
            self.call.setting,
            window=model.window,
            counter=model.counter,
            # The pieces leave the room that their summary needs; no cap is sent.
            budget=replace(self.call.setting.budget, min_output_tokens=1),
            dialect=model.dialect,
            sources=(),
            summary=None,
        )
        return await self.ask(
            Call(
                window=Window.from_messages(messages),
                setting=setting,
                model=model.model,
                scope=self.call.scope,
                purpose="summary",
                run=self.call.run,
                run_id=self.call.run_id,
                request_id=new_id(),
            )
        )

    async def __call__(self, text: str, instruction: str) -> str:
        """Summarise *text*; one larger than the model's window is folded in piece by piece.

        Raises:
            SummaryRefused: an answer was empty, or no shorter than the text.
            LLMResponseError: an answer was not finished.
        """
        try:
            return await self._folded(text, instruction)
        except Exception:
            self.give_up()
            raise

    def give_up(self) -> None:
        """Ask for no other summary for this request: it does with extracts."""
        self.call.setting.views.go_without_summary(self.call.request_id)

    async def _folded(self, text: str, instruction: str) -> str:
        folding = Folding(
            room=self.model.window // 4,
            window=self.model.window,
            counter=self.model.counter,
            prompts=self.call.setting.prompts,
            instruction=instruction,
        )
        replaced = await aside(len(text), self.model.counter, text)
        flow = folding.flow(text, replaced=replaced)
        return (await adrive(flow, self._one, characters=len(text))).text

    async def _one(self, text: str, instruction: str) -> str:
        reply = await self.chat([Message(instruction, "system"), Message(text)])
        if reply.finish_reason != "stop":
            raise LLMResponseError(f"the summary ended with {reply.finish_reason!r}, not 'stop'")
        return reply.content or ""


def asker(call: Call, ask: Next) -> Asker | None:
    """Who summarises for *call*.

    None where no model is set, its last answer was of no use, or the recap has no room.
    """
    model = call.setting.summary
    if model is None or call.setting.views.goes_without_summary(call.request_id):
        return None
    return Asker(call, ask, model) if _recap_room(call) >= LEAST else None


def _recap_room(call: Call) -> int:
    plan = call.plan
    return LEAST if plan is None else plan.policy(call.setting.budget.low_water).recap
