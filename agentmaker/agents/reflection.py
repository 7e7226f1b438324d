"""An agent that drafts, has its draft criticised, and refines it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import ClassVar

from agentmaker.agents.base import BaseAgent
from agentmaker.agents.events import Event
from agentmaker.agents.parts import Parts
from agentmaker.agents.run import ActiveRun
from agentmaker.agents.toolbox import Toolbox
from agentmaker.context.reducers import reduce_reflection
from agentmaker.context.reducers.reflection import distinct_points
from agentmaker.messages import Message
from agentmaker.prompts import PromptRegistry


@dataclass(frozen=True, slots=True)
class Reflection:
    """The trajectory: drafts, critiques and refinements, the newest last."""

    entries: tuple[dict[str, str], ...] = ()

    @property
    def answer(self) -> str:
        """The newest draft or refinement."""
        answers = (each["text"] for each in reversed(self.entries) if each["kind"] != "critique")
        return next(answers, "")

    def and_then(self, kind: str, text: str) -> Reflection:
        return Reflection((*self.entries, {"kind": kind, "text": text}))

    def shown(self, prompts: PromptRegistry) -> str:
        """The newest answer, and every distinct point made so far."""
        points = distinct_points(self.entries, prompts)
        answer = prompts.render("reflection.answer", answer=self.answer)
        listed = prompts.render("reflection.points", points="\n".join(f"- {each}" for each in points))
        return f"{answer}\n\n{listed}" if points else answer


class ReflectionAgent(BaseAgent):
    """Drafts an answer, criticises it and refines it, until a critique passes it.

    A critique passes it by the signal in the prompt ``reflection.pass`` (``GOOD ENOUGH``); so
    does the end of ``AgentConfig.rounds``.
    """

    kind: ClassVar[str] = "reflection"

    async def work(self, run: ActiveRun, toolbox: Toolbox) -> AsyncIterator[Event]:
        prompts = run.setting.prompts
        parts = Parts(run=run, toolbox=toolbox, system=self.system(run))
        async for event in parts.play("draft", "", output=self.output):
            yield event
        known = self._answered(parts, Reflection(), "draft")
        for number in range(1, self.config.rounds + 1):
            async for event in parts.play(f"critique {number}", self._criticise(known, prompts), tools=False):
                yield event
            if prompts.text("reflection.pass") in parts.text:
                break
            known = known.and_then("critique", parts.text)
            known = await self._reduced(parts, known, number)
            refine = f"{known.shown(prompts)}\n\n{prompts.text('reflection.refine')}"
            async for event in parts.play(f"refine {number}", refine, output=self.output):
                yield event
            known = self._answered(parts, known, "refine")
