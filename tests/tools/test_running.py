from __future__ import annotations

import argparse
import asyncio
import json
import logging
import sys
import threading
from collections.abc import Awaitable, Iterator
from contextvars import ContextVar
from math import inf

import anyio
import pytest
from anyio.lowlevel import checkpoint
from hypothesis import given, settings
from hypothesis import strategies as st

from agentmaker.context.sources import Grant
from agentmaker.errors import ConfigError, ToolError
from agentmaker.messages import ToolCall
from agentmaker.prompts import PROMPT_PACKS
from agentmaker.scope import Scope
from agentmaker.sync import run
from agentmaker.tokens import count_tokens
from agentmaker.tools import Outcome, Tool, ToolRegistry, run_calls, tool

GRANT = Grant(1_000, None, count_tokens)


def call(name: str, arguments: object = "{}", id: str = "c") -> ToolCall:
    return ToolCall(id=id, name=name, arguments=arguments)


async def run_one(function: object, arguments: object = "{}", **options: object) -> Outcome:
    made = function if isinstance(function, Tool) else tool(function)
    options = {"grant": GRANT, **options}
    [outcome] = await run_calls([call(made.name, arguments)], ToolRegistry([made]), **options)
    return outcome


def echo(value: int = 0) -> str:
    return f"got {value}"


def strict(value: int) -> str:
    return f"got {value}"


@tool
async def hang() -> None:
    await anyio.sleep_forever()


# Order and concurrency


@pytest.mark.anyio
async def test_results_keep_the_order_asked_whichever_ends_first():
    gates = [anyio.Event() for _ in range(4)]
    gates[3].set()
    ended = []

    async def turn(at: int) -> int:
        await gates[at].wait()
        if at:
            gates[at - 1].set()
        return at

    async def note(outcome: Outcome) -> None:
        ended.append(outcome.text)

    calls = [call("turn", json.dumps({"at": at}), f"c{at}") for at in range(4)]
    outcomes = await run_calls(calls, ToolRegistry([turn]), grant=GRANT, ended=note)
    assert [each.text for each in outcomes] == ["0", "1", "2", "3"]
    assert [each.call for each in outcomes] == calls
    assert ended == ["3", "2", "1", "0"]


@pytest.mark.anyio
async def test_no_more_than_the_limit_run_at_a_time():
    running, most = 0, 0

    async def work() -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        for _ in range(3):
            await anyio.lowlevel.checkpoint()
        running -= 1

    await run_calls([call("work")] * 10, ToolRegistry([work]), grant=GRANT, limit=3)
    assert most == 3


def broken() -> None:
    raise ValueError("no")


MIXED = ToolRegistry([echo, strict, broken])
EXPECTED = {"echo": "ok", "strict": "arguments", "broken": "failed", "nothing": "unknown"}


@given(st.lists(st.sampled_from(sorted(EXPECTED)), max_size=8), st.integers(1, 4))
@settings(max_examples=25)
def test_any_batch_gives_an_outcome_for_each_call_in_its_place(names, limit):
    calls = [call(name, id=str(at)) for at, name in enumerate(names)]
    begun, ended = [], []

    async def began(each: ToolCall) -> None:
        begun.append(each.id)

    async def note(outcome: Outcome) -> None:
        ended.append(outcome)

    outcomes = run(
        lambda: run_calls(calls, MIXED, grant=GRANT, limit=limit, began=began, ended=note)
    )
    assert [each.call for each in outcomes] == calls
    assert [each.reason for each in outcomes] == [EXPECTED[name] for name in names]
    assert sorted(ended, key=lambda each: each.call.id) == list(outcomes)
    assert sorted(begun) == [each.id for each in calls if each.name != "nothing"]


@pytest.mark.anyio
async def test_an_empty_batch_gives_nothing():
    assert await run_calls([], ToolRegistry(), grant=GRANT) == ()


@pytest.mark.anyio
async def test_a_limit_that_lets_nothing_run_is_refused():
    with pytest.raises(ConfigError, match="limit must be a whole number of at least 1"):
        await run_calls([], ToolRegistry(), grant=GRANT, limit=0)


# What the model wrote


