"""Make the trajectory fit, by the strategy that knows what its kind lives on."""

from __future__ import annotations

from dataclasses import replace

from agentmaker.calls.call import Call
from agentmaker.calls.middleware import Next
from agentmaker.calls.plan import Plan
from agentmaker.calls.window import Trajectory
from agentmaker.context.cuts import renewed
from agentmaker.context.measure import FRAMING, messages_tokens
from agentmaker.context.reducers import REDUCERS
from agentmaker.messages import Message
from agentmaker.steps.shown import dropped_messages, recap_room, shown_messages
from agentmaker.steps.summarise import summariser


async def step(call: Call, ask: Next, /) -> Call:
    """Settle the cut for this request and reduce the trajectory to what it shows.

    Raises:
        ContextWindowExceeded: the question and the barest newest unit do not fit.
    """
    plan = call.plan
    if plan is None or not plan.units:
        return call
    limits = plan.policy(call.setting.budget.low_water)
    plan = plan.with_cut(renewed(plan.units, limits, plan.cut))
    shown = shown_messages(plan, plan.work, call.setting)
    progress = await _progress(call, plan, shown, ask)
    trajectory = Trajectory(kind=call.window.trajectory.kind, messages=tuple(shown))
    window = replace(call.window, trajectory=trajectory, progress=progress)
    return replace(call, window=window, plan=plan)


async def _progress(call: Call, plan: Plan, shown: list[Message], ask: Next) -> str:
    """What stands for the dropped steps; what stood before, while the cut stands."""
    dropped = dropped_messages(plan, plan.work)
    if not dropped:
        return ""
    if plan.cut == plan.view.cut and plan.view.progress_at == plan.asked:
        return plan.view.progress
    setting = call.setting
    head = [] if call.window.question is None else [call.window.question]
    room = recap_room(plan, plan.work, setting) + FRAMING
    reduced = await REDUCERS[call.window.trajectory.kind](
        [*head, *dropped, *shown],
        summarize=summariser(call, ask),
        budget=messages_tokens([*head, *shown], setting.counter) + room,
        keep_recent_steps=len(list(plan.shown_in(plan.work))),
        turn_start=len(head),
        counter=setting.counter,
        prompts=setting.prompts,
    )
    return next((each.text for each in reduced if each.role == "system"), "")
