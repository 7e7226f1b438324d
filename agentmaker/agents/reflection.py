"""An agent that drafts, has its draft criticised, and refines it."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import ClassVar

from agentmaker.agents.base import BaseAgent
from agentmaker.agents.events import Event
from agentmaker.agents.parts import Parts
from agentmaker.agents.run import ActiveRun
from agentmaker.agents.toolbox import Toolbox
from agentmaker.context.reducers import reduce_reflection, tokens_of
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
        listed = prompts.render(
            "reflection.points", points="\n".join(f"- {each}" for each in points)
        )
        return f"{answer}\n\n{listed}" if points else answer


class ReflectionAgent(BaseAgent):
    """Drafts an answer, criticises it and refines it, until a critique passes it.

    A critique passes it by the signal in the prompt ``reflection.pass`` (``GOOD ENOUGH``); so
    does the end of ``AgentConfig.rounds``.
    """

    kind: ClassVar[str] = "reflection"

    async def work(self, run: ActiveRun, toolbox: Toolbox) -> AsyncGenerator[Event, None]:
        prompts = run.setting.prompts
        signal = prompts.text("reflection.pass")
        criticise = prompts.render("reflection.criticise", signal=signal)
        refine = prompts.text("reflection.refine")
        parts = Parts(run=run, toolbox=toolbox, system=self.system(run))
        async for event in parts.play("draft", "", output=self.output):
            yield event
        known = Reflection().and_then("draft", parts.text)
        run.output = parts.answer
        for number in range(1, self.config.rounds + 1):
            ask = f"{known.shown(prompts)}\n\n{criticise}"
            async for event in parts.play(f"critique {number}", ask, tools=False):
                yield event
            if signal in parts.text:
                break
            known = await _reduced(parts, known.and_then("critique", parts.text), number)
            ask = f"{known.shown(prompts)}\n\n{refine}"
            async for event in parts.play(f"refine {number}", ask, output=self.output):
                yield event
            known = known.and_then("refine", parts.text)
            run.output = parts.answer
        run.turns = (run.question, Message(known.answer, "assistant"))


async def _reduced(parts: Parts, known: Reflection, number: int) -> Reflection:
    """The same within its room; what it was cut to once stays."""
    setting = parts.run.setting
    if tokens_of(*(each["text"] for each in known.entries), counter=setting.counter) <= parts.room:
        return known

    async def reduce() -> list[dict[str, str]]:
        reduced = await reduce_reflection(
            known.entries,
            summarize=parts.summarize,
            budget=parts.room,
            counter=setting.counter,
            prompts=setting.prompts,
        )
        return [dict(each) for each in reduced]

    return Reflection(tuple(await parts.once(f"points {number}", reduce)))