@pytest.mark.anyio
@pytest.mark.parametrize("nothing", [None, "", " \n", {}, "{}", "null"])
async def test_case_13_no_arguments_mean_an_empty_object(nothing):
    assert await run_one(echo, nothing) == Outcome(call("echo", nothing), "got 0")


@pytest.mark.anyio
@pytest.mark.parametrize("given", [{"value": 1}, '{"value": 1}', ' {"value": "1"}'])
async def test_case_13_arguments_may_be_an_object_or_its_text(given):
    assert (await run_one(echo, given)).text == "got 1"


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (5, "number"),
        ("5", "number"),
        ([1], "array"),
        ("[1]", "array"),
        ('"x"', "string"),
        ("true", "boolean"),
        ('{"value": 1', "Expecting"),
        ("value=1", "Expecting value"),
        ("[" * 100_000, ""),
        ("1" * 5_000, ""),
    ],
)
async def test_case_13_what_is_no_json_object_is_told_and_nothing_runs(wrong, why):
    begun = []

    async def began(each: ToolCall) -> None:
        begun.append(each)

    outcome = await run_one(echo, wrong, began=began)
    assert (outcome.failed, outcome.reason, begun) == (True, "arguments", [])
    assert "echo was not run" in outcome.text
    assert "a JSON object is wanted" in outcome.text
    assert why in outcome.text
    assert len(outcome.text) < 400


@pytest.mark.anyio
async def test_arguments_that_do_not_fit_are_told_by_field():
    outcome = await run_one(strict, '{"value": "many", "user_id": "bob"}')
    assert (outcome.failed, outcome.reason) == (True, "arguments")
    assert "value: Input should be a valid integer" in outcome.text
    assert "user_id: " in outcome.text


@pytest.mark.anyio
async def test_an_unknown_name_is_answered_with_the_known_ones_nearest_first():
    registry = ToolRegistry([tool(echo, name=name) for name in ("write", "read_file", "search")])
    [outcome] = await run_calls([call("Read_Files")], registry, grant=GRANT)
    assert (outcome.failed, outcome.reason) == (True, "unknown")
    assert "There is no tool Read_Files." in outcome.text
    assert outcome.text.index("read_file,") < outcome.text.index("write")
    assert "search" in outcome.text


@pytest.mark.anyio
@pytest.mark.parametrize("name", ["", "x" * 100_000, "\ud800", None])
async def test_any_name_at_all_is_answered_in_short(name):
    registry = ToolRegistry([tool(echo, name=f"tool_{at}") for at in range(200)])
    [outcome] = await run_calls([call(name)], registry, grant=GRANT)
    assert outcome.reason == "unknown"
    assert len(outcome.text.encode()) < 500
    [outcome] = await run_calls([call(name)], ToolRegistry(), grant=GRANT)
    assert "none" in outcome.text


# What tools do


class Unprintable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


def group() -> ExceptionGroup[Exception]:
    return ExceptionGroup("many", [ValueError("a"), ExceptionGroup("more", [KeyError("b")])])


@pytest.mark.anyio
@pytest.mark.parametrize("in_thread", [True, False])
@pytest.mark.parametrize(
    ("error", "text"),
    [
        (ValueError("no such file"), "broken failed: ValueError: no such file"),
        (RuntimeError(), "broken failed: RuntimeError"),
        (ToolError("try page 2"), "broken failed: try page 2"),
        (Unprintable(), "broken failed: Unprintable"),
        (group(), "broken failed: ValueError: a; KeyError: 'b'"),
        (TimeoutError("theirs"), "broken failed: TimeoutError: theirs"),
        (UnicodeError("\ud800"), "broken failed: UnicodeError: \ufffd"),
    ],
)
async def test_an_exception_is_told_by_type_and_message(error, text, in_thread):
    def broken() -> None:
        raise error

    async def broken_too() -> None:
        raise error

    function = tool(broken) if in_thread else tool(broken_too, name="broken")
    outcome = await run_one(function)
    assert (outcome.text, outcome.failed, outcome.reason) == (text, True, "failed")


@pytest.mark.anyio
async def test_one_that_fails_costs_no_other():
    registry = ToolRegistry([broken, echo])
    outcomes = await run_calls([call("broken"), call("echo"), call("no")], registry, grant=GRANT)
    assert [each.reason for each in outcomes] == ["failed", "ok", "unknown"]


