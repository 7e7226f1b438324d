"""The last exact check: lay the window out, count it as sent, settle the ledger."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import takewhile

from agentmaker.calls.call import Call, Ready
from agentmaker.calls.ledger import ROWS, Ledger, Row
from agentmaker.calls.memory.laid import Laid, Manner
from agentmaker.calls.middleware import Next
from agentmaker.calls.plan import Plan
from agentmaker.calls.room import Room, measure
from agentmaker.calls.views import Sent, View
from agentmaker.errors import ContextWindowExceeded
from agentmaker.tokens import counter_name

Counts = Mapping[str, int]


async def step(call: Call, ask: Next, /) -> Call:
    """Fit the call and remember what it shows.

    Raises:
        ContextWindowExceeded: the window as laid out is still too large.
    """
    fitted, sent = fitted_call(call)
    if fitted.plan is not None:
        plan = fitted.plan
        call.setting.views.remember(plan.key, _view(fitted, plan, sent), over=plan.view)
    return fitted


def fitted_call(call: Call) -> tuple[Call, Sent]:
    """The call with its messages and its ledger, and the sizes of what will be sent."""
    setting = call.setting
    room = call.plan.room if call.plan else measure(call.window, setting, call.params)
    manner = Manner(setting.dialect, setting.prompts, setting.counter)
    laid = setting.views.layouts.lay_out(call.window, manner)
    ledger = _ledger(call, room, laid, _prefix_kept(call.plan, laid.marks))
    ready = Ready(laid.messages, laid.json) if laid.is_wire else None
    return replace(call, messages=laid.messages, ready=ready, ledger=ledger), laid.marks


def _ledger(call: Call, room: Room, laid: Laid, prefix_kept: float | None) -> Ledger:
    counts = laid.counts
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
        repairs=(*call.repairs, *laid.defects),
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
    shares: dict[str, int] = {}
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
        shown = [cap for _, cap in plan.shown_in(span)]
        dropped, short = len(span) - len(shown), len(shown) - shown.count(None)
        said += [f"{name}: {dropped} units dropped"] if dropped else []
        said += [f"{name}: {short} units shortened"] if short else []
    return tuple(said)


def _prefix_kept(plan: Plan | None, sent: Sent) -> float | None:
    """Share of the previous request's characters, by whole messages, that *sent* begins with."""
    if plan is None or not plan.view.sent:
        return None
    before = plan.view.sent
    if sent[: len(before)] == before:
        return 1.0
    same = takewhile(lambda pair: pair[0] == pair[1], zip(before, sent, strict=False))
    return sum(mark[1] for mark, _ in same) / sum(mark[1] for mark in before)


def _view(call: Call, plan: Plan, sent: Sent) -> View:
    return View(
        cut=plan.cut,
        recap=call.window.recap,
        progress=call.window.progress if plan.this_turn else plan.progress,
        kept=plan.kept,
        lost=plan.lost,
        sent=sent,
    )
