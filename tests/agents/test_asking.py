"""The ways to ask: what is given back, and what a run holds on to whatever becomes of the slots."""

from __future__ import annotations

import json
from typing import Any

import anyio
import pytest
from pydantic import BaseModel

from agentmaker import (
    Agent,
    CallableSource,
    ConfigError,
    LLMRequestError,
    MemoryStore,
    PlanAgent,
    ReflectionAgent,
    RetrievalResult,
    RunLimitExceeded,
    RunPolicy,
    RunUnfinished,
    SessionError,
    tool,
)
from agentmaker.testing import ScriptedLLM
from tests.agents.slotted import AGENTS, model, sent

pytestmark = pytest.mark.anyio


async def test_nothing_to_ask_is_refused_before_anything_is_kept():
    store = MemoryStore()
    agent = Agent("a", model(), store=store).info({"a": 1}, always=True)
    with pytest.raises(ConfigError, match=r"nothing is asked: say it by input"):
        agent.stream()
    with pytest.raises(ConfigError, match="nothing is asked"):
        await agent.role("x").astart()


async def test_sources_are_asked_what_was_said_and_not_the_slots():
    asked = []

    def search(query: str) -> list[RetrievalResult]:
        asked.append(query)
        return [RetrievalResult(content="Tea is 3.20.", score=1.0, source="rag")]

    llm = model("3.20")
    agent = Agent("a", llm, sources=[CallableSource("rag", search)])
    agent.instruct("Answer briefly.", always=True).info({"a": 1}, always=True)

    await agent.info("once").input("What is tea?").astart()

    assert asked == ["What is tea?"]
    assert "Tea is 3.20." in sent(llm)[-1]


async def test_two_requests_at_once_share_nothing():
    both = anyio.Event()
    seen: list[str] = []

    class Meeting(ScriptedLLM):
        async def chat(self, messages: Any, **params: Any) -> Any:
            seen.append(messages[-1].text if hasattr(messages[-1], "text") else str(messages[-1]))
            if len(seen) == 2:
                both.set()
            await both.wait()
            return await super().chat(messages, **params)

    agent = Agent("a", Meeting(["x", "y"], context_window=16_000))
    async with anyio.create_task_group() as group:
        group.start_soon(agent.info({"mine": "left"}).input("L").astart)
        group.start_soon(agent.info({"mine": "right"}).input("R").astart)

    left, right = sorted(seen, key=lambda text: "right" in text)
    assert "left" in left
    assert "right" not in left
    assert "left" not in right


@tool(idempotent=True)
def look() -> str:
    """Look something up."""
    return "found"


async def test_slots_changed_while_a_run_is_at_work_do_not_change_it():
    def answers(messages: list[dict[str, Any]]) -> Any:
        agent.role("Changed.", always=True).info({"changed": True}, always=True)
        return ScriptedLLM.tool_call("look", {}) if len(llm.calls) == 1 else "done"

    llm = ScriptedLLM(answers, context_window=16_000)
    agent = Agent("a", llm, "First.", tools=[look])

    await agent.arun("q")
    assert [sent(llm, call)[0] for call in (0, 1)] == ["First.", "First."]
    await agent.arun("q")
    assert sent(llm)[0].startswith("Changed.")


@pytest.mark.parametrize("kind", AGENTS)
async def test_a_run_is_resumed_as_it_was_asked_by_an_agent_with_other_slots(kind):
    store = MemoryStore()
    first = model(LLMRequestError("gone"))
    begun = kind("a", first, "Role one.", store=store).info({"always": 1}, always=True)
    asked = begun.info({"once": 2}).instruct("Do so.").input("What?").output({"n": int})
    with pytest.raises(LLMRequestError):
        await asked.astart()
    (run,) = await store.runs()
    replies = {
        Agent: ['{"n": 3}'],
        PlanAgent: ['{"steps": []}', '{"n": 3}'],
        ReflectionAgent: ['{"n": 3}', "GOOD ENOUGH"],
    }
    second = model(*replies[kind])
    other = kind("a", second, "Role two.", store=store).info({"other": 9}, always=True)

    result = await other.resume(run.id)

    assert result.output == {"n": 3}
    assert sent(second, 0) == sent(first, 0)
    assert result.messages[0].text == "What?"
    json.dumps(run.data)


class Ticket(BaseModel):
    severity: str


async def test_a_run_for_a_type_of_its_own_is_resumed_with_that_type():
    store = MemoryStore()
    agent = Agent("a", model(LLMRequestError("gone"), '{"severity": "P0"}'), store=store)
    with pytest.raises(LLMRequestError):
        await agent.input("q").output(Ticket).astart()
    (run,) = await store.runs()

    with pytest.raises(SessionError, match=r"agent\.output\(that type\)\.resume"):
        await agent.resume(run.id)
    assert (await agent.output(Ticket).resume(run.id)).output == Ticket(severity="P0")


async def test_start_gives_the_answer_and_names_the_run_where_there_is_none_yet():
    limits = RunPolicy(calls=1)
    agent = Agent("a", model(ScriptedLLM.tool_call("look", {})), tools=[look], limits=limits)
    with pytest.raises(RunUnfinished, match=r"was stopped .*agent\.resume\('\w+', limits") as stop:
        await agent.input("q").astart()
    assert isinstance(stop.value.__cause__, RunLimitExceeded)
    assert stop.value.run_id in str(stop.value)


async def test_start_of_a_run_that_waits_names_what_it_waits_for():
    pay = tool(lambda: "paid", name="pay", description="Pays.", confirm=True)
    agent = Agent("a", model(ScriptedLLM.tool_call("pay", {}), "Paid."), tools=[pay])

    with pytest.raises(RunUnfinished, match=r"waits for an approval.*\{'call_1': True\}") as wait:
        await agent.input("q").astart()

    assert wait.value.waiting == ("call_1",)
    approvals = {"call_1": True}
    assert (await agent.resume(wait.value.run_id, approvals=approvals)).output == "Paid."


def test_start_and_run_are_the_same_for_callers_that_do_not_await():
    agent = Agent("a", model('{"n": 1}', "two"))
    assert agent.input("q").output({"n": int}).start() == {"n": 1}
    assert agent.instruct("Say two.").run().output == "two"


async def test_a_request_streams_its_events():
    stream = Agent("a", model("Hi.")).instruct("Greet.").stream("me")
    names = [type(event).__name__ async for event in stream]
    assert names == ["TextDelta", "Finished"]


async def test_an_answer_that_breaks_its_contract_is_asked_for_again():
    llm = model('{"n": "many"}', '{"n": 2}')
    assert await Agent("a", llm).input("q").output({"n": int}).astart() == {"n": 2}
    assert "cannot be read" in sent(llm)[-1]