@pytest.mark.anyio
async def test_nothing_of_a_call_is_logged(caplog):
    def broken(key: str) -> None:
        raise ValueError(key)

    with caplog.at_level(logging.DEBUG):
        outcome = await run_one(broken, {"key": "sk-CANARY0123456789"})
    assert outcome.failed
    assert "CANARY" not in caplog.text


@pytest.mark.anyio
@pytest.mark.parametrize("own", [True, False])
async def test_a_tool_is_given_up_after_its_own_time_or_the_grants(own):
    made = Tool("hang", "", {}, hang.run, timeout=0.01 if own else 60)
    outcome = await run_one(made, grant=Grant(10, 60 if own else 0.01, count_tokens))
    assert (outcome.failed, outcome.reason) == (True, "timeout")
    assert "no result within 0.01 s" in outcome.text


@pytest.mark.anyio
async def test_calls_that_wait_for_others_wait_within_the_same_deadline():
    begun = []

    async def began(each: ToolCall) -> None:
        begun.append(each.id)

    calls = [call("hang", id=f"c{at}") for at in range(3)]
    outcomes = await run_calls(
        calls, ToolRegistry([hang]), grant=Grant(10, 0.05, count_tokens), limit=1, began=began
    )
    assert [each.reason for each in outcomes] == ["timeout"] * 3
    assert begun[0] == "c0"


@pytest.mark.anyio
async def test_a_tool_that_answers_a_timeout_with_an_error_has_timed_out():
    @tool(timeout=0.01)
    async def rude() -> None:
        try:
            await anyio.sleep_forever()
        except anyio.get_cancelled_exc_class():
            raise ValueError("interrupted") from None

    assert (await run_one(rude)).reason == "timeout"


@pytest.mark.anyio
async def test_a_hung_thread_is_left_to_itself_and_too_many_are_not_joined_by_more():
    release = threading.Event()

    @tool(timeout=0.01)
    def stuck() -> None:
        release.wait(30)

    try:
        outcomes = [await run_one(stuck) for _ in range(5)]
    finally:
        release.set()
    assert [each.reason for each in outcomes] == ["timeout"] * 4 + ["busy"]
    assert "stuck was not run" in outcomes[-1].text


@pytest.mark.anyio
async def test_the_call_is_told_its_own_grant_and_the_scope():
    given = []

    @tool(timeout=5)
    async def ask(grant: Grant, scope: Scope) -> None:
        given.extend([grant, scope])

    scope = Scope(user="alice")
    await run_one(ask, grant=Grant(123, 60, count_tokens), scope=scope)
    await run_one(Tool("ask", "", {}, ask.run))
    assert given[0].tokens == 123
    assert given[0].deadline == 5
    assert given[1] is scope
    assert given[2].deadline is None
    assert given[3] is None


@pytest.mark.anyio
@pytest.mark.parametrize("result", [object(), {"a": object()}, iter])
async def test_a_result_that_no_text_can_be_made_of_is_told_as_such(result):
    outcome = await run_one(giving(result))
    assert (outcome.failed, outcome.reason) == (True, "unreadable")
    assert outcome.text.startswith("give has run, but no text can be made of what it returned (")


def giving(result: object) -> Tool:
    async def run(arguments: object, given: object) -> object:
        return result

    return Tool("give", "", {}, run)


@pytest.mark.anyio
async def test_the_texts_come_from_the_prompt_registry():
    outcome = await run_one(strict, "5", prompts=PROMPT_PACKS["zh"])
    assert (
        outcome.text == "strict 未执行，参数有误：需要一个 JSON 对象（number）。请改正后重新调用。"
    )


# Journal, cancellation and what is no Exception


@pytest.mark.anyio
async def test_a_call_is_announced_just_before_it_runs_and_just_after():
    seen = []

    async def began(each: ToolCall) -> None:
        await anyio.lowlevel.checkpoint()
        seen.append(("began", each.id))

    async def ended(outcome: Outcome) -> None:
        await anyio.lowlevel.checkpoint()
        seen.append(("ended", outcome.call.id, outcome.reason))

    async def work() -> None:
        seen.append("works")

    calls = [call("work", id="a"), call("nothing", id="b"), call("work", id="c")]
    await run_calls(calls, ToolRegistry([work]), grant=GRANT, limit=1, began=began, ended=ended)
    assert seen == [
        ("began", "a"),
        "works",
        ("ended", "a", "ok"),
        ("ended", "b", "unknown"),
        ("began", "c"),
        "works",
        ("ended", "c", "ok"),
    ]


