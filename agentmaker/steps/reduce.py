"""Make the trajectory fit, by the strategy that knows what its kind lives on."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from agentmaker.calls.call import Call
from agentmaker.calls.middleware import Next
from agentmaker.calls.plan import Plan
from agentmaker.context.cuts import renewed
from agentmaker.context.measure import FRAMING, messages_tokens
from agentmaker.context.reducers import REDUCERS, accepted
from agentmaker.messages import Message
from agentmaker.steps.shown import dropped_messages, recap_room, shown_messages
from agentmaker.steps.summarise import asker


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
    dropped = dropped_messages(plan, plan.work)
    progress = ""
    if dropped and _stands(plan):
        progress = plan.view.progress
    elif dropped:
        shown, progress = await _reduced(call, plan, dropped, shown, ask)
    trajectory = replace(call.window.trajectory, messages=tuple(shown))
    window = replace(call.window, trajectory=trajectory, progress=progress)
    return replace(call, window=window, plan=plan)


def _stands(plan: Plan) -> bool:
    return plan.cut == plan.view.cut and plan.view.progress_at == plan.asked


async def _reduced(
    call: Call, plan: Plan, dropped: list[Message], shown: list[Message], ask: Next
) -> tuple[list[Message], str]:
    """What the reducer leaves of the trajectory, and its summary of the rest."""
    setting = call.setting
    reducer: Callable[..., Awaitable[Sequence[Message]]] = REDUCERS[call.window.trajectory.kind]
    head = [] if call.window.question is None else [call.window.question]
    room = recap_room(plan, plan.work, setting)
    if not room:
        return shown, ""
    reduced = await reducer(
        [*head, *dropped, *shown],
        summarize=asker(call, ask),
        budget=messages_tokens([*head, *shown], setting.counter) + FRAMING + room,
        counter=setting.counter,
        **accepted(
            reducer,
            keep_recent_steps=len(list(plan.shown_in(plan.work))),
            turn_start=len(head),
            prompts=setting.prompts,
        ),
    )
    left = list(reduced[len(head) :])
    summary = next((each.text for each in left if each.role == "system"), "")
    return [each for each in left if each.role != "system"], summary
