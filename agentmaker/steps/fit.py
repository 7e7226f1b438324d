"""The last exact check: lay the window out, count it as sent, settle the ledger.

What was counted is converted once, here, to the tokens of the provider as far as they are known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile

from agentmaker.calls.call import Call, Ready, changed
from agentmaker.calls.ledger import ROWS, Ledger, Row
from agentmaker.calls.memory.calibrations import Expected, Place
from agentmaker.calls.memory.laid import Laid, Manner, Settled
from agentmaker.calls.middleware import Next
from agentmaker.calls.plan import Plan
from agentmaker.calls.room import Fixed, Room, TooDense, shared_out
from agentmaker.calls.views import Sent, View
from agentmaker.errors import ContextWindowExceeded
from agentmaker.tokens import counter_name
from agentmaker.tokens.calibrated import Count, Scale, bounded, spread

Counts = Mapping[str, int]

_NONE_USED: Counts = dict.fromkeys(ROWS, 0)
_STREAMS = ("block", "question", "trajectory", "history")


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """The prompt as we count it, and by ledger row as the provider is expected to."""

    ours: Count
    scale: Scale
    rows: Counts
    prompt: int

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
    setting, plan = call.setting, call.plan
    manner = Manner(setting.dialect, setting.prompts, setting.counter)
    laid, settled = await setting.views.layouts.lay_out(call.window, manner)
    fitted = _fitted(call, laid)
    if plan is not None:
        setting.views.remember(plan.key, _view(call, plan, laid, settled), over=plan.view)
    return fitted


def _fitted(call: Call, laid: Laid) -> Call:
    """The call with its messages and its ledger."""
    room, counted = _counted(call, laid)
    return changed(
        call,
        messages=laid.messages,
        ready=Ready(laid.messages, laid.json) if laid.is_wire else None,
        ledger=_ledger(call, room, counted, laid, _prefix_kept(call.plan, laid.marks)),
        expected=_expected(call, call.plan, counted) if call.plan else None,
    )


def _counted(call: Call, laid: Laid) -> tuple[Room, Counted]:
    """The room by the provider's count, and the prompt."""
    plan = call.plan
    fixed = plan.fixed if plan else Fixed.of(call.window, call.setting)
    room = plan.account if plan else shared_out(fixed, call.setting, call.params)
    counts = {**laid.counts, "response_format": fixed.response_format}
    text = sum(counts.values()) - laid.results
    ours = Count(text=text, results=laid.results, tools=fixed.tools)
    scale = plan.scale if plan else Scale(tools=fixed.schemas)
    prompt = scale.estimate(ours)
    tools = min(prompt, round(scale.tools.tokens))
    rows = {**spread(counts, prompt - tools), "tools": tools}
    return room, Counted(ours=ours, scale=scale, rows=rows, prompt=prompt)


def _ledger(
    call: Call, room: Room, counted: Counted, laid: Laid, prefix_kept: float | None
) -> Ledger:
    left = room.window - counted.prompt
    if left < room.least_output:
        raise _too_large(call.plan, room, counted)
    margin = min(room.margin, left - room.least_output)
    output = min(room.output, left - margin)
    used = {
        **_NONE_USED,
        **counted.rows,
        "output": output,
        "margin": margin,
        "free": left - margin - output,
    }
    spans = _spans(call.plan)
    return Ledger(
        window=room.window,
        rows=_rows(room, used, _dropped(call.plan, spans, used, counted)),
        estimate=counted.prompt,
        counter=counter_name(call.setting.counter),
        prefix_kept=prefix_kept,
        sources=call.block.outcomes if call.block else (),
        reductions=_reductions(call.plan, spans),
        repairs=(*call.repairs, *laid.defects),
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


def _expected(call: Call, plan: Plan, counted: Counted) -> Expected | None:
    """What the provider is expected to count, for what it reports to be compared with."""
    if not call.setting.budget.calibrate:
        return None
    return Expected(
        place=Place(call.model, call.scope, plan.key.digest),
        scale=plan.scale,
        count=counted.ours,
        digest=plan.fixed.digest,
        conversation=plan.conversation,
        tokens=counted.prompt,
    )


def _spans(plan: Plan | None) -> list[tuple[str, range]]:
    """The units that may have been cut, by row, where there are any."""
    if plan is None:
        return []
    return [pair for pair in (("history", plan.history), ("trajectory", plan.work)) if pair[1]]


def _dropped(
    plan: Plan | None, spans: Sequence[tuple[str, range]], used: Counts, counted: Counted
) -> Counts:
    dropped: dict[str, int] = {}
    if plan is not None:
        for name, span in spans:
            before = counted.as_provider(plan.tokens_in(span))
            dropped[name] = max(0, before - used[name])
    return dropped


def _rows(room: Room, used: Counts, dropped: Counts) -> tuple[Row, ...]:
    given = {**used, "output": room.output, **_shares(room, used)}
    return tuple([_row(name, given[name], used[name], dropped.get(name, 0)) for name in ROWS])


@lru_cache(maxsize=256)
def _row(name: str, allotted: int, used: int, dropped: int) -> Row:
    """Most rows of a conversation are those of its last request."""
    return Row(name=name, allotted=allotted, used=used, dropped=dropped)


def _shares(room: Room, used: Counts) -> Counts:
    """What each stream could have had: its share or floor, and what those before it left."""
    shares: dict[str, int] = {}
    left = room.shared
    for name in _STREAMS:
        most, tokens = room.block if name == "block" else left, used[name]
        shares[name] = max(tokens, most)
        left = max(0, left - tokens)
    return shares


def _reductions(plan: Plan | None, spans: Sequence[tuple[str, range]]) -> tuple[str, ...]:
    if plan is None or plan.cut is None:
        return ()
    said = []
    for name, span in spans:
        first, end = span.start, min(span.stop, plan.cut.end)
        caps = [cap for unit, cap in plan.cut.kept if first <= unit < end]
        dropped, short = max(0, end - first) - len(caps), len(caps) - caps.count(None)
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


def _view(call: Call, plan: Plan, laid: Laid, settled: Settled | None) -> View:
    return View(
        cut=plan.cut,
        recap=call.window.recap,
        progress=call.window.progress if plan.this_turn else plan.progress,
        kept=plan.kept,
        lost=plan.view.lost if plan.lost == plan.view.lost else plan.lost,
        sent=laid.marks,
        density=plan.view.density if plan.stands else plan.density,
        key=plan.key,
        is_first=_is_first(call, plan),
        settled=settled,
    )


def _is_first(call: Call, plan: Plan) -> bool:
    """Whether a summary was made for this cut; an extract is made again by whoever goes back."""
    if call.setting.summary is None or (plan.stands and plan.view.key != plan.key):
        return False
    return plan.view.is_first or not plan.stands