@pytest.mark.anyio
@pytest.mark.parametrize("which", ["began", "ended"])
async def test_an_error_of_the_journal_ends_the_batch_as_it_is(which):
    cancelled = []

    async def fail(about: ToolCall | Outcome) -> None:
        if getattr(about, "call", about).name == "echo":
            raise OSError("disk full")

    async def work() -> None:
        try:
            await anyio.sleep_forever()
        finally:
            cancelled.append(True)

    registry = ToolRegistry([work, echo])
    with pytest.raises(OSError, match="disk full"):
        await run_calls([call("work"), call("echo")], registry, grant=GRANT, **{which: fail})
    assert cancelled == [True]


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
@pytest.mark.anyio
async def test_a_journal_that_raises_a_cancellation_nobody_asked_for_ends_the_batch():
    async def quits(_: object) -> None:
        raise anyio.get_cancelled_exc_class()

    with pytest.raises(anyio.get_cancelled_exc_class()):
        await run_one(echo, ended=quits)


class Fatal(BaseException):
    pass


@pytest.mark.anyio
@pytest.mark.parametrize("in_thread", [True, False])
async def test_what_is_no_exception_passes_through_as_it_is(in_thread):
    def fatal() -> None:
        raise Fatal

    async def fatal_too() -> None:
        raise Fatal

    function = tool(fatal if in_thread else fatal_too, name="fatal")
    with pytest.raises(Fatal):
        await run_calls([call("hang"), call("fatal")], ToolRegistry([hang, function]), grant=GRANT)


async def exits(way: str, code: object) -> Outcome:
    def at_once() -> None:
        sys.exit(code)

    async def on_the_loop() -> None:
        at_once()

    def later() -> Awaitable[None]:
        return on_the_loop()

    def yielding() -> Iterator[int]:
        yield 1
        at_once()

    ways = {"thread": at_once, "loop": on_the_loop, "later": later, "yielding": yielding}
    registry = ToolRegistry([tool(ways[way], name="exits"), echo])
    outcome, other = await run_calls([call("exits"), call("echo")], registry, grant=GRANT)
    assert not other.failed
    return outcome


@pytest.mark.anyio
@pytest.mark.parametrize("code", [2, "no such file"])
@pytest.mark.parametrize("way", ["thread", "loop", "later", "yielding"])
async def test_a_tool_that_exits_has_failed_and_ends_nothing_else(way, code):
    outcome = await exits(way, code)

    assert (outcome.failed, outcome.reason) == (True, "failed")
    assert outcome.text == f"exits failed: it called sys.exit({code!r})"


@pytest.mark.anyio
@pytest.mark.parametrize("code", [0, None])
@pytest.mark.parametrize("way", ["thread", "loop", "later", "yielding"])
async def test_a_tool_that_exits_well_is_done(way, code):
    outcome = await exits(way, code)

    assert (outcome.failed, outcome.text) == (False, "Done.")


@pytest.mark.anyio
async def test_an_argument_parser_in_a_tool_ends_no_program(capfd):
    def convert(options: str) -> str:
        parser = argparse.ArgumentParser("convert")
        parser.add_argument("--to", required=True)
        return parser.parse_args(options.split()).to

    registry = ToolRegistry([convert])
    calls = [call("convert", {"options": options}) for options in ("--from png", "--to jpg")]
    wrong, right = await run_calls(calls, registry, grant=GRANT)

    assert (wrong.failed, right.text) == (True, "jpg")


@pytest.mark.anyio
@pytest.mark.parametrize("in_thread", [True, False])
async def test_ctrl_c_in_a_tool_passes_through(in_thread):
    def interrupted() -> None:
        raise KeyboardInterrupt

    async def interrupted_too() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await run_one(tool(interrupted if in_thread else interrupted_too, name="fail"))


