"""What an explanation says is what is sent, to the token."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentmaker import (
    Agent,
    CallableSource,
    ConfigError,
    ContextWindowExceeded,
    LLMClient,
    MemoryStore,
    Notes,
    PlanAgent,
    ReflectionAgent,
    RunPolicy,
    Session,
    tool,
    wrap,
)
from agentmaker.agents.base import BaseAgent
from agentmaker.testing import ModelServer, ScriptedLLM

pytestmark = pytest.mark.anyio

REPLIES = {
    Agent: ["ok"],
    PlanAgent: ['{"steps": []}', "ok"],
    ReflectionAgent: ["ok", "GOOD ENOUGH"],
}


@tool(idempotent=True)
def look(where: str) -> str:
    """Look something up."""
    return "found"


async def full(kind: type[BaseAgent] = Agent, llm: ScriptedLLM | None = None) -> BaseAgent:
    """An agent that has something in every slot."""
    session = Session("s1")
    await session.add({"role": "user", "content": "Before"})
    await session.add({"role": "assistant", "content": "Then it went on. " * 200})
    await session.add({"role": "user", "content": "And?"}, {"role": "assistant", "content": "So."})
    assert (await session.compact()).outcome == "applied"
    await session.set_memo({"likes": "tea"})
    notes = Notes(session.store)
    await notes.of(session.scope).write("plan", "first this, then that")
    llm = llm or ScriptedLLM(REPLIES[kind], context_window=16_000)
    agent = kind("a", llm, "Be kind.", tools=[look], session=session, notes=notes)
    agent.system("Be brief.", always=True).info({"codes": ["P0"]}, always=True)
    return agent.instruct("Classify.", always=True)


@pytest.mark.parametrize("kind", [Agent, PlanAgent, ReflectionAgent])
async def test_the_total_is_the_ledger_of_the_request_that_is_sent_next(kind):
    agent = await full(kind)
    asked = agent.info({"found": 1}).examples([("a", "b")]).input("Which?")

    explained = await asked.aexplain()
    result = await asked.arun()

    ledger = result.ledgers[0]
    assert explained.total == ledger.estimate
    assert sum(row.tokens for row in explained.rows) == explained.total
    for name in ("system", "tools", "response_format", "history", "question"):
        assert explained.ledger[name].used == ledger[name].used


async def test_every_slot_has_its_row_in_the_order_it_is_sent_with_the_text_that_is_sent():
    llm = ScriptedLLM(['{"code": "P0"}'], context_window=16_000)
    agent = await full(llm=llm)
    asked = agent.info({"found": 1}).examples([("a", "b")]).output({"code": str}).input("Which?")

    explained = await asked.aexplain()
    await asked.astart()

    assert [(row.slot, row.lands) for row in explained.rows] == [
        ("role", "system message"),
        ("system", "system message"),
        ("info", "system message"),
        ("tools", "tools"),
        ("output", "response_format"),
        ("memo", "first user message"),
        ("recap", "first user message"),
        ("history", "messages before"),
        ("notes", "user message"),
        ("info", "user message"),
        ("examples", "user message"),
        ("instruct", "user message"),
        ("output", "user message"),
        ("input", "user message"),
        ("framing", "every message"),
    ]
    system, *_, question = (each["content"] for each in llm.calls[0]["messages"])
    for row in explained.rows:
        if row.lands == "system message":
            assert row.text in system
        if row.lands == "user message":
            assert row.text in question
    assert all(row.tokens > 0 for row in explained.rows)


async def test_explaining_sends_keeps_and_asks_nothing():
    llm, store, asked = ScriptedLLM(["ok"], context_window=16_000), MemoryStore(), []
    source = CallableSource("rag", lambda query: asked.append(query) or [])
    agent = Agent("a", llm, store=store, sources=[source])

    await agent.aexplain("q")
    assert (llm.calls, asked, await store.runs()) == ([], [], ())

    result = await agent.arun("q")
    assert result.ledgers[0].prefix_kept is None
    assert asked == ["q"]


async def test_what_an_agent_always_has_is_explained_with_a_question_or_an_instruction():
    agent = Agent("a", ScriptedLLM([], context_window=16_000), "Role.")
    with pytest.raises(ConfigError, match="nothing is asked"):
        await agent.aexplain()
    assert [row.slot for row in (await agent.aexplain("q")).rows] == ["role", "input", "framing"]
    agent.instruct("Do it.", always=True)
    assert [row.slot for row in (await agent.aexplain()).rows] == ["role", "instruct", "framing"]


async def test_a_question_that_nobody_answered_is_explained_as_said_before():
    llm = ScriptedLLM(
        [ScriptedLLM.tool_call("look", {"where": "here"}), "ok"], context_window=8_000
    )
    agent = Agent("a", llm, session=Session("s1"), tools=[look], limits=RunPolicy(calls=1))
    assert (await agent.arun("first")).status == "stopped"

    explained = await agent.aexplain("second")
    result = await agent.arun("second")

    assert explained.total == result.ledgers[0].estimate
    assert explained["history"][0].text.startswith("user: first")


async def test_a_conversation_that_is_cut_is_explained_as_it_is_sent():
    session = Session("s1")
    for at in range(60):
        await session.add({"role": "user", "content": f"question {at} " * 30})
        await session.add({"role": "assistant", "content": f"answer {at} " * 30})
    llm = ScriptedLLM(["ok"], context_window=4_000)
    agent = Agent("a", llm, "Role.", session=session)

    explained = await agent.aexplain("q")
    result = await agent.arun("q")

    assert explained.total == result.ledgers[0].estimate
    assert sum(row.tokens for row in explained.rows) == explained.total
    assert explained["history"][0].tokens == result.ledgers[0]["history"].used


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(min_size=1).filter(str.strip), st.text(), st.booleans())
def test_rows_add_up_whatever_stands_in_them(role: str, fact: str, always: bool):
    agent = Agent("a", ScriptedLLM(["ok"], context_window=64_000), role)
    asked = agent.info({"fact": fact}).input("q")
    if always:
        agent.info({"fact": fact}, always=True)

    explained = asked.explain()

    assert min(row.tokens for row in explained.rows) >= 0
    assert sum(row.tokens for row in explained.rows) == explained.total
    assert explained.total == asked.run().ledgers[0].estimate


async def test_the_total_is_what_is_sent_once_the_server_has_taught_how_it_counts():
    server = ModelServer("ok")
    client = wrap(server.client(), window=16_000, sinks=())
    agent = Agent("a", client, "Role.", model="unknown", session=Session("s"))
    for at in range(4):
        await agent.info({"at": at}).input(f"question {at} " * 20).arun()

    asked = agent.info({"at": 9}).input("And now?")
    explained = await asked.aexplain()
    ledger = (await asked.arun()).ledgers[0]

    assert ledger.samples > 0
    assert explained.total == ledger.estimate


def test_it_prints_as_an_aligned_table():
    agent = Agent("a", ScriptedLLM([], context_window=16_000), "You are\nkind. " * 10)
    lines = str(agent.instruct("Say hi.").explain()).splitlines()
    assert lines[0] == "slot      lands in        tokens  text"
    assert lines[1].startswith("role      system message  ")
    assert lines[1].endswith("You are kind. You are kind. You are kind. You...")
    assert lines[2].split() == ["instruct", "user", "message", "3", "Say", "hi."]
    assert lines[-1].split()[0] == "total"


async def test_a_wrapped_client_and_an_llm_client_explain_without_a_request():
    server = ModelServer("ok")
    agents: list[Any] = [
        Agent("a", wrap(server.client(), sinks=()), model="gpt-4o"),
        Agent("a", LLMClient("openai", model="gpt-4o", api_key="k", sinks=())),
    ]
    for agent in agents:
        assert (await agent.info({"a": 1}).input("q").aexplain()).total > 10
    assert server.requests == ()


@pytest.mark.parametrize("kind", [Agent, PlanAgent, ReflectionAgent])
@pytest.mark.parametrize(("slot", "part"), [("role", "the system prompt"), ("input", "question")])
async def test_a_request_that_does_not_fit_shows_which_slot_is_too_large(kind, slot, part):
    agent = await full(kind)
    request = getattr(agent.input("q"), slot)("much " * 20_000)

    explained = await request.aexplain()

    assert explained.refused is not None
    assert part in explained.refused.part
    assert str(explained).endswith(str(explained.refused))
    assert max(explained.rows, key=lambda row: row.tokens).slot == slot
    assert sum(row.tokens for row in explained.rows) == explained.total > 16_000
    with pytest.raises(ContextWindowExceeded, match=part):
        await request.arun()
