"""A compaction that the model itself asks for: its work so far as a recap."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from agentmaker.agents.run import ActiveRun
from agentmaker.calls.forms.fence import fence
from agentmaker.context.folding import ASummarize
from agentmaker.memory.recaps import without_recap
from agentmaker.memory.shrink import LONGEST_FOCUS, Shrinking
from agentmaker.messages import Message
from agentmaker.prompts import PromptRegistry
from agentmaker.tools import Tool, tool

COMPACT = "compact"

RECAP_SHARE = 0.15
"""Of the window, what a recap may take."""


def compact_tool(wish: Callable[[str], None], prompts: PromptRegistry) -> Tool:
    """The tool by which the model asks; the loop compacts once the batch is over."""

    async def compact(focus: str = "") -> str:
        wish(focus)
        return prompts.text("compact.done")

    return tool(
        compact,
        name=COMPACT,
        description=prompts.text("compact.description"),
        about={"focus": prompts.text("compact.focus")},
        idempotent=True,
    )


async def recap_of(
    run: ActiveRun, recap: str, messages: Sequence[Message], focus: str
) -> tuple[str, int]:
    """A recap of *messages*, a question and the work on it since *recap*, and how many it spares.

    ("", 0) where that wins nothing.
    """
    setting = run.setting
    shrinking = Shrinking(
        summarizer=_asking(run, focus),
        room=int(setting.window * RECAP_SHARE),
        counter=setting.counter,
        prompts=setting.prompts,
    )
    done = await shrinking(recap, messages, None)
    if done.outcome != "applied":
        return "", 0
    return without_recap(done.messages)[0], len(messages) - len(done.messages)


@dataclass(frozen=True, slots=True)
class _Wishing:
    """A summariser that is told a wish beside each text: a model's words are no instruction."""

    summarize: ASummarize
    wish: str
    context_window: int | None

    async def __call__(self, text: str, instruction: str) -> str:
        return await self.summarize(f"{text}\n\n{self.wish}", instruction)


def _asking(run: ActiveRun, focus: str) -> ASummarize | None:
    summarize, line = run.summarize, " ".join(focus.split())[:LONGEST_FOCUS]
    if summarize is None or not line:
        return summarize
    setting = run.setting
    wish = fence(line, kind="wish", note=setting.prompts.text("compact.wish"))
    window: int | None = getattr(summarize, "context_window", None)
    if window is not None:
        # The summariser takes half of its window at a time: text and wish must not be parted.
        window = window // 2 - setting.counter(wish)
    return _Wishing(summarize, wish, window)