@pytest.mark.anyio
async def test_cancellation_cancels_every_running_tool_and_passes_through():
    running, cancelled, ended = [], [], []
    release = threading.Event()

    async def work() -> None:
        running.append(True)
        if len(running) == 3:
            group.cancel_scope.cancel()
        try:
            await anyio.sleep_forever()
        finally:
            cancelled.append(True)

    def thread() -> None:
        release.wait(30)

    async def note(outcome: Outcome) -> None:
        ended.append(outcome)

    calls = [call("thread"), *[call("work")] * 3]
    returned = []

    async def batch() -> None:
        returned.append(
            await run_calls(calls, ToolRegistry([work, thread]), grant=GRANT, ended=note)
        )

    try:
        async with anyio.create_task_group() as group:
            group.start_soon(batch)
    finally:
        release.set()
    assert (len(cancelled), ended, returned) == (3, [], [])


@pytest.mark.anyio
async def test_a_tool_that_hides_the_cancellation_does_not_hide_it_from_the_caller():
    async def rude() -> str:
        group.cancel_scope.cancel()
        try:
            await anyio.sleep_forever()
        except anyio.get_cancelled_exc_class():
            return "still here"

    after = []

    async def batch() -> None:
        await run_calls([call("rude")], ToolRegistry([rude]), grant=GRANT)
        after.append(True)

    async with anyio.create_task_group() as group:
        group.start_soon(batch)
    assert after == []


@pytest.mark.anyio
async def test_who_keeps_the_result_of_a_lone_sync_tool_does_not_hide_the_cancellation_either():
    async def ended(outcome: Outcome) -> None:
        group.cancel_scope.cancel()
        try:
            await anyio.sleep_forever()
        except anyio.get_cancelled_exc_class():
            raise ValueError("interrupted") from None

    after = []

    async def batch() -> None:
        await run_calls([call("echo")], ToolRegistry([echo]), grant=GRANT, ended=ended)
        after.append(True)

    async with anyio.create_task_group() as group:
        group.start_soon(batch)
    assert after == []


@pytest.mark.anyio
async def test_a_lone_sync_tool_does_not_begin_once_its_run_is_cancelled():
    began = []
    with anyio.CancelScope() as scope:
        scope.cancel()
        await run_one(tool(lambda: began.append(1), name="write"))
    await run_one(tool(lambda: None, name="read"))
    assert scope.cancelled_caught
    assert not began


@pytest.mark.anyio
@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_asyncio_s_own_cancellation_is_no_failure_of_the_lone_sync_tool_it_comes_in():
    at_work, free = threading.Event(), threading.Event()

    def wait() -> None:
        at_work.set()
        free.wait(5)

    async def cancel(task: asyncio.Task[Outcome]) -> None:
        await anyio.to_thread.run_sync(at_work.wait, 5)
        task.cancel()

    ours = asyncio.create_task(run_one(wait))
    await cancel(ours)
    with pytest.raises(asyncio.CancelledError):
        await ours
    at_work.clear()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await run_one(wait)
    free.set()


@pytest.mark.anyio
async def test_context_variables_that_a_coroutine_of_a_sync_tool_sets_stay_its_own():
    variable = ContextVar("variable", default="ours")

    async def later(said: str) -> str:
        variable.set(said)
        await checkpoint()
        return variable.get()

    assert (await run_one(tool(lambda: later("the tool's"), name="later"))).text == "the tool's"
    assert variable.get() == "ours"


@pytest.mark.anyio
async def test_a_coroutine_of_a_sync_tool_raises_what_it_raises():
    async def fail(error: BaseException) -> None:
        raise error

    assert "broken" in (await run_one(tool(lambda: fail(ValueError("broken")), name="fail"))).text
    with pytest.raises(KeyboardInterrupt):
        await run_one(tool(lambda: fail(KeyboardInterrupt()), name="fail"))


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
@pytest.mark.anyio
async def test_a_tool_that_raises_a_cancellation_nobody_asked_for_has_failed():
    async def quits() -> None:
        raise anyio.get_cancelled_exc_class()

    outcome = await run_one(quits)
    assert (outcome.reason, outcome.text) == ("failed", "quits failed: cancelled")
    assert anyio.current_effective_deadline() == inf
