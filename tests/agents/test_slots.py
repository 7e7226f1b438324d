"""What fills a slot, and how long it lasts."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest

from agentmaker import (
    Agent,
    ConfigError,
    PlanAgent,
    ReflectionAgent,
    Session,
)
from agentmaker.agents.slots import Slots
from agentmaker.testing import ScriptedLLM
from tests.agents.slotted import AGENTS, info, model, sent

pytestmark = pytest.mark.anyio


async def test_what_is_always_there_is_the_agents_and_what_is_once_leaves_no_trace():
    agent = Agent("a", model(), "Old role.")
    before = agent.slots

    agent.role("x").system("x").info("x").instruct("x").examples([("x", "y")]).output(int)
    assert agent.slots is before

    assert agent.role("New role.", always=True) is agent
    for fill, value in (("info", {"a": 1}), ("input", "q"), ("examples", {"in": 1})):
        assert getattr(agent, fill)(value, always=True) is agent
    assert agent.output({"n": int}, always=True) is agent
    assert (agent.instructions, agent.slots.info) == ("New role.", ({"a": 1},))


def test_a_slot_is_emptied_by_its_name_and_the_others_stay():
    slots = Slots(role="Kind.").with_info({"a": 1}).with_input("q")
    assert slots.without("info").without("input") == Slots(role="Kind.")


async def test_what_is_always_there_may_stand_anywhere_in_a_chain():
    llm = model('{"n": 1}', "2")
    agent = Agent("a", llm)

    asked = agent.input("q").info({"a": 1}, always=True).info({"b": 2}, always=False)
    assert await asked.output({"n": int}).astart() == {"n": 1}

    assert sent(llm)[0] == info("a: 1")
    assert agent.slots == Slots().with_info({"a": 1})
    assert await agent.instruct("Add.", always=True).astart() == "2"
    assert sent(llm) == [info("a: 1"), "Add."]


async def test_a_link_of_a_chain_can_be_gone_on_from_twice():
    llm = model("1", "2")
    begun = Agent("a", llm).instruct("Add.")

    await begun.input("1 + 0").astart()
    await begun.input("1 + 1").astart()

    assert sent(llm, 0) == ["[Instructions]\nAdd.\n\n[Input]\n1 + 0"]
    assert sent(llm, 1) == ["[Instructions]\nAdd.\n\n[Input]\n1 + 1"]


async def test_the_session_keeps_what_was_said_and_never_the_prompt_case_89():
    llm = model("first", "second", "third")
    session = Session("s1")
    agent = Agent("a", llm, session=session).info({"codes": ["P0"]}, always=True)

    await agent.info("once").input("one").astart()
    await agent.instruct("Do it.").input({"count": 2}).astart()
    await agent.instruct("Just this.").info("more").astart()

    turns = [each.text for each in await session.turns()]
    assert turns == ["one", "first", "count: 2", "second", "Just this.", "third"]
    _, *history = sent(llm)
    assert history[:4] == ["one", "first", "count: 2", "second"]
    assert history[4].endswith("[Instructions]\nJust this.")


async def test_a_conversation_grows_by_what_was_said_and_by_nothing_else():
    llm = ScriptedLLM(lambda messages: "ok", context_window=64_000)
    session = Session("s1")
    agent = Agent("a", llm, "Role.", session=session).info({"codes": ["P0"] * 50}, always=True)
    agent.instruct("Do it. " * 50, always=True).examples([("in", "out " * 50)], always=True)

    for at in range(10, 30):
        await agent.info({"once": f"secret {at} " * 50}).input(f"question {at}").astart()

    sizes = [sum(map(len, sent(llm, call))) for call in range(20)]
    grown = {after - before for before, after in pairwise(sizes)}
    assert grown == {len("question 10") + len("ok")}
    said = [each.text for each in await session.turns()]
    assert said == [text for at in range(10, 30) for text in (f"question {at}", "ok")]


@pytest.mark.parametrize("kind", AGENTS)
async def test_nothing_that_was_there_once_is_in_the_next_request(kind):
    rounds = {
        Agent: ["not it", '{"n": 1}', "two"],
        PlanAgent: ['{"steps": ["a"]}', "s", '{"n": 1}', '{"steps": ["b"]}', "s", "two"],
        ReflectionAgent: ['{"n": 1}', "- bad", '{"n": 2}', "GOOD ENOUGH", "e", "GOOD ENOUGH"],
    }
    llm = model(*rounds[kind])
    agent = kind("a", llm, session=Session("s1"))
    asked = agent.role("ONE").system("TWO").info("THREE").instruct("FOUR").examples([("FIVE", 1)])

    await asked.input("q1").output({"n": int}).astart()
    before = len(llm.calls)
    await agent.input("q2").astart()

    left = json.dumps([call["messages"] for call in llm.calls[before:]])
    assert not [word for word in ("ONE", "TWO", "THREE", "FOUR", "FIVE") if word in left]
    assert "not it" not in left


async def test_what_is_given_is_copied():
    llm = model("ok")
    facts = {"a": [1]}
    asked = Agent("a", llm).info(facts).input("q")
    facts["a"].append(2)

    await asked.astart()

    assert sent(llm)[0].startswith(info("a:\n  - 1"))


@pytest.mark.parametrize(
    ("fill", "value", "words"),
    [
        ("info", {"a": [print]}, r"info\['a'\]\[0\] cannot be shown"),
        ("info", b"x", "info cannot be shown"),
        ("info", {}, "info is empty"),
        ("info", " ", "info is text, not nothing"),
        ("role", "", "role is text"),
        ("system", {"a": 1}, "system is text, not dict: facts belong in info"),
        ("instruct", 5, "instruct is text"),
        ("examples", "text", "examples is a list"),
        ("examples", [("a", "b", "c")], "an example is a pair"),
        ("examples", [("a", print)], r"examples\['output'\] cannot be shown"),
        ("output", {"a": []}, r"output\['a'\] says nothing"),
        ("output", object(), "output must be"),
        ("output", str, "leave it out for text"),
        ("input", "", "empty"),
        ("input", ["a"], "content parts are dictionaries"),
        ("input", [{"text": "x"}], "content parts are dictionaries"),
        ("input", {"a": print}, r"input\['a'\] cannot be shown"),
        ("input", {"role": "assistant", "content": "x"}, "user message"),
    ],
)
@pytest.mark.parametrize("always", [True, False])
async def test_what_cannot_stand_in_a_slot_is_refused_when_it_is_given(fill, value, words, always):
    agent = Agent("a", model())
    with pytest.raises(ConfigError, match=words):
        getattr(agent, fill)(value, always=always)
    assert agent.slots == Slots()


async def test_a_sub_agent_keeps_what_it_always_has():
    inner = model("report")
    helper = Agent("helper", inner, "Search.").info({"shelf": 7}, always=True)
    helper.instruct("Cite.", always=True)
    outer = model(ScriptedLLM.tool_call("helper", {"task": "find it"}), "done")

    await Agent("lead", outer, tools=[helper.as_tool()]).info("secret").input("go").astart()

    system, asked = sent(inner)
    assert system == f"Search.\n\n{info('shelf: 7')}"
    assert asked.startswith("[Instructions]\nCite.\n\n[Input]\nfind it")
    assert "secret" not in asked
