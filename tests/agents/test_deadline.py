from __future__ import annotations

import threading
from collections.abc import AsyncIterator
from typing import Any

import anyio
import pytest

from agentmaker import Agent, AgentConfig, PlanAgent, ReflectionAgent, RunPolicy, tool, using, wrap
from agentmaker.agents.deadline import within
from agentmaker.agents.events import TextDelta, ToolStarted
from agentmaker.agents.result import RunResult
from agentmaker.calls.call import Delta, Reply
from agentmaker.calls.limits import Run
from agentmaker.errors import RunLimitExceeded
from agentmaker.memory.in_memory import MemoryStore
from agentmaker.messages import ToolCall
from agentmaker.testing import ModelServer, ScriptedLLM

pytestmark = pytest.mark.anyio

SHORT = RunPolicy(seconds=0.2)
LONG = RunPolicy(seconds=60)
HANG = "hang"


class Stuck(ScriptedLLM):
    """Hangs where its script says so."""

    async def chat(self, messages: Any, **named: Any) -> Reply:
        reply = await super().chat(messages, **named)
        if reply.content == HANG:
            await anyio.sleep_forever()
        return reply


class Trickling(ScriptedLLM):
    """Streams one piece, and no other."""

    async def chat(self, messages: Any, **named: Any) -> Reply:
        async def pieces() -> AsyncIterator[Delta]:
            yield Delta(content="The ans")
            await anyio.sleep_forever()

        if "stream" in named:
            return Reply(deltas=pieces())
        return await super().chat(messages, **named)


@tool
async def hang() -> str:
    """Never end."""
    await anyio.sleep_forever()
    return "never"


@tool(confirm=True)
def pay() -> str:
    """Pay."""
    return "paid"


def asks(name: str, **arguments: Any) -> Reply:
    return ScriptedLLM.tool_call(name, arguments)


def shown(llm: ScriptedLLM) -> list[str]:
    return [each["content"] for each in llm.calls[-1]["messages"] if each["role"] == "tool"]


def out_of_time(result: RunResult) -> bool:
    assert isinstance(result.stopped_by, RunLimitExceeded)
    return (result.status, result.stopped_by.limit) == ("stopped", "seconds")


async def test_a_tool_that_hangs_is_given_up_and_the_run_stops():
    llm = ScriptedLLM([asks("hang"), "It took too long."])
    agent = Agent("worker", llm, tools=[hang], limits=SHORT)

    stopped = await agent.arun("go")
    assert out_of_time(stopped)
    assert len(llm.calls) == 1

    result = await agent.resume(stopped.run_id, limits=LONG)
    assert result.output == "It took too long."
    assert [text.startswith("hang was given up") for text in shown(llm)] == [True]


async def test_a_tool_is_told_the_time_that_its_run_has_left():
    told: list[float | None] = []

    def measure(grant: Any) -> str:
        told.append(grant.deadline)
        return "ok"

    for limits in (LONG, RunPolicy()):
        llm = ScriptedLLM([asks("measure"), "done"])
        config = AgentConfig(tool_seconds=600)
        await Agent("worker", llm, tools=[measure], limits=limits, config=config).arun("go")

    bounded, free = told
    assert bounded is not None
    assert free is not None
    assert bounded <= 60 < free


async def test_calls_of_a_run_that_is_late_are_left_open_and_run_when_it_goes_on(
    monkeypatch: pytest.MonkeyPatch,
):
    ran: list[int] = []

    @tool(idempotent=True)
    def work() -> str:
        """Work."""
        ran.append(1)
        return "ok"

    agent = Agent("worker", ScriptedLLM([asks("work"), "done"]), tools=[work], limits=LONG)

    async with agent.stream("go") as events:
        assert isinstance(await anext(events), ToolStarted)
        with monkeypatch.context() as slow_reader:
            slow_reader.setattr(Run, "left", lambda run: 0.0)
            *_, finished = [event async for event in events]
    assert out_of_time(finished.result)
    assert ran == []
    assert (await agent.resume(finished.result.run_id)).output == "done"
    assert ran == [1]


@pytest.mark.parametrize("in_thread", [False, True])
async def test_an_approval_that_nobody_gives_is_awaited_no_longer_than_the_run_lasts(
    in_thread: bool,
):
    over = threading.Event()

    async def nobody(call: ToolCall) -> bool:
        await anyio.sleep_forever()
        return True

    def nobody_here(call: ToolCall) -> bool:
        return over.wait(30)

    llm = ScriptedLLM([asks("pay"), "done"])
    hook = nobody_here if in_thread else nobody
    agent = Agent("payer", llm, tools=[pay], limits=SHORT, confirm=hook)

    stopped = await agent.arun("go")
    over.set()
    assert out_of_time(stopped)

    agent = Agent("payer", llm, tools=[pay], confirm=lambda call: True, store=agent.store)
    assert (await agent.resume(stopped.run_id, limits=LONG)).output == "done"
    assert shown(llm) == ["paid"]


