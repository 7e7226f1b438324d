"""Overflow: one retry, sized by the numbers the server named, then a typed error."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import replace
from typing import NoReturn

from agentmaker.calls.call import Call, Reply
from agentmaker.calls.empty import found_no_room, is_starved, roomier
from agentmaker.calls.memory.learnt import LearntLimits
from agentmaker.calls.middleware import Next
from agentmaker.calls.refusals.overflow import Overflow, PromptRefused
from agentmaker.calls.smaller import learnable, smaller, within
from agentmaker.context.clip import cut_middle
from agentmaker.errors import ContextOverflow, ContextWindowExceeded, LLMResponseError

AsError = Callable[[ContextOverflow, Exception], Exception]


class Recovery:
    """Send a prompt the server refused as too long once more, smaller.

    A reply that was starved, its length spent on thinking, is asked for once more with room for
    more output. A limit the server states, and by which the second attempt fitted, is
    remembered for its model for an hour, so that later calls fit at once. *as_error* makes the
    final error what the caller's code expects.

    Raises:
        ContextOverflow: the smaller one was refused too, or cannot be made.
        openai.APIConnectionError: the server said nothing, and nothing to the smaller one.
    """

    def __init__(
        self,
        as_error: AsError = lambda overflow, cause: overflow,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.as_error = as_error
        self.limits = LearntLimits(clock)

    async def __call__(self, call: Call, next: Next, /) -> Reply:
        call = within(call, self.limits.of(call.model) or call.setting.window)
        try:
            reply = _with_room(await next(call), call)
        except PromptRefused as error:
            return await self._smaller(call, next, error)
        return await _fed(call, next, reply) if is_starved(reply, call) else reply

    async def _smaller(self, call: Call, next: Next, refused: PromptRefused) -> Reply:
        try:
            reply = _with_room(await next(smaller(call, refused)), call)
        except PromptRefused as error:
            self._give_up(call, error)
        except ContextWindowExceeded:
            self._give_up(call, refused, resent=False)
        limit = learnable(call, refused, reply)
        if limit is not None:
            self.limits.learn(call.model, limit)
            _say_learnt(call, limit)
        return reply

    def _give_up(self, call: Call, refused: PromptRefused, *, resent: bool = True) -> NoReturn:
        if refused.silent:
            raise refused.error from None
        raise self._final(call, refused, resent=resent) from refused.error

    def _final(self, call: Call, refused: PromptRefused, *, resent: bool) -> Exception:
        overflow, ledger = refused.overflow, refused.ledger
        error = ContextOverflow(
            overflow.message,
            needed=overflow.prompt or overflow.total or (ledger.estimate if ledger else 0),
            room=overflow.limit or call.setting.window,
            status=getattr(refused.error, "status_code", None),
            ledger=ledger,
            resent=resent,
        )
        return self.as_error(error, refused.error)


def _say_learnt(call: Call, limit: int) -> None:
    """Say once for a model that its server holds less than was said."""
    if call.setting.views.first_time(("limit", call.model, limit)):
        logging.getLogger("agentmaker").warning(
            "the server of %r holds %d tokens and not %d: pass window=%d",
            call.model,
            limit,
            call.setting.window,
            limit,
        )


def _with_room(reply: Reply, call: Call) -> Reply:
    """*reply*, unless its prompt left no room for one.

    Raises:
        PromptRefused: it did.
    """
    if not found_no_room(reply, call):
        return reply
    words = f"the reply ended with {reply.finish_reason!r} before it began"
    raise PromptRefused(Overflow(message=words), reply.ledger, LLMResponseError(words))


async def _fed(call: Call, next: Next, reply: Reply) -> Reply:
    """A second reply with more room; *reply* itself where there is none or it fails."""
    again = roomier(call, reply)
    if again is None:
        return reply
    try:
        return await next(again)
    except Exception:
        # Whatever came of the second one, the first is still an answer.
        return reply


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
