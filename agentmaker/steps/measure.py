"""Count what is fixed, share out the window, and find the cut that stands."""

from __future__ import annotations

import logging
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace

from agentmaker.calls.call import Call
from agentmaker.calls.middleware import Next
from agentmaker.calls.plan import Plan
from agentmaker.calls.room import Room, measure
from agentmaker.calls.views import Key, Turn
from agentmaker.context.cuts import fold
from agentmaker.context.floor import check_floor


async def step(call: Call, ask: Next, /) -> Call:
    """Measure the call and look up what was shown of its conversation before.

    Raises:
        ContextWindowExceeded: what must be sent does not fit, named before anything is fetched.
    """
    room = measure(call.window, call.setting, call.params)
    if room.crowded and call.setting.views.first_time(("crowded", call.model, room.window)):
        _say_crowded(call.model, room)
    return replace(call, plan=_planned(call, room))


def _planned(call: Call, room: Room) -> Plan:
    setting, window = call.setting, call.window
    conversation = window.conversation
    measured = setting.views.measurements.of(window.system, conversation, setting.counter)
    kind = window.trajectory.kind
    policy = (setting.window, setting.budget, setting.output_tokens, call.model, kind)
    turn = len(conversation) - len(window.trajectory.messages)
    plan = Plan(
        room=room,
        conversation=conversation,
        units=measured.units,
        spans=measured.spans,
        asked=None if window.question is None else _unit_of(measured.spans, turn - 1),
        key=Key(call.scope, policy, measured.digests[-1]),
        turn=Turn(Key(call.scope, policy, measured.digests[turn]), setting.sources),
        view=setting.views.latest(call.scope, policy, measured.digests),
    )
    limits = plan.policy(setting.budget.low_water)
    check_floor(plan.units, limits.most)
    if setting.fills:
        return plan
    lasting = replace(limits, room=max(0, room.shared - room.block))
    return plan.with_cut(fold(plan.units, lasting, plan.view.cut))


def _unit_of(spans: Sequence[range], message: int) -> int:
    return bisect_right(spans, message, key=lambda span: span.start) - 1


def _say_crowded(model: str, room: Room) -> None:
    """Say that the fixed parts leave the conversation little."""
    logging.getLogger("agentmaker").warning(
        "system prompt (%d tokens) and tools (%d) crowd the window of %r (%d): %d tokens are left "
        "for the conversation and %d for the reply; shorten them, use a model with a larger "
        "window, or reserve less with output_tokens",
        room.system,
        room.tools,
        model,
        room.window,
        room.shared,
        room.output,
    )
