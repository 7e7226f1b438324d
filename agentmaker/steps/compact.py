"""Make the history fit: recent turns as they are, a recap for the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from agentmaker.calls.call import Call
from agentmaker.calls.middleware import Next
from agentmaker.calls.plan import Plan
from agentmaker.calls.setting import Setting
from agentmaker.calls.wire import note_for, with_text_before
from agentmaker.context.aside import aside
from agentmaker.context.clip import cut_middle
from agentmaker.context.compaction import HistoryCompactor
from agentmaker.context.recap import LOST_LISTED, extract
from agentmaker.context.sizes import LEAST, SKELETON
from agentmaker.context.transcript import Entries, entry_of
from agentmaker.messages import SYSTEM_ROLES, Message
from agentmaker.steps.shown import (
    dropped_characters,
    dropped_messages,
    lost_in,
    recap_room,
    shown_messages,
)
from agentmaker.steps.summarise import asker

OPENING_SHARE = 0.3
"""Of the recap's room, how much the first user message may take."""


async def step(call: Call, ask: Next, /) -> Call:
    """Reduce the history to what the cut shows, and say in a recap what it does not."""
    plan = call.plan
    if plan is None or plan.cut is None:
        return call
    recap, reduced = await _recap(call, plan, ask)
    history = tuple(await _history(reduced, call.setting))
    if reduced is plan and (history, recap) == (call.window.history, call.window.recap):
        return call
    window = replace(call.window, history=history, recap=recap)
    return replace(call, window=window, plan=reduced)


async def _history(plan: Plan, setting: Setting) -> list[Message]:
    """The history shown; the progress of an earlier turn stays in that turn's question."""
    at = None if plan.cut is None else plan.cut.asked
    if not plan.progress or plan.this_turn or at is None:
        return await shown_messages(plan, plan.history, setting)
    note = note_for("trajectory", plan.progress, setting.prompts)
    question, *after = await shown_messages(plan, range(at, len(plan.history)), setting)
    before = await shown_messages(plan, range(at), setting)
    return [*before, with_text_before(question, note.text), *after]


async def _recap(call: Call, plan: Plan, ask: Next) -> tuple[str, Plan]:
    """What stands for the units dropped before the question of the cut."""
    if plan.stands:
        return plan.view.recap, plan
    setting = call.setting
    dropped = dropped_messages(plan, plan.before)
    room = recap_room(plan, plan.before, setting)
    if not dropped or not room:
        return "", plan
    most = max(int(room * OPENING_SHARE), min(room, SKELETON))
    opening = await _opening(plan, dropped, most, setting)
    room -= setting.counter(f"{opening}\n")
    size = dropped_characters(plan, plan.before)
    text = await _summary(call, plan, dropped, room, ask)
    text = text or await _extract(dropped, size, room, setting)
    recap = "\n".join(filter(None, (opening, text)))
    lost = await aside(size, lost_in, plan, plan.before, recap)
    return recap, replace(plan, lost=(*lost, *plan.lost)[:LOST_LISTED])


async def _extract(dropped: Sequence[Message], size: int, room: int, setting: Setting) -> str:
    label, entries = setting.prompts.text("recap.facts"), Entries(dropped, entry_of)
    return await aside(size, extract, entries, room=room, counter=setting.counter, label=label)


async def _opening(plan: Plan, dropped: Sequence[Message], room: int, setting: Setting) -> str:
    """The first user message, whole or head and tail, when it is among what was dropped."""
    first = next((each for each in plan.conversation if each.role == "user"), None)
    if room < LEAST or first is None or not any(each is first for each in dropped):
        return ""
    label = setting.prompts.text("recap.began")
    over = setting.counter(first.text) - room
    marker = setting.prompts.render("wire.cut", dropped=max(0, over))
    text = first.text
    cut = await aside(len(text), cut_middle, text, max(0, room), setting.counter, marker)
    return f"{label} {cut}"


async def _summary(call: Call, plan: Plan, dropped: Sequence[Message], room: int, ask: Next) -> str:
    """The summariser's recap of what was dropped since the last one; "" without one."""
    setting, model = call.setting, asker(call, ask)
    if model is None or room < 1:
        return ""
    compactor = HistoryCompactor(
        model,
        keep_recent=1,
        trigger_tokens=0,
        max_summary_tokens=room,
        prompts=setting.prompts,
        token_counter=setting.counter,
    )
    prefix = setting.prompts.text("context.summary_prefix")
    last = call.window.question or plan.conversation[-1]
    old = [*_earlier(plan, prefix), *_fresh(plan, dropped), last]
    compacted = await compactor.areport(old)
    if compacted.outcome == "failed":
        model.give_up()
    if compacted.outcome != "applied":
        return ""
    return compacted.messages[0].text.removeprefix(prefix)


def _earlier(plan: Plan, prefix: str) -> list[Message]:
    """The recap that stood until now, as the compactor itself would have left it."""
    stood = "\n".join(filter(None, (plan.view.recap, plan.view.progress)))
    return [Message(prefix + stood, "system")] if stood else []


def _fresh(plan: Plan, dropped: Sequence[Message]) -> list[Message]:
    """Of the *dropped* messages, those the earlier recap does not stand for."""
    earlier = plan.view.cut
    before = plan.with_cut(earlier)
    known = dropped_messages(before, range(earlier.end)) if earlier else []
    gone = {id(each) for each in known}
    fresh = [each for each in dropped if id(each) not in gone]
    # At the head of a list the compactor would take them for the system prompt and keep them.
    return [replace(each, role="user") if each.role in SYSTEM_ROLES else each for each in fresh]
