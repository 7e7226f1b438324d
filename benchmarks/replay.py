"""Conversations put through the engine, each with a memory of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any

from agentmaker.clients.fit import Fitted, Fitter
from benchmarks.data import Conversation, Messages

MODEL = "gpt-4o"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of one call: a fitted request or an error."""

    asked: Messages
    fitted: Fitted | None = None
    error: Exception | None = None

    def result(self) -> Fitted:
        """What was fitted; raises where nothing was."""
        if self.fitted is None:
            raise self.error or RuntimeError("the call was never made")
        return self.fitted


async def replay(conversation: Conversation, **options: Any) -> AsyncIterator[Outcome]:
    """Fit call after call; *options* are those of `Fitter`."""
    fitter = Fitter(model=MODEL, **options)
    for asked in conversation.requests():
        yield await _outcome(fitter, asked, conversation.tools)


async def _outcome(fitter: Fitter, asked: Messages, tools: Sequence[dict[str, Any]]) -> Outcome:
    try:
        return Outcome(asked=asked, fitted=await fitter.fit(asked, tools=tools))
    except Exception as error:  # whatever it is, it is counted and the replay goes on
        return Outcome(asked=asked, error=error)
