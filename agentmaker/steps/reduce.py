"""Make the trajectory fit, by the strategy that knows what its kind lives on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from inspect import isawaitable

from agentmaker.calls.call import Call, changed
from agentmaker.calls.middleware import Next
from agentmaker.calls.plan import Plan
from agentmaker.calls.room import told_as_counted
from agentmaker.calls.window import Trajectory
from agentmaker.context.aside import aside
from agentmaker.context.cuts import standing_cut
from agentmaker.context.measure import FRAMING, messages_tokens
from agentmaker.context.recap import head_of
from agentmaker.context.reducers import OF_ENTRIES, REDUCERS, accepted
from agentmaker.errors import ConfigError, ContextWindowExceeded
from agentmaker.messages import Message, units
from agentmaker.steps.shown import (
    dropped_characters,
    dropped_messages,
    lost_in,
    recap_room,
    shown_messages,
)
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
    try:
        plan = plan.with_cut(standing_cut(plan.units, limits, plan.cut))
    except ContextWindowExceeded as error:
        raise told_as_counted(error, plan.density) from None
    plan = await _reduced(call, plan, ask)
    window = call.window
    if plan.this_turn and plan.cut is not None:
        later = range(plan.cut.end, len(plan.units))
        messages = (*plan.kept, *(plan.messages_in(later) if later else ()))
        trajectory = Trajectory(kind=window.trajectory.kind, messages=messages)
        window = replace(window, trajectory=trajectory, progress=plan.progress)
    if plan is call.plan and window is call.window:
        return call
    return changed(call, window=window, plan=plan)


async def _reduced(call: Call, plan: Plan, ask: Next) -> Plan:
    """The plan with what is left of the units of the cut behind its question."""
    if plan.cut is None or plan.stands:
        return plan
    setting = call.setting
    kept = await shown_messages(plan, plan.behind, setting)
    dropped = dropped_messages(plan, plan.behind)
    room = recap_room(plan, plan.behind, setting)
    if not dropped or not room:
        return replace(plan, kept=tuple(kept))
    head = plan.messages_of(plan.cut.asked) if plan.cut.asked is not None else ()
    given = [*head, *dropped, *kept]
    kind = call.window.trajectory.kind
    reducer = _reducer(kind)
    budget = messages_tokens([*head, *kept], setting.counter) + FRAMING + room
    made = reducer(
        given,
        summarize=asker(call, ask),
        budget=budget,
        counter=setting.counter,
        **accepted(
            reducer,
            keep_recent_steps=len(units(kept)),
            turn_start=len(head),
            prompts=setting.prompts,
        ),
    )
    reduced = await _messages(made, kind)
    note = _note(reduced, given)
    stays = _without(head, [each for each in reduced if each is not note])
    taken = messages_tokens([*head, *stays], setting.counter)
    if taken > budget:
        raise _keeps_too_much(kind, taken, budget)
    progress = head_of(note.text, budget - taken - FRAMING, setting.counter) if note else ""
    size = dropped_characters(plan, plan.behind)
    lost = await aside(size, lost_in, plan, plan.behind, progress)
    return replace(plan, kept=tuple(stays), progress=progress, lost=lost)


async def _messages(made: object, kind: str) -> Sequence[Message]:
    """What the reducer of *kind* gives, which may be anybody's function.

    Raises:
        ConfigError: it is not async, or it gives something else than messages.
    """
    if not isawaitable(made):
        raise ConfigError(f"the reducer of {kind!r} does not await: make it an `async def`")
    reduced = await made
    if isinstance(reduced, Sequence) and all(isinstance(each, Message) for each in reduced):
        return reduced
    raise ConfigError(f"the reducer of {kind!r} must return a list of the messages that stay")


def _keeps_too_much(kind: str, tokens: int, budget: int) -> ConfigError:
    return ConfigError(
        f"the reducer of {kind!r} keeps messages of {tokens} tokens in a budget of {budget}: let "
        "it keep the newest `keep_recent_steps` units alone, and a system message for the others"
    )


def _note(reduced: Sequence[Message], given: Sequence[Message]) -> Message | None:
    """The system message that the reducer itself put in the place of what it dropped."""
    system = [each for each in given if each.role == "system"]
    made = (each for each in reduced if each.role == "system" and each not in system)
    return next(made, None)


def _without(head: Sequence[Message], messages: list[Message]) -> list[Message]:
    """*messages* without those of *head*, known by what they say: a reducer may copy them."""
    for each in head:
        if each in messages:
            messages.remove(each)
    return messages


def _reducer(kind: str) -> Callable[..., object]:
    """The reducer of *kind*.

    Raises:
        ConfigError: there is none, or it reduces a paradigm's own entries, not messages.
    """
    if kind not in REDUCERS or kind in OF_ENTRIES:
        known = ", ".join(sorted(REDUCERS.keys() - OF_ENTRIES))
        raise ConfigError(
            f"no reducer of messages for a trajectory of kind {kind!r}: use one of {known}, "
            "or register yours in REDUCERS"
        )
    return REDUCERS[kind]
