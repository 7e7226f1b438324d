"""How small a refused call must become to fit by the server's own count.

What is sent again is sized by how far that count was from ours for the whole, with a quarter to
spare for texts that differ from the others.
"""

from __future__ import annotations

from dataclasses import replace

from agentmaker.calls.call import Call, Reply
from agentmaker.calls.refusals.overflow import Overflow, PromptRefused
from agentmaker.calls.room import OUTPUT_CAPS, output_cap, reserve
from agentmaker.messages import has_media

SPREAD = 1.25
"""How much further from ours the server's count of what is left may be than that of the whole."""

FARTHEST = 2.0
"""How many times larger than ours the count of a server that does not state it is taken to be."""

LEAST_OUTPUT = 512
"""Tokens that a cap the caller set may go down to."""

LEAST_WINDOW = 512
"""A server that states a smaller limit is not believed."""

UNSTATED = 0.75
"""Share of the refused prompt that is sent again where the server names no sizes."""


def smaller(call: Call, refused: PromptRefused) -> Call:
    """*call* with less to send: a lower cap where that is enough, else a smaller prompt too."""
    overflow, setting = refused.overflow, call.setting
    prompt = _prompt(overflow, call)
    limit = _exceeded(overflow, prompt) or believed(overflow, setting.window)
    estimate = _estimate(call, refused)
    left = limit - prompt - 1 if limit and prompt else 0
    cap = output_cap(call.params)
    if cap is not None and LEAST_OUTPUT <= left < cap and not setting.fills:
        return capped(call, left)
    call = capped(call, LEAST_OUTPUT)
    _, reply = reserve(setting, call.params)
    if limit is not None:
        reply = min(reply, int(limit * setting.budget.max_output_fraction))
    window = max(1, _target(overflow.excess, estimate, limit, prompt, reply)) + reply
    return replace(call, setting=replace(setting, window=window, output_tokens=reply))


def within(call: Call, window: int) -> Call:
    """*call* for a window known to be no larger than *window*, its reply's part held to a share."""
    setting = call.setting
    if window >= setting.window:
        return call
    most = max(1, int(window * setting.budget.max_output_fraction))
    output = min(setting.output_tokens, most) if setting.output_tokens else None
    setting = replace(setting, window=window, output_tokens=output)
    return capped(replace(call, setting=setting), most)


def capped(call: Call, most: int) -> Call:
    """*call* with an output cap the caller sent lowered to *most*; none is added."""
    sent = {name: output_cap({name: call.params.get(name)}) for name in OUTPUT_CAPS}
    lowered = {name: most for name, cap in sent.items() if cap is not None and cap > most}
    return replace(call, params={**call.params, **lowered}) if lowered else call


def believed(overflow: Overflow, window: int) -> int | None:
    """The limit the server stated, at most *window*; None for none or one too small to be true."""
    limit = overflow.limit
    return None if limit is None or limit < LEAST_WINDOW else min(limit, window)


def _exceeded(overflow: Overflow, prompt: int | None) -> int | None:
    """The limit the server stated where its count is above that: what it holds the prompt to."""
    limit = overflow.limit
    return limit if limit and prompt and prompt > limit >= LEAST_WINDOW else None


def learnable(call: Call, refused: PromptRefused, reply: Reply | None = None) -> int | None:
    """The limit the server stated; None where nothing was learnt.

    Where it counts more than calibration can make up for, in tokens as we count them. Where it
    did not say what it counted, the usage of the smaller one's *reply* does.
    """
    overflow, window = refused.overflow, call.setting.window
    if believed(overflow, window) is None or overflow.limit is None:
        return None
    counted, ledger, learnt = _prompt(overflow, call), refused.ledger, refused.learnt
    if overflow.prompt is None and overflow.total is None and reply and reply.usage:
        counted, ledger, learnt = reply.usage.prompt_tokens, reply.ledger, reply.learnt
    # What pictures cost is a guess, and says nothing of how texts are counted.
    guessed = any(has_media(message.content) for message in call.window.conversation)
    if counted is None or ledger is None or guessed or learnt:
        apart = 1.0
    else:
        apart = max(1.0, counted / max(1, ledger.estimate))
    limit = max(LEAST_WINDOW, int(overflow.limit / apart))
    return limit if limit < window else None


def _estimate(call: Call, refused: PromptRefused) -> int:
    """Tokens of the refused prompt as what is planned next will be counted."""
    if refused.ledger is None:
        return call.setting.window
    return (refused.learnt and refused.overflow.prompt) or refused.ledger.estimate


def _prompt(overflow: Overflow, call: Call) -> int | None:
    """Tokens of the prompt by the server's count, None where it did not say."""
    if overflow.prompt or not overflow.total:
        return overflow.prompt
    output = output_cap(call.params) or 0 if overflow.output is None else overflow.output
    return max(1, overflow.total - output)


def _target(
    excess: int | None, estimate: int, limit: int | None, prompt: int | None, reply: int
) -> int:
    """Tokens the prompt may have, by our count."""
    unexplained = int(estimate * UNSTATED)
    if limit is None:
        if excess is None:
            return unexplained
        # An excess above all that was sent, by our count, says that the server counts far more.
        over = excess >= estimate
        return int(estimate / (FARTHEST * SPREAD) if over else (estimate - excess) / SPREAD)
    room = limit - reply
    if prompt is None:
        return min(unexplained, int(room / FARTHEST))
    if prompt <= room:
        return unexplained
    apart = max(1.0, prompt / max(1, estimate))
    return int(room / (apart * SPREAD))
