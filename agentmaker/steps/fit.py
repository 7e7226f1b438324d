"""The last exact check: lay the window out, count it as sent, settle the ledger.

What was counted is converted once, here, to the tokens of the provider as far as they are known.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from agentmaker.calls.call import Call
from agentmaker.calls.ledger import ROWS, Ledger, Row
from agentmaker.calls.memory.calibrations import Expected, Place
from agentmaker.calls.middleware import Next
from agentmaker.calls.plan import Plan
from agentmaker.calls.room import Fixed, Room, TooDense, shared_out
from agentmaker.calls.views import Sent, View
from agentmaker.calls.wire import Placed, Wire, to_wire
from agentmaker.context.measure import REPLY_PRIMING, message_tokens
from agentmaker.errors import ContextWindowExceeded
from agentmaker.messages import dumps
from agentmaker.tokens import counter_name
from agentmaker.tokens.calibrated import Count, Scale, bounded, spread

Counts = dict[str, int]

TOLD = ("tool", "function")
"""Roles of what tools answered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """The prompt as we count it, and by ledger row as the provider is expected to."""

    ours: Count
    scale: Scale
    rows: Counts

    @property
    def prompt(self) -> int:
        return sum(self.rows.values())

    @property
    def messages(self) -> int:
        return self.prompt - self.rows["tools"]

    @property
    def density(self) -> float:
        return self.messages / max(1, self.ours.messages)

    def as_provider(self, tokens: int) -> int:
        """Tokens of ours in those of the provider, never more than a row of the prompt has."""
        return tokens * self.messages // max(1, self.ours.messages)


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
    wire = to_wire(call.window, setting.dialect, setting.prompts)
    room, counted = _counted(call, wire)
    messages = tuple(wire.messages)
    sent = tuple((hash(text), len(text)) for text in map(dumps, messages))
    ledger = _ledger(call, room, counted, wire, _prefix_kept(call.plan, sent))
    fitted = replace(call, messages=messages, ledger=ledger)
    if call.plan is None or not setting.budget.calibrate:
        return fitted, sent
    return replace(fitted, expected=_expected(call, call.plan, counted)), sent


def _counted(call: Call, wire: Wire) -> tuple[Room, Counted]:
    """The room by the provider's count, and the prompt."""
    plan = call.plan
    fixed = plan.fixed if plan else Fixed.of(call.window, call.setting)
    room = plan.account if plan else shared_out(fixed, call.setting, call.params)
    counts: Counts = {"system": REPLY_PRIMING, "response_format": fixed.response_format}
    results = 0
    for placed in wire.placed:
        for row, tokens in _tokens(placed, call):
            counts[row] = counts.get(row, 0) + tokens
            results += tokens if placed.message.role in TOLD else 0
    ours = Count(text=sum(counts.values()) - results, results=results, tools=fixed.tools)
    scale = plan.scale if plan else Scale(tools=fixed.schemas)
    prompt = scale.estimate(ours)
    tools = min(prompt, round(scale.tools.tokens))
    rows = {**spread(counts, prompt - tools), "tools": tools}
    return room, Counted(ours=ours, scale=scale, rows=rows)


def _tokens(placed: Placed, call: Call) -> Iterable[tuple[str, int]]:
    """The message's tokens by row: each note in it on its own, the rest on the message's."""
    rest = message_tokens(placed.message, call.setting.counter)
    for note in placed.notes:
        tokens = min(rest, call.setting.counter(note.text))
        rest -= tokens
        yield note.row, tokens
    yield placed.row, rest


def _ledger(
    call: Call, room: Room, counted: Counted, wire: Wire, prefix_kept: float | None
) -> Ledger:
    left = room.window - counted.prompt
    if left < room.least_output:
        raise _too_large(call.plan, room, counted)
    margin = min(room.margin, left - room.least_output)
    output = min(room.output, left - margin)
    used = {
        **counted.rows,
        "output": output,
        "margin": margin,
        "free": left - margin - output,
    }
    return Ledger(
        window=room.window,
        rows=_rows(call, room, used, counted),
        estimate=counted.prompt,
        counter=counter_name(call.setting.counter),
        prefix_kept=prefix_kept,
        sources=call.block.outcomes if call.block else (),
        reductions=_reductions(call.plan),
        repairs=(*call.repairs, *wire.defects),
        lost=call.plan.lost if call.plan else (),
        factor=counted.prompt / max(1, counted.ours.total),
        samples=counted.scale.samples,
        last_error=counted.scale.error,
    )


def _too_large(plan: Plan | None, room: Room, counted: Counted) -> ContextWindowExceeded:
    if plan is not None and plan.density < bounded(counted.density):
        return TooDense(counted.density)
    return ContextWindowExceeded(
        "the request",
        counted.prompt,
        max(0, room.window - room.least_output),
        hint="what must be sent does not fit; shorten the newest messages",
    )


def _expected(call: Call, plan: Plan, counted: Counted) -> Expected:
    """What the provider is expected to count, for what it reports to be compared with."""
    return Expected(
        place=Place(call.model, call.scope, plan.key.digest),
        scale=plan.scale,
        count=counted.ours,
        digest=plan.fixed.digest,
        conversation=plan.conversation,
        tokens=counted.prompt,
    )


def _rows(call: Call, room: Room, used: Counts, counted: Counted) -> tuple[Row, ...]:
    plan = call.plan
    before = {
        "history": counted.as_provider(plan.tokens_in(plan.history)) if plan else 0,
        "trajectory": counted.as_provider(plan.tokens_in(plan.work)) if plan else 0,
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
        density=plan.view.density if plan.stands else plan.density,
    )
