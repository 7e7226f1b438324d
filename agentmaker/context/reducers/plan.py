"""Reduces the step results of a plan: step numbers, figures and dates stay exact."""

from __future__ import annotations

from collections.abc import Sequence

from agentmaker.context.folding import ASummarize
from agentmaker.context.knobs import check_count
from agentmaker.context.reducers.base import check_room, tokens_of
from agentmaker.context.reducers.condense import condense
from agentmaker.prompts import DEFAULT_PROMPTS, PromptRegistry
from agentmaker.tokens import TokenCounter, adopted, count_tokens


async def reduce_plan(
    history: Sequence[str],
    *,
    summarize: ASummarize | None,
    budget: int,
    keep_recent: int = 3,
    counter: TokenCounter = count_tokens,
    prompts: PromptRegistry = DEFAULT_PROMPTS,
) -> Sequence[str]:
    """*history*, entries like ``Step 2: ...\\nResult: ...``, in at most *budget* tokens.

    Raises:
        ContextWindowExceeded: the newest *keep_recent* entries alone are larger.
        ConfigError: *keep_recent* or *budget* is negative.
    """
    check_count("budget", budget, least=0)
    check_count("keep_recent", keep_recent, least=0)
    counter = adopted(counter)
    if tokens_of(*history, counter=counter) <= budget:
        return history
    split = max(0, len(history) - keep_recent)
    kept = history[split:]
    room = check_room("the newest step results", tokens_of(*kept, counter=counter), budget)
    older = await condense(
        history[:split],
        kind="plan",
        summarize=summarize,
        room=room,
        counter=counter,
        prompts=prompts,
    )
    return [*filter(None, (older,)), *kept]
