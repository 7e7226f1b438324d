"""What a loop does about what goes out of its model's sight."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agentmaker.agents.artefacts import shown_anew
from agentmaker.agents.calling import Calling
from agentmaker.agents.deadline import within
from agentmaker.agents.headroom import fill, headroom
from agentmaker.agents.run import ActiveRun
from agentmaker.agents.toolbox import Toolbox
from agentmaker.agents.work import Work, compacted, remarked
from agentmaker.calls.ledger import Ledger
from agentmaker.memory.notes.policy import WRITE
from agentmaker.messages import Message


@dataclass(slots=True)
class Sight:
    """How much of the work is out of sight, and whether that was acted on."""

    cut: tuple[str, ...] = ()
    was_cut: bool = False

    def narrows(self, ledger: Ledger | None) -> bool:
        """Take notice of a request; whether it showed less of the work than the one before."""
        cut = ledger.reductions if ledger else ()  # in units: tokens drift with the estimate
        narrower, self.cut = bool(cut) and cut != self.cut, cut
        self.was_cut = self.was_cut or narrower
        return narrower

    async def remark(self, run: ActiveRun, toolbox: Toolbox, calling: Calling) -> None:
        """Put under the newest result what the model should know now."""
        artefacts = await self._artefacts(run, toolbox, calling.work)
        text = "\n\n".join(filter(None, (artefacts, _reminder(run, toolbox, calling.work))))
        if text:
            await calling.keep(remarked(calling.work.part, text))

    async def _artefacts(self, run: ActiveRun, toolbox: Toolbox, work: Work) -> str:
        """After a cut, what was read last and is out of sight."""
        if not self.was_cut or run.ledger is None:
            return ""
        self.was_cut = False
        room = headroom(run.ledger, run.setting)
        return await shown_anew(work.messages, run.ledger, toolbox, room)

    async def compact(
        self, run: ActiveRun, toolbox: Toolbox, calling: Calling, question: Message
    ) -> None:
        """Make a recap of the work where the model asked for it."""
        focus, toolbox.wish = toolbox.wish, None
        if focus is None:
            return
        from agentmaker.agents.compaction import recap_of

        work = calling.work
        with within(run.meter):
            recap, spared = await recap_of(run, work.recap, (question, *work.shown), focus)
        if spared:
            await calling.keep(compacted(work.part, recap, work.start + spared))
            toolbox.repeats.cut()


def _reminder(run: ActiveRun, toolbox: Toolbox, work: Work) -> str:
    if not run.has_notes:
        return ""
    steps = _steps_since_note(work.messages)
    return toolbox.config.notes.reminder(steps, fill(run.ledger), toolbox.prompts)


def _steps_since_note(messages: Sequence[Message]) -> int:
    steps = 0
    for message in reversed(messages):
        if any(call.name == WRITE for call in message.tool_calls):
            break
        steps += message.role == "assistant"
    return steps
