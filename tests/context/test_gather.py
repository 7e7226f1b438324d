from __future__ import annotations

import asyncio
from itertools import count
from threading import Barrier, Event

import anyio
import pytest
from anyio.lowlevel import checkpoint

from agentmaker import CallableSource, ContextBuilder, ContextConfig, ContextSource, SourceError

pytestmark = pytest.mark.anyio

NAMES = ("ok", "bad", "policy", "late")
CONFIG = ContextConfig(source_ratios=dict.fromkeys(NAMES, 0.25))


def text_of(query):
    return ["text"]


async def text_soon(query):
    await checkpoint()
    return ["text"]


OK = CallableSource("ok", text_of)


async def gathered(*sources, builder=None, **options):
    builder = builder or ContextBuilder(CONFIG)
    block = await builder.agather("q", sources=sources, budget=500, **options)
    return block, {each.name: each for each in block.outcomes}


def raises(error):
    def fetch(query):
        raise error

    return fetch


def araises(error):
    async def fetch(query):
        raise error

    return fetch


@pytest.mark.parametrize("make", [raises, araises])
@pytest.mark.parametrize(
    "error", [ValueError("key sk-secret"), StopIteration(), ExceptionGroup("g", [OSError()])]
)
async def test_case_83_a_source_that_raises_costs_only_itself(make, error):
    block, outcomes = await gathered(OK, CallableSource("bad", make(error)))
    assert block.text == "[ok]\n- text"
    assert (outcomes["ok"].outcome, outcomes["ok"].kept) == ("ok", 1)
    assert (outcomes["bad"].outcome, outcomes["bad"].found) == ("failed", 0)
    assert "secret" not in outcomes["bad"].reason


async def test_case_83_the_outcome_names_the_type_of_the_error():
    _, outcomes = await gathered(CallableSource("bad", raises(ValueError("x"))))
    assert outcomes["bad"].reason == "ValueError"


@pytest.mark.parametrize("rubbish", [5, object(), [object()], b"bytes", {"text": "t"}])
async def test_a_source_that_returns_rubbish_is_rejected_by_name(rubbish):
    block, outcomes = await gathered(OK, CallableSource("bad", lambda q: rubbish))
    assert block.text == "[ok]\n- text"
    assert outcomes["bad"].outcome == "rejected"
    assert outcomes["bad"].reason.startswith("returned ")


async def test_a_source_without_results_is_empty():
    block, outcomes = await gathered(CallableSource("ok", lambda q: None))
    assert (block.text, block.tokens, outcomes["ok"].outcome) == ("", 0, "empty")


async def test_a_source_that_claims_to_be_another_draws_on_its_own_quota():
    def lying(query):
        return [{"content": "mine", "source": "ok", "metadata": {"tokens": -(10**9)}}]

    block, outcomes = await gathered(OK, CallableSource("bad", lying))
    assert block.text == "[ok]\n- text\n\n[bad]\n- mine"
    assert outcomes["bad"].kept == 1


async def test_a_subclass_may_break_its_contract_and_costs_only_itself():
    class Bad(ContextSource):
        name = "bad"

        def fetch(self, query, scope=None):
            return (str(number) for number in count())

        async def afetch(self, query, scope=None):
            return 5

    block, outcomes = await gathered(OK, Bad())
    assert (block.text, outcomes["bad"].outcome) == ("[ok]\n- text", "rejected")


async def test_a_hanging_sync_source_is_given_up_at_its_deadline():
    release = Event()

    def hang(query):
        release.wait(20)
        return ["too late"]

    try:
        with anyio.fail_after(5):
            block, outcomes = await gathered(OK, CallableSource("late", hang, timeout=0.02))
    finally:
        release.set()
    assert block.text == "[ok]\n- text"
    assert outcomes["late"].outcome == "timeout"
    assert outcomes["late"].reason == "gave nothing within 0.02 s"
    assert outcomes["late"].ms >= 20


async def test_a_source_that_keeps_hanging_is_not_asked_again():
    release = Event()
    source = CallableSource("late", lambda q: release.wait(), timeout=0.01)
    try:
        found = [(await gathered(OK, source))[1]["late"] for _ in range(6)]
    finally:
        release.set()
    assert [each.outcome for each in found] == ["timeout"] * 4 + ["rejected"] * 2
    assert found[-1].reason == "4 earlier calls still hang"


@pytest.mark.parametrize("knob", ["source", "config", "deadline"])
async def test_a_deadline_comes_from_the_source_the_config_or_the_call(knob):
    source = CallableSource(
        "late", lambda q: anyio.sleep(20), timeout=0.01 if knob == "source" else None
    )
    config = ContextConfig(
        source_ratios=CONFIG.source_ratios, source_timeout=0.01 if knob == "config" else None
    )
    deadline = 0.01 if knob == "deadline" else None
    with anyio.fail_after(5):
        _, outcomes = await gathered(source, builder=ContextBuilder(config), deadline=deadline)
    assert outcomes["late"].outcome == "timeout"


