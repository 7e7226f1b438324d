"""Older entries of a trajectory as one marked text, by a summariser or without one."""

from __future__ import annotations

from collections.abc import Reversible
from itertools import islice

from agentmaker.context.aside import aside
from agentmaker.context.clip import fits
from agentmaker.context.folding import ASummarize
from agentmaker.context.recap import extract, settle
from agentmaker.context.transcript import Entries
from agentmaker.prompts import DEFAULT_PROMPTS, PromptRegistry
from agentmaker.tokens import TokenCounter, count_tokens, unremembered

READ = 64
"""Of so many of the newest entries the size is looked at: an extract reads few more."""


async def condense(
    entries: Reversible[str],
    *,
    kind: str,
    summarize: ASummarize | None,
    room: int,
    counter: TokenCounter = count_tokens,
    prompts: PromptRegistry = DEFAULT_PROMPTS,
) -> str:
    """*entries* (oldest first) in at most *room* tokens, under the mark of *kind*.

    An entry that is itself such a text is taken up without its mark. "" when there is
    nothing to say or no room to say it.
    """
    mark, label = prompts.text(f"reducer.{kind}.mark"), prompts.text("recap.facts")
    said = Entries(entries, lambda entry: entry.removeprefix(mark).strip())
    left = room - counter(f"{mark}\n")
    if left < 1 or not any(said):
        return ""
    text = "" if summarize is None else "\n".join(said)
    summary = await summary_of(text, prompts.text(f"reducer.{kind}.summary"), summarize, counter)
    if summary:
        settled = await aside(
            len(text), settle, summary, text, room=left, counter=counter, label=label
        )
        return _marked(mark, settled.text, room, counter)
    size = sum(map(len, islice(reversed(said), READ)))
    extracted = await aside(size, extract, said, room=left, counter=counter, label=label)
    return _marked(mark, extracted, room, counter)


async def summary_of(
    text: str, instruction: str, summarize: ASummarize | None, counter: TokenCounter
) -> str:
    """What *summarize* makes of *text*; "" when that is of no use: empty, failed or no shorter."""
    if summarize is None:
        return ""
    try:
        summary: object = await summarize(text, instruction)
    except Exception:  # whatever ails a summariser, the work goes on with an extract
        return ""
    if not isinstance(summary, str):
        return ""
    saves = not await aside(len(summary), fits, text, counter(summary), counter)
    return summary.strip() if saves else ""


def _marked(mark: str, text: str, room: int, counter: TokenCounter) -> str:
    """*text* under *mark*, or "" when the two together count more than they did apart."""
    marked = f"{mark}\n{text}" if text else ""
    return marked if unremembered(counter)(marked) <= room else ""
