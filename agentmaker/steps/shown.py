"""The messages a cut shows, shortened as it says."""

from __future__ import annotations

from itertools import chain, islice

from agentmaker.calls.plan import Plan
from agentmaker.calls.setting import Setting
from agentmaker.calls.wire import note_for
from agentmaker.context.aside import aside
from agentmaker.context.elastic import elastic_texts, shorten
from agentmaker.context.facts import facts_in, missing
from agentmaker.context.floor import OPENING
from agentmaker.context.measure import FRAMING
from agentmaker.context.recap import LOST_LISTED
from agentmaker.context.sizes import LEAST, SKELETON
from agentmaker.context.transcript import entry_of
from agentmaker.messages import Message

CHARACTERS_A_TOKEN = 4


async def shown_messages(plan: Plan, span: range, setting: Setting) -> list[Message]:
    """The messages of the units of *span* that are shown."""
    return [
        message if cap is None else await _shortened(message, cap, setting)
        for unit, cap in plan.shown_in(span)
        for message in plan.messages_of(unit)
    ]


def dropped_messages(plan: Plan, span: range) -> list[Message]:
    """The messages of the units of *span* that are not."""
    return list(chain.from_iterable(map(plan.messages_in, plan.dropped_in(span))))


def dropped_characters(plan: Plan, span: range) -> int:
    """About how many there are in the units of *span* that are not shown."""
    return CHARACTERS_A_TOKEN * plan.dropped_tokens(span)


def lost_in(plan: Plan, span: range, text: str) -> tuple[str, ...]:
    """Facts of the units of *span* that are not shown, and that *text* does not hold."""
    facts = chain.from_iterable(facts_in(entry_of(each)) for each in dropped_messages(plan, span))
    return tuple(islice(missing(facts, text), LOST_LISTED))


def recap_room(plan: Plan, span: range, setting: Setting) -> int:
    """Tokens for the text that stands for the dropped units of *span*, its fence taken off.

    What is dropped before the question of the cut and behind it shares the room by size, but
    how the conversation began comes first.
    """
    if plan.cut is None:
        return 0
    before, behind = plan.dropped_tokens(plan.before), plan.dropped_tokens(plan.behind)
    share = plan.cut.recap * before // max(1, before + behind)
    share = max(share, min(plan.cut.recap, _opening_tokens(plan)))
    room, row = (
        (share, "history") if span == plan.before else (plan.cut.recap - share, "trajectory")
    )
    room -= setting.counter(note_for(row, "", setting.prompts).text) + FRAMING
    return room if room >= LEAST else 0


def _opening_tokens(plan: Plan) -> int:
    """What the recap needs for the first user message, where that is dropped."""
    first = next((unit for unit in plan.before if plan.units[unit].kind == "question"), None)
    if first is None or not any(first in run for run in plan.dropped_in(plan.before)):
        return 0
    return plan.units[first].within(SKELETON) + OPENING


async def _shortened(message: Message, cap: int, setting: Setting) -> Message:
    def marker(dropped: int) -> str:
        return setting.prompts.render("wire.cut", dropped=dropped)

    size = sum(map(len, elastic_texts(message)))
    return await aside(size, shorten, message, cap, setting.counter, marker)
