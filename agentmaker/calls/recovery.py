"""Overflow: one retry, sized by the numbers the server named, then a typed error."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from agentmaker.calls.call import Call, Reply
from agentmaker.calls.middleware import Next
from agentmaker.calls.overflow import PromptRefused
from agentmaker.calls.smaller import believed, smaller, within
from agentmaker.context.clip import cut_middle
from agentmaker.errors import ContextOverflow, ContextWindowExceeded

AsError = Callable[[ContextOverflow, Exception], Exception]

MOST_MODELS = 1_000
"""Limits are remembered for so many models."""


class Recovery:
    """Send a prompt the server refused as too long once more, smaller.

    A limit the server states, and by which the second attempt fitted, is remembered for its
    model, so that later calls fit at once. *as_error* makes the final error what the caller's
    code expects.

    Raises:
        ContextOverflow: the smaller one was refused too, or cannot be made.
    """

    def __init__(self, as_error: AsError = lambda overflow, cause: overflow) -> None:
        self.as_error = as_error
        self.limits: dict[str, int] = {}

    async def __call__(self, call: Call, next: Next, /) -> Reply:
        call = within(call, self.limits.get(call.model, call.setting.window))
        try:
            return await next(call)
        except PromptRefused as error:
            refused = error
        try:
            reply = await next(smaller(call, refused))
        except PromptRefused as error:
            raise self._final(call, error) from error.error
        except ContextWindowExceeded:
            raise self._final(call, refused) from refused.error
        self._learn(call, refused)
        return reply

    def _learn(self, call: Call, refused: PromptRefused) -> None:
        limit = believed(refused.overflow, call.setting.window)
        if limit is not None and limit < call.setting.window:
            self.limits.pop(call.model, None)
            self.limits[call.model] = limit
        if len(self.limits) > MOST_MODELS:
            del self.limits[next(iter(self.limits))]

    def _final(self, call: Call, refused: PromptRefused) -> Exception:
        overflow, ledger = refused.overflow, refused.ledger
        error = ContextOverflow(
            overflow.message,
            needed=overflow.prompt or (ledger.estimate if ledger else 0),
            room=overflow.limit or call.setting.window,
            status=getattr(refused.error, "status_code", None),
            ledger=ledger,
        )
        return self.as_error(error, refused.error)


class SummaryRecovery:
    """Send a summary request that was refused as too long once more, with half its text."""

    async def __call__(self, call: Call, next: Next, /) -> Reply:
        try:
            return await next(call)
        except PromptRefused:
            half = halved(call)
            if half is None:
                raise
        return await next(half)


def halved(call: Call) -> Call | None:
    """A summary call with head and tail of its text, half of it in all; None without any."""
    question, setting = call.window.question, call.setting
    if question is None:
        return None
    half = setting.counter(question.text) // 2
    text = cut_middle(
        question.text, half, setting.counter, setting.prompts.render("wire.cut", dropped=half)
    )
    window = replace(call.window, question=replace(question, content=text))
    return replace(call, window=window) if text else None
