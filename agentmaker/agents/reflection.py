"""An agent that drafts, has its draft criticised, and refines it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from agentmaker.agents.base import BaseAgent
from agentmaker.agents.headroom import digest_room
from agentmaker.agents.run import ActiveRun
from agentmaker.agents.script import Part, Script
from agentmaker.context.reducers import reduce_reflection, tokens_of
from agentmaker.context.reducers.reflection import distinct_points
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

    async def script(self, run: ActiveRun) -> Script:
        prompts = run.setting.prompts
        signal = prompts.text("reflection.pass")
        criticise = prompts.render("reflection.criticise", signal=signal)
        refine = prompts.text("reflection.refine")
        best = yield Part(name="draft", output=self.output)
        known = Reflection().and_then("draft", best.text)
        for number in range(1, self.config.rounds + 1):
            ask = f"{known.shown(prompts)}\n\n{criticise}"
            critique = yield Part(name=f"critique {number}", ask=ask, tools=False)
            if signal in critique.text:
                break
            known = await self._reduced(run, known.and_then("critique", critique.text), number)
            ask = f"{known.shown(prompts)}\n\n{refine}"
            best = yield Part(name=f"refine {number}", ask=ask, output=self.output)
            known = known.and_then("refine", best.text)
        run.answer(best.value, best.messages[-1])

    async def _reduced(self, run: ActiveRun, known: Reflection, number: int) -> Reflection:
        """The same within its room; what it was cut to once stays."""
        room, setting = digest_room(run, self.config.digest_share), run.setting
        texts = (each["text"] for each in known.entries)
        if tokens_of(*texts, counter=setting.counter) <= room:
            return known

        async def reduce() -> list[dict[str, str]]:
            reduced = await reduce_reflection(
                known.entries,
                summarize=run.summarize,
                budget=room,
                counter=setting.counter,
                prompts=setting.prompts,
            )
            return [dict(each) for each in reduced]

        return Reflection(tuple(await run.once(f"points {number}", reduce)))
