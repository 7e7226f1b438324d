"""Count what is fixed, share out the window, and find the cut that stands."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from operator import attrgetter

from agentmaker.calls.call import Call, changed
from agentmaker.calls.memory.measured import Measured
from agentmaker.calls.middleware import Next
from agentmaker.calls.plan import Plan
from agentmaker.calls.room import Fixed, Room, shared_out, told_as_counted
from agentmaker.calls.views import Key, Turn, View
from agentmaker.context.cuts import fold
from agentmaker.context.floor import check_floor
from agentmaker.context.growing import Growing
from agentmaker.errors import ContextWindowExceeded
from agentmaker.tokens.calibrated import Count, Scale, bounded

COMPOSED = 100
"""So many of the newest units say what a conversation is made of."""


async def step(call: Call, ask: Next, /) -> Call:
    """Measure the call and look up what was shown of its conversation before.

    Raises:
        ContextWindowExceeded: what must be sent does not fit, named before anything is fetched.
    """
    plan = _planned(call, Fixed.of(call.window, call.setting))
    room = plan.account
    if room.crowded and call.setting.views.first_time(("crowded", call.model, room.window)):
        _say_crowded(call.model, room)
    return changed(call, plan=_with_standing_cut(call, plan))


def _planned(call: Call, fixed: Fixed) -> Plan:
    setting, window = call.setting, call.window
    conversation = window.conversation
    measured = setting.views.measurements.of(window.system, conversation, setting.counter)
    kind = window.trajectory.kind
    policy = (setting.window, setting.budget, setting.output_tokens, call.model, kind)
    turn = len(conversation) - len(window.trajectory.messages)
    view = setting.views.latest(call.scope, policy, measured.digests)
    scale = _scale(call, measured.digests, fixed)
    density = _density(call, scale, _added(measured, scale), view)
    stood = View() if setting.fills else view
    account = shared_out(fixed.counted(density, scale.tools.tokens), setting, call.params)
    return Plan(
        room=account.as_we_count(fixed, density),
        account=account,
        conversation=conversation,
        units=measured.units,
        spans=measured.spans,
        asked=None if window.question is None else _unit_of(measured.spans, turn - 1),
        key=Key(call.scope, policy, measured.digests[-1]),
        turn=Turn(Key(call.scope, policy, measured.digests[turn]), setting.sources),
        view=view,
        cut=stood.cut,
        kept=stood.kept,
        progress=stood.progress,
        lost=stood.lost,
        fixed=fixed,
        scale=scale,
        density=density,
    )


def _with_standing_cut(call: Call, plan: Plan) -> Plan:
    setting, room = call.setting, plan.room
    limits = plan.policy(setting.budget.low_water)
    try:
        check_floor(plan.units, limits.most)
    except ContextWindowExceeded as error:
        raise told_as_counted(error, plan.density) from None
    if setting.fills:
        return plan
    lasting = replace(limits, room=max(0, room.shared - room.block)) if room.block else limits
    return plan.with_cut(fold(plan.units, lasting, plan.view.cut))


def _scale(call: Call, digests: Sequence[bytes], fixed: Fixed) -> Scale:
    if not call.setting.budget.calibrate:
        return Scale(tools=fixed.schemas)
    known = call.setting.calibrations
    return known.scale(call.model, call.scope, digests, fixed.schemas, fixed.digest)


def _density(call: Call, scale: Scale, added: Count, view: View) -> float:
    """Tokens of the provider for one of ours, by which this request is planned.

    What is likely now counts at once. Less only where several samples agree, and what stands
    is not cut anew for more than it was cut by.
    """
    now, cautious = scale.density(added), scale.cautious
    if view.cut is not None:
        cautious = min(cautious, view.density)
    return bounded(max(now, cautious, call.density))


def _added(measured: Measured, scale: Scale) -> Count:
    """What the newest units add to the scale's sample."""
    length = scale.sample.length if scale.sample else 0
    first = max(_unit_of(measured.spans, length), len(measured.units) - COMPOSED, 0)
    added = measured.units[first:] if length < len(measured.messages) else ()
    results = sum([sum(unit.elastic) for unit in added if unit.kind == "work"])
    return Count(text=sum([unit.within() for unit in added]) - results, results=results)


def _unit_of(spans: Growing[range], message: int) -> int:
    return spans.upto_value(message, key=attrgetter("start")) - 1


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
