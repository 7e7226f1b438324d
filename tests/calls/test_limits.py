from __future__ import annotations

import math
from typing import Any

import pytest

from agentmaker import ConfigError, RunCancelled, RunLimitExceeded, RunPolicy, Usage
from agentmaker.calls.call import Reply
from agentmaker.calls.limits import Limits, Run
from tests.calls.talk import Server, call_of, settled, user

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("name", ["calls", "tokens", "seconds"])
@pytest.mark.parametrize("value", [0, -1, "5", True, math.nan])
async def test_a_limit_that_cannot_work_is_refused(name: str, value: Any):
    with pytest.raises(ConfigError, match=f"RunPolicy.{name} must be above 0 or None"):
        RunPolicy(**{name: value})


async def test_a_call_without_a_run_has_no_limits():
    assert (await Limits()(call_of(user()), Server())).content == "ok"


async def test_the_call_behind_the_last_one_allowed_is_not_sent():
    server, run = Server(), Run(RunPolicy(calls=2))
    for _ in range(2):
        await Limits()(call_of(user(), run=run), server)
    with pytest.raises(RunLimitExceeded, match="calls limit of 2") as error:
        await Limits()(call_of(user(), run=run), server)
    assert (error.value.allowed, error.value.used) == (2, 2)
    assert len(server.calls) == 2


async def test_a_call_that_failed_counts():
    run = Run(RunPolicy(calls=1))
    with pytest.raises(OSError, match="gone"):
        await Limits()(call_of(user(), run=run), Server(OSError("gone")))
    with pytest.raises(RunLimitExceeded):
        await Limits()(call_of(user(), run=run), Server())


@pytest.mark.parametrize(
    ("usage", "booked"),
    [
        (Usage(prompt_tokens=90, completion_tokens=10, total_tokens=100), 100),
        (Usage(prompt_tokens=90, completion_tokens=10), 100),
        (Usage(prompt_tokens=90), 90),
        (Usage(), 0),
        (None, 0),
    ],
)
async def test_tokens_are_booked_as_the_provider_counts_them(usage, booked):
    run = Run(RunPolicy(tokens=50))
    await Limits()(call_of(user(), run=run), Server(settled(usage=usage)))
    assert run.tokens == booked


async def test_the_tokens_of_a_stream_are_booked_when_it_ends():
    run, reply = Run(RunPolicy(tokens=50)), Reply()
    await Limits()(call_of(user(), run=run), Server(reply))
    reply.usage = Usage(total_tokens=60)
    reply.settle()
    with pytest.raises(RunLimitExceeded, match="tokens limit of 50"):
        await Limits()(call_of(user(), run=run), Server())


async def test_time_is_up_by_the_clock_of_the_run(monkeypatch: pytest.MonkeyPatch):
    now = 100.0
    monkeypatch.setattr("agentmaker.calls.limits.time.monotonic", lambda: now)
    run = Run(RunPolicy(seconds=5), started=now)
    await Limits()(call_of(user(), run=run), Server())
    now = 105.0
    with pytest.raises(RunLimitExceeded, match="seconds limit of 5"):
        await Limits()(call_of(user(), run=run), Server())


async def test_the_time_left_is_that_of_the_run_that_ends_first(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("agentmaker.calls.limits.time.monotonic", lambda: 107.0)
    outer = Run(RunPolicy(seconds=10), started=100.0)
    sooner = Run(RunPolicy(seconds=5), started=103.0, parent=outer)
    later = Run(RunPolicy(seconds=50), started=103.0, parent=outer)
    free = Run(RunPolicy(), started=103.0, parent=outer)

    assert [run.left() for run in (outer, sooner, later, free)] == [3, 1, 3, 3]
    assert Run(RunPolicy()).left() == math.inf
    late = later.late()
    assert (late.limit, late.allowed, late.used) == ("seconds", 10, 7)


async def test_time_alone_is_checked_whatever_else_is_spent():
    Run(RunPolicy(calls=1, seconds=60), calls=1).check_time()
    with pytest.raises(RunLimitExceeded, match="seconds limit of 5"):
        Run(RunPolicy(calls=1, seconds=5), calls=1, started=-1e9).check_time()


async def test_a_run_that_was_cancelled_sends_nothing_more():
    server, run = Server(), Run(RunPolicy())
    run.cancel()
    with pytest.raises(RunCancelled, match="start a new one"):
        await Limits()(call_of(user(), run=run), server)
    assert server.calls == []
