"""Ask every source at once for what the question deserves, once a turn."""

from __future__ import annotations

from dataclasses import replace

from agentmaker.calls.call import Call
from agentmaker.calls.middleware import Next
from agentmaker.calls.plan import Plan
from agentmaker.calls.wire import note_for
from agentmaker.context.builder import ContextBuilder
from agentmaker.context.results import Block
from agentmaker.messages import Message


async def step(call: Call, ask: Next, /) -> Call:
    """Build the turn's block, or take the one this turn already has.

    Raises:
        SourceError: a required source failed.
        ConfigError: a source's name is not in the ratios, or is used twice.
    """
    plan, question = call.plan, call.window.question
    if plan is None or question is None or not call.setting.sources:
        return call
    block = call.setting.views.block(plan.turn)
    if block is None:
        block = await _gather(call, plan, question)
        call.setting.views.remember_block(plan.turn, block)
    if not block.text:
        return replace(call, block=block)
    note = note_for("block", block.text, call.setting.prompts)
    plan = replace(plan, block_tokens=call.setting.counter(note.text))
    window = replace(call.window, block=block.text)
    return replace(call, window=window, plan=plan, block=block)


async def _gather(call: Call, plan: Plan, question: Message) -> Block:
    setting = call.setting
    builder = ContextBuilder(
        setting.context, prompts=setting.prompts, token_counter=setting.counter
    )
    return await builder.agather(
        question.text,
        sources=setting.sources,
        scope=call.scope,
        budget=_grant(call, plan),
        exclude=[each.text for each in call.window.trajectory.messages if each.role == "tool"],
    )


def _grant(call: Call, plan: Plan) -> int:
    """The block's share, and in a window to be filled whatever the conversation leaves."""
    setting = call.setting
    room = plan.room.block
    if setting.fills:
        room = max(room, plan.room.shared - plan.shown)
    return max(0, room - setting.counter(note_for("block", "", setting.prompts).text))
