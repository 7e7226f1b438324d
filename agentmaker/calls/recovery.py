"""Overflow: one retry that fits by construction, then a typed error."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from agentmaker.calls.call import Call, Reply
from agentmaker.calls.middleware import Next
from agentmaker.calls.overflow import Overflow, PromptRefused
from agentmaker.calls.room import OUTPUT_CAPS, output_cap
from agentmaker.errors import ContextOverflow, ContextWindowExceeded

LEAST_OUTPUT = 512
"""Tokens that a cap the caller set may go down to in the one retry."""

UNSTATED = 0.75
"""Share of the refused prompt that is sent again where the server names no numbers."""

AsError = Callable[[ContextOverflow, Exception], Exception]


class Recovery:
    """Send a prompt the server refused as too long once more, smaller.

    A limit the server states is remembered for its model, so that later calls fit at once.
    *as_error* makes the final error what the caller's code expects.
    """

    def __init__(self, as_error: AsError = lambda overflow, cause: overflow) -> None:
        self.as_error = as_error
        self.limits: dict[str, int] = {}

    async def __call__(self, call: Call, next: Next, /) -> Reply:
        call = _within(call, self.limits.get(call.model, call.setting.window))
        try:
            return await next(call)
        except PromptRefused as error:
            refused = error
        limit = refused.overflow.limit
        if limit is not None and limit < call.setting.window:
            self.limits[call.model] = limit
        try:
            return await next(smaller(call, refused))
        except PromptRefused as error:
            raise self._final(call, error) from error.error
        except ContextWindowExceeded as error:
            raise self._final(call, refused) from error

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


def smaller(call: Call, refused: PromptRefused) -> Call:
    """*call* for a window in which it fits by the server's own count.

    Where the prompt alone fits and the caller's cap does not, the cap gives way.
    """
    overflow = refused.overflow
    estimate = refused.ledger.estimate if refused.ledger else call.setting.window
    limit = min(call.setting.window, overflow.limit or call.setting.window)
    cap = output_cap(call.params)
    if overflow.prompt is None:
        least = min(cap or LEAST_OUTPUT, LEAST_OUTPUT)
        return _within(_capped(call, least), min(limit, int(estimate * UNSTATED) + least))
    if cap is not None and limit - overflow.prompt > LEAST_OUTPUT:
        return _within(_capped(call, limit - overflow.prompt - 1), limit)
    by_our_count = int(limit / max(1.0, overflow.prompt / max(1, estimate)))
    return _within(_capped(call, LEAST_OUTPUT), by_our_count)


def _within(call: Call, window: int) -> Call:
    if window >= call.setting.window:
        return call
    return replace(call, setting=replace(call.setting, window=max(1, window)))


def _capped(call: Call, most: int) -> Call:
    """*call* with an output cap the caller sent lowered to *most*; none is added."""
    lowered = {
        name: most
        for name in OUTPUT_CAPS
        if isinstance(call.params.get(name), int) and call.params[name] > most
    }
    return replace(call, params={**call.params, **lowered}) if lowered else call


def halved(call: Call) -> Call:
    """A summary call with half of its text."""
    question = call.window.question
    if question is None:
        return call
    text = question.text[: len(question.text) // 2]
    return replace(call, window=replace(call.window, question=replace(question, content=text)))


class SummaryRecovery:
    """Send a summary request that was refused as too long once more, with half its text."""

    async def __call__(self, call: Call, next: Next, /) -> Reply:
        try:
            return await next(call)
        except PromptRefused:
            return await next(halved(call))
