"""A compaction that the model itself asks for: its work so far as a recap."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from agentmaker.agents.run import ActiveRun
from agentmaker.memory.recaps import without_recap
from agentmaker.memory.shrink import Shrinking
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
        summarizer=run.summarize,
        room=int(setting.window * RECAP_SHARE),
        counter=setting.counter,
        prompts=setting.prompts,
    )
    done = await shrinking(recap, messages, focus)
    if done.outcome != "applied":
        return "", 0
    return without_recap(done.messages)[0], len(messages) - len(done.messages)