@pytest.mark.parametrize(
    ("fn", "reason"),
    [
        (lambda q: anyio.sleep(20), "gave nothing within 0.01 s"),
        (raises(ValueError("x")), "ValueError"),
        (lambda q: 5, "returned int, not a list of results"),
    ],
    ids=["timeout", "raises", "rubbish"],
)
async def test_case_85_a_required_source_that_fails_stops_the_turn(fn, reason):
    timeout = 0.01 if reason.startswith("gave nothing") else 20
    policy = CallableSource("policy", fn, required=True, timeout=timeout)
    with pytest.raises(SourceError) as caught:
        await gathered(OK, policy)
    assert (caught.value.source, caught.value.reason) == ("policy", reason)
    _, outcomes = await gathered(OK, CallableSource("policy", fn, timeout=timeout))
    assert outcomes["policy"].reason == reason


async def test_case_85_a_required_source_that_failed_is_not_waited_for_by_the_others():
    policy = CallableSource("policy", raises(ValueError("x")), required=True)
    slow = CallableSource("late", lambda q: anyio.sleep(20), timeout=None)
    with anyio.fail_after(5), pytest.raises(SourceError) as caught:
        await gathered(slow, policy)
    assert isinstance(caught.value.__cause__, ValueError)


async def test_a_required_source_with_nothing_to_say_is_no_fault():
    _, outcomes = await gathered(CallableSource("policy", lambda q: [], required=True))
    assert outcomes["policy"].outcome == "empty"


async def test_case_86_cancelling_goes_through_at_once_and_leaves_no_task():
    begun, release, ended = anyio.Event(), Event(), []

    async def asleep(query):
        begun.set()
        try:
            await anyio.sleep_forever()
        finally:
            ended.append("async")

    sources = [CallableSource("late", asleep), CallableSource("bad", lambda q: release.wait())]
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(gathered, *sources)
        await begun.wait()
        tasks.cancel_scope.cancel()
    assert ended == ["async"]  # while the thread still waits
    release.set()


@pytest.mark.parametrize("required", [True, False])
async def test_case_86_a_source_that_fails_when_cancelled_does_not_hide_it(required):
    async def fails_when_cancelled(query):
        try:
            await anyio.sleep(20)
        finally:
            raise ValueError("while leaving")

    reached = False
    with anyio.move_on_after(0.01) as cancelled:
        await gathered(CallableSource("policy", fails_when_cancelled, required=required))
        reached = True
    assert cancelled.cancelled_caught
    assert not reached


async def test_a_source_that_fails_because_it_was_late_was_late():
    async def fails_when_cancelled(query):
        try:
            await anyio.sleep(20)
        finally:
            raise ValueError("while leaving")

    _, outcomes = await gathered(CallableSource("late", fails_when_cancelled, timeout=0.01))
    assert outcomes["late"].outcome == "timeout"


@pytest.mark.parametrize("make", [raises, araises])
@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(3)])
async def test_case_86_what_is_no_exception_passes_through_unwrapped(make, error):
    slow = CallableSource("late", lambda q: anyio.sleep(20))
    with anyio.fail_after(5), pytest.raises(type(error)):
        await gathered(slow, CallableSource("bad", make(error)))


async def test_twenty_sources_are_asked_at_once():
    met = Barrier(20)

    def waits_for_the_others(query):
        met.wait(30)
        return [query]

    names = [f"s{number}" for number in range(20)]
    builder = ContextBuilder(ContextConfig(source_ratios=dict.fromkeys(names, 0.05)))
    block = await builder.agather(
        "q", sources=[CallableSource(name, waits_for_the_others) for name in names], budget=2000
    )
    assert [each.found for each in block.outcomes] == [1] * 20


async def test_each_source_is_granted_its_share_its_deadline_and_the_counter():
    grants = {}

    def asks(name):
        async def fetch(query, *, grant):
            grants[name] = grant
            return []

        return CallableSource(name, fetch, timeout=3 if name == "bad" else None)

    ratios = {"ok": 0.3, "bad": 0.1, "policy": 0}
    builder = ContextBuilder(ContextConfig(source_ratios=ratios), token_counter=len)
    await builder.agather("q", sources=[asks(name) for name in ratios], budget=400, deadline=5)
    assert {name: (each.tokens, each.deadline) for name, each in grants.items()} == {
        "ok": (300, 5),
        "bad": (100, 3),
        "policy": (400, 5),
    }
    assert grants["ok"].counter("four") == 4


def test_a_source_that_cancels_itself_costs_only_itself():
    async def main():
        return await gathered(
            OK,
            CallableSource("bad", araises(asyncio.CancelledError())),
            CallableSource("late", text_soon),
        )

    block, outcomes = asyncio.run(main())
    assert block.text == "[ok]\n- text"
    assert (outcomes["bad"].outcome, outcomes["bad"].reason) == ("failed", "cancelled itself")
    assert outcomes["late"].outcome == "ok"


def test_case_86_cancelling_the_task_of_asyncio_raises_cancelled_error():
    async def main():
        task = asyncio.create_task(gathered(CallableSource("late", lambda q: anyio.sleep(20))))
        await asyncio.sleep(0.02)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return len(asyncio.all_tasks())

    assert asyncio.run(main()) == 1
