"""The messages a cut shows, shortened as it says."""

from __future__ import annotations

from agentmaker.calls.plan import Plan
from agentmaker.calls.setting import Setting
from agentmaker.calls.wire import note_for
from agentmaker.context.aside import aside
from agentmaker.context.elastic import elastic_texts, shorten
from agentmaker.context.floor import OPENING
from agentmaker.context.measure import FRAMING
from agentmaker.context.sizes import LEAST, SKELETON
from agentmaker.messages import Message


async def shown_messages(plan: Plan, span: range, setting: Setting) -> list[Message]:
    """The messages of the units of *span* that are shown."""
    return [
        message if cap is None else await _shortened(message, cap, setting)
        for unit, cap in plan.shown_in(span)
        for message in plan.messages_of(unit)
    ]


def dropped_messages(plan: Plan, span: range) -> list[Message]:
    """The messages of the units of *span* that are not."""
    return [message for unit in plan.dropped_in(span) for message in plan.messages_of(unit)]


def recap_room(plan: Plan, span: range, setting: Setting) -> int:
    """Tokens for the text that stands for the dropped units of *span*, its fence taken off.

    What is dropped before the question of the cut and behind it shares the room by size, but
    how the conversation began comes first.
    """
    if plan.cut is None:
        return 0
    before, behind = (_lost_tokens(plan, each) for each in (plan.before, plan.behind))
    share = plan.cut.recap * before // max(1, before + behind)
    share = max(share, min(plan.cut.recap, _opening_tokens(plan)))
    room, row = (
        (share, "history") if span == plan.before else (plan.cut.recap - share, "trajectory")
    )
    room -= setting.counter(note_for(row, "", setting.prompts).text) + FRAMING
    return room if room >= LEAST else 0


def _lost_tokens(plan: Plan, span: range) -> int:
    return sum(plan.units[unit].within() for unit in plan.dropped_in(span))


def _opening_tokens(plan: Plan) -> int:
    """What the recap needs for the first user message, where that is dropped."""
    dropped = plan.dropped_in(plan.before)
    first = next((unit for unit in plan.before if plan.units[unit].kind == "question"), None)
    if first is None or first not in dropped:
        return 0
    return plan.units[first].within(SKELETON) + OPENING


async def _shortened(message: Message, cap: int, setting: Setting) -> Message:
    def marker(dropped: int) -> str:
        return setting.prompts.render("wire.cut", dropped=dropped)

    size = sum(map(len, elastic_texts(message)))
    return await aside(size, shorten, message, cap, setting.counter, marker)
