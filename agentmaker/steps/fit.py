"""The last exact check: lay the window out, count it as sent, settle the ledger."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from agentmaker.calls.call import Call
from agentmaker.calls.ledger import ROWS, Ledger, Row
from agentmaker.calls.middleware import Next
from agentmaker.calls.plan import Plan
from agentmaker.calls.room import Room, measure
from agentmaker.calls.views import Sent, View
from agentmaker.calls.wire import Placed, Wire, to_wire
from agentmaker.context.measure import REPLY_PRIMING, message_tokens
from agentmaker.errors import ContextWindowExceeded
from agentmaker.messages import dumps
from agentmaker.steps.count import count_messages
from agentmaker.tokens import counter_name

Counts = dict[str, int]


async def step(call: Call, ask: Next, /) -> Call:
    """Fit the call and remember what it shows.

    Raises:
        ContextWindowExceeded: the window as laid out is still too large.
    """
    wire = to_wire(call.window, call.setting.dialect, call.setting.prompts)
    # With its notes, a message has a text that was not counted before.
    await count_messages((each.message for each in wire.placed if each.notes), call.setting.counter)
    fitted, sent = _fitted(call, wire)
    if fitted.plan is not None:
        plan = fitted.plan
        call.setting.views.remember(plan.key, _view(fitted, plan, sent), over=plan.view)
    return fitted


def _fitted(call: Call, wire: Wire) -> tuple[Call, Sent]:
    """The call with its messages and its ledger, and the sizes of what will be sent."""
    setting = call.setting
    room = call.plan.room if call.plan else measure(call.window, setting, call.params)
    messages = tuple(wire.messages)
    sent = tuple((hash(text), len(text)) for text in map(dumps, messages))
    ledger = _ledger(call, room, _counts(call, wire), wire, _prefix_kept(call.plan, sent))
    return replace(call, messages=messages, ledger=ledger), sent


def _counts(call: Call, wire: Wire) -> Counts:
    counts: Counts = {"system": REPLY_PRIMING}
    for placed in wire.placed:
        for row, tokens in _counted(placed, call):
            counts[row] = counts.get(row, 0) + tokens
    return counts


def _counted(placed: Placed, call: Call) -> Iterable[tuple[str, int]]:
    """The message's tokens by row: each note in it on its own, the rest on the message's."""
    rest = message_tokens(placed.message, call.setting.counter)
    for note in placed.notes:
        tokens = min(rest, call.setting.counter(note.text))
        rest -= tokens
        yield note.row, tokens
    yield placed.row, rest


def _ledger(
    call: Call, room: Room, counts: Counts, wire: Wire, prefix_kept: float | None
) -> Ledger:
    prompt = sum(counts.values()) + room.tools_and_format
    left = room.window - prompt
    if left < room.least_output:
        raise ContextWindowExceeded(
            "the request",
            prompt,
            max(0, room.window - room.least_output),
            hint="what must be sent does not fit; shorten the newest messages",
        )
    margin = min(room.margin, left - room.least_output)
    output = min(room.output, left - margin)
    used = {
        **counts,
        "output": output,
        "tools": room.tools,
        "response_format": room.response_format,
        "margin": margin,
        "free": left - margin - output,
    }
    return Ledger(
        window=room.window,
        rows=_rows(call, room, used),
        estimate=prompt,
        counter=counter_name(call.setting.counter),
        prefix_kept=prefix_kept,
        sources=call.block.outcomes if call.block else (),
        reductions=_reductions(call.plan),
        repairs=(*call.repairs, *wire.defects),
        lost=call.plan.lost if call.plan else (),
    )


def _rows(call: Call, room: Room, used: Counts) -> tuple[Row, ...]:
    plan = call.plan
    before = {
        "history": plan.tokens_in(plan.history) if plan else 0,
        "trajectory": plan.tokens_in(plan.work) if plan else 0,
    }
    given = {**used, "output": room.output, **_shares(room, used)}
    return tuple(
        Row(
            name=name,
            allotted=given.get(name, 0),
            used=used.get(name, 0),
            dropped=max(0, before.get(name, 0) - used.get(name, 0)),
        )
        for name in ROWS
    )


def _shares(room: Room, used: Counts) -> Counts:
    """What each stream could have had: its share or floor, and what those before it left."""
    shares: Counts = {}
    left = room.shared
    for name in ("block", "question", "trajectory", "history"):
        most = room.block if name == "block" else left
        shares[name] = max(used.get(name, 0), most)
        left = max(0, left - used.get(name, 0))
    return shares


def _reductions(plan: Plan | None) -> tuple[str, ...]:
    if plan is None or plan.cut is None:
        return ()
    said = []
    for name, span in (("history", plan.history), ("trajectory", plan.work)):
        dropped = len(plan.dropped_in(span))
        short = sum(cap is not None for _, cap in plan.shown_in(span))
        said += [f"{name}: {dropped} units dropped"] if dropped else []
        said += [f"{name}: {short} units shortened"] if short else []
    return tuple(said)


def _prefix_kept(plan: Plan | None, sent: Sent) -> float | None:
    """Share of the previous request's characters, by whole messages, that *sent* begins with."""
    if plan is None or not plan.view.sent:
        return None
    kept = 0
    for before, now in zip(plan.view.sent, sent, strict=False):
        if before != now:
            break
        kept += before[1]
    return kept / sum(length for _, length in plan.view.sent)


def _view(call: Call, plan: Plan, sent: Sent) -> View:
    return View(
        cut=plan.cut,
        recap=call.window.recap,
        progress=call.window.progress if plan.this_turn else plan.progress,
        kept=plan.kept,
        lost=plan.lost,
        sent=sent,
    )
