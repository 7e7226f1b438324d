"""Count what is new, a piece at a time: the steps that follow only look their counts up."""

from __future__ import annotations

from dataclasses import replace

from agentmaker.calls.call import Call
from agentmaker.calls.middleware import Next
from agentmaker.context.counting import Counting
from agentmaker.tokens import CountMemo, ExactCounter

PORTION = 256
"""Messages measured at once, between two turns of the event loop."""

FEW = 2
"""So many new messages are left to be counted where they are measured: they hold up nobody."""


async def step(call: Call, ask: Next, /) -> Call:
    """Count the call's texts; cancelled between two pieces, no half of a count is remembered."""
    if not isinstance(call.setting.counter, CountMemo):
        return call
    counting = Counting(call.setting.counter)
    await _count(call, counting)
    return replace(call, own_ms=call.own_ms - counting.waited * 1000) if counting.waited else call


async def _count(call: Call, counting: Counting) -> None:
    window, measurements = call.window, call.setting.views.measurements
    # Other counters take a text in one piece.
    in_pieces = isinstance(counting.memo.counter, ExactCounter)
    if in_pieces:
        for schemas in filter(None, (window.tools, window.response_format)):
            await counting.text(call.setting.views.schemas.text(schemas))
    conversation = window.conversation
    known = measurements.known(window.system, conversation, counting.memo)
    if known and len(conversation) - known <= FEW and not in_pieces:
        return
    if not known:
        await counting.messages(window.system)
    for start in range(known, len(conversation), PORTION):
        await counting.messages(conversation[start : start + PORTION])
        if start + PORTION < len(conversation):
            measurements.of(window.system, conversation[: start + PORTION], counting.memo)
