from __future__ import annotations

from dataclasses import replace

import pytest

from agentmaker.calls.call import Call, Reply
from agentmaker.calls.middleware import Next
from agentmaker.calls.room import TooDense
from agentmaker.calls.setting import Setting
from agentmaker.steps import assembly
from agentmaker.steps.assembly import Assembly
from tests.steps.line import call_of, nobody

pytestmark = pytest.mark.anyio

QUESTION = {"role": "user", "content": "q"}


async def test_the_steps_run_in_order_each_on_what_the_one_before_it_left() -> None:
    async def first(call: Call, ask: Next, /) -> Call:
        return replace(call, model=call.model + "1")

    async def second(call: Call, ask: Next, /) -> Call:
        return replace(call, model=call.model + "2")

    call = call_of([QUESTION], Setting(window=4_000), model="m")
    prepared = await Assembly([first, second], nobody).prepare(call)
    assert prepared.model == "m12"


async def test_a_step_s_error_passes() -> None:
    async def broken(call: Call, ask: Next, /) -> Call:
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        await Assembly([broken], nobody).prepare(call_of([QUESTION], Setting(window=4_000)))


async def test_own_time_leaves_out_the_wait_for_a_summary(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0

    def clock() -> float:
        return now

    async def answer(call: Call) -> Reply:
        nonlocal now
        now += 30.0
        return Reply(content="summary")

    async def asks(call: Call, ask: Next, /) -> Call:
        nonlocal now
        now += 0.25
        await ask(call)
        return call

    monkeypatch.setattr(assembly.time, "perf_counter", clock)
    call = call_of([QUESTION], Setting(window=4_000), own_ms=1.0)
    prepared = await Assembly([asks], answer).prepare(call)
    assert prepared.own_ms == pytest.approx(251.0)


async def test_what_comes_to_more_than_was_planned_is_planned_anew() -> None:
    planned = []

    async def dense(call: Call, ask: Next, /) -> Call:
        planned.append(call.density)
        if call.density < 1.3:
            raise TooDense(max(1.2, call.density * 1.1))
        return call

    await Assembly([dense], nobody).prepare(call_of([QUESTION], Setting(window=4_000)))
    assert planned == pytest.approx([0.0, 1.212, 1.346532])