async def test_a_model_that_does_not_answer_is_awaited_no_longer_than_the_run_lasts():
    llm = Stuck([HANG, "Hello."])
    agent = Agent("greeter", llm, limits=SHORT)

    stopped = await agent.arun("Say hello")
    assert out_of_time(stopped)
    assert (await agent.resume(stopped.run_id, limits=LONG)).output == "Hello."


async def test_a_limit_on_requests_does_not_hide_that_the_time_is_over():
    llm = Stuck([HANG])

    assert out_of_time(await Agent("a", llm, limits=RunPolicy(calls=1, seconds=0.2)).arun("?"))


async def test_a_run_is_cut_off_by_the_time_of_one_that_it_is_a_part_of():
    with using(run=SHORT):
        assert out_of_time(await Agent("greeter", Stuck([HANG]), limits=LONG).arun("Say hello"))


async def test_a_stream_that_stalls_is_pulled_no_longer_than_the_run_lasts():
    agent = Agent("teller", Trickling(["The answer."]), limits=SHORT)

    *pieces, finished = [event async for event in agent.stream("?")]
    assert pieces == [TextDelta(text="The ans", part="")]
    assert out_of_time(finished.result)
    assert (await agent.resume(finished.result.run_id, limits=LONG)).output == "The answer."


async def test_a_sub_agent_that_hangs_goes_on_when_the_run_that_calls_it_does():
    child = Stuck([HANG, "The cap is 80."])
    parent = ScriptedLLM([asks("helper", task="dig"), "It is 80."])
    helper, store = Agent("helper", child).as_tool(), MemoryStore()
    agent = Agent("boss", parent, tools=[helper], store=store, limits=SHORT)

    stopped = await agent.arun("?")
    assert out_of_time(stopped)
    assert {each.status for each in await store.runs()} == {"stopped"}

    result = await agent.resume(stopped.run_id, limits=LONG)
    assert (result.output, shown(parent)) == ("It is 80.", ["The cap is 80."])
    assert len(await store.runs()) == 2


async def test_a_sub_agent_whose_own_time_is_over_tells_what_it_has():
    child = ScriptedLLM([asks("hang")])
    parent = ScriptedLLM([asks("helper", task="dig"), "done"])
    helper = Agent("helper", child, tools=[hang], limits=SHORT).as_tool()

    result = await Agent("boss", parent, tools=[helper], limits=LONG).arun("?")

    assert result.output == "done"
    assert "seconds" in shown(parent)[0]
    assert "hang was given up" in shown(parent)[0]


async def test_a_summariser_that_hangs_is_awaited_no_longer_than_the_run_lasts():
    def look(at: int) -> str:
        return f"thing-{at} costs {at * 7} euros. " + "It is of no further interest. " * 20

    async def hanging(text: str, instruction: str) -> str:
        summarising.append(text)
        await anyio.sleep_forever()
        return "never"

    summarising: list[str] = []
    looks = [asks("look", at=at) for at in range(6)]
    server = ModelServer([*looks, asks("compact"), "done"])
    client = wrap(server.client(), window=8_000, output_tokens=512, summarizer=hanging)
    config, limits = AgentConfig(self_compaction=True), RunPolicy(seconds=1)
    agent = Agent("looker", client, model="gpt-4o", tools=[look], config=config, limits=limits)

    assert out_of_time(await agent.arun("Look"))
    assert len(server.requests) == 7
    assert len(summarising) == 1


@pytest.mark.parametrize("kind", [Agent, PlanAgent, ReflectionAgent])
async def test_every_paradigm_ends_with_its_time(kind: Any):
    assert out_of_time(await kind("worker", Stuck([HANG]), limits=SHORT).arun("go"))


async def test_what_ends_in_time_is_not_touched():
    with within(Run(RunPolicy())), within(Run(LONG)):
        await anyio.lowlevel.checkpoint()


async def test_nothing_is_begun_when_no_time_is_left():
    begun = False
    with pytest.raises(RunLimitExceeded, match="seconds limit of 5"):  # noqa: SIM117
        with within(Run(RunPolicy(seconds=5), started=-1e9)):
            begun = True
    assert not begun


async def test_a_cancellation_from_outside_is_no_limit():
    with anyio.CancelScope() as scope:
        scope.cancel()
        with within(Run(LONG)):
            await anyio.sleep_forever()
    assert scope.cancelled_caught
