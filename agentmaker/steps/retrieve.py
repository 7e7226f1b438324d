"""Ask every source at once for what the question deserves, once a turn."""

from __future__ import annotations

import time
from dataclasses import replace

from agentmaker.calls.call import Call
from agentmaker.calls.forms.fence import without_fences
from agentmaker.calls.middleware import Next
from agentmaker.calls.plan import Plan
from agentmaker.calls.views import Built
from agentmaker.calls.wire import note_for
from agentmaker.context.counting import counted
from agentmaker.context.results import Block
from agentmaker.messages import ASKED, Message


async def step(call: Call, ask: Next, /) -> Call:
    """Build the turn's block, or take the one this turn already has.

    Calls that begin one turn at the same time build a block each; the turn goes on with the
    one that was built last.

    Raises:
        SourceError: a required source failed.
        ConfigError: a source's name is not in the ratios, or is used twice.
    """
    plan, question = call.plan, call.window.question
    if plan is None or question is None or not call.setting.sources:
        return call
    block = _standing(call, plan)
    if block is None:
        started = time.perf_counter()
        block = await _gather(call, plan, question)
        call = replace(call, own_ms=call.own_ms - (time.perf_counter() - started) * 1000)
        call.setting.views.remember_block(plan.turn, Built(block, call.request_id))
    if not block.text:
        return replace(call, block=block)
    note = note_for("block", block.text, call.setting.prompts)
    (tokens,) = await counted([note.text], call.setting.counter)
    plan = replace(plan, block_tokens=tokens)
    window = replace(call.window, block=block.text)
    return replace(call, window=window, plan=plan, block=block)


def _standing(call: Call, plan: Plan) -> Block | None:
    """The block this turn has: built for its first request, and kept while it works on."""
    built = call.setting.views.block(plan.turn)
    goes_on = bool(call.window.trajectory.messages)
    return built.block if built and (goes_on or built.request_id == call.request_id) else None


async def _gather(call: Call, plan: Plan, question: Message) -> Block:
    from agentmaker.context.builder import ContextBuilder

    setting = call.setting
    builder = ContextBuilder(
        setting.context, prompts=setting.prompts, token_counter=setting.counter
    )
    return await builder.agather(
        # What an agent put into the question is no part of what is asked.
        without_fences(question.metadata.get(ASKED, question.text)),
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
        room = max(room, plan.room.shared - plan.shown_tokens)
    return max(0, room - setting.counter(note_for("block", "", setting.prompts).text))
