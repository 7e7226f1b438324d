"""Ask a model for a summary, in pieces that fit its own window."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from agentmaker.calls.call import Call, Reply, new_id
from agentmaker.calls.middleware import Next
from agentmaker.calls.setting import SummaryModel
from agentmaker.calls.window import Window
from agentmaker.context.folding import Folding, adrive
from agentmaker.errors import LLMResponseError
from agentmaker.messages import Message


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
            SummaryRefused: an answer was empty.
            LLMResponseError: an answer was not finished.
        """
        folding = Folding(
            room=self.model.window // 4,
            window=self.model.window,
            counter=self.model.counter,
            prompts=self.call.setting.prompts,
            instruction=instruction,
        )
        return (await adrive(folding.flow(text), self._one)).text

    async def _one(self, text: str, instruction: str) -> str:
        reply = await self.chat([Message(instruction, "system"), Message(text)])
        if reply.finish_reason != "stop":
            raise LLMResponseError(f"the summary ended with {reply.finish_reason!r}, not 'stop'")
        return reply.content or ""


def asker(call: Call, ask: Next) -> Asker | None:
    """Who summarises for *call*; None where no model is set for it."""
    model = call.setting.summary
    return None if model is None else Asker(call, ask, model)
