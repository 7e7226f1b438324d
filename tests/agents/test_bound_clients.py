"""What a client was made, wrapped or scoped with holds for the runs of its agents."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from agentmaker import (
    Agent,
    AgentmakerConfig,
    CallableSource,
    ConfigError,
    LLMClient,
    RunPolicy,
    Scope,
    Session,
    using,
    wrap,
)
from agentmaker.prompts import PROMPT_PACKS
from agentmaker.testing import ModelServer, ScriptedLLM

pytestmark = pytest.mark.anyio

ANN = Scope(user="ann")
BOUND: list[Callable[[Any], Any]] = [
    lambda client: wrap(client, sinks=()).scoped(ANN),
    lambda client: wrap(client, sinks=(), scope=ANN),
]


async def talked() -> Session:
    session = Session("s1")
    for at in range(30):
        await session.add({"role": "user", "content": f"question {at} " * 20})
        await session.add({"role": "assistant", "content": f"answer {at} " * 20})
    return session


async def test_a_window_that_holds_for_a_while_or_a_client_is_explained_and_worked_in():
    client = wrap(ModelServer("ok").client(), sinks=())
    scoped = Agent("a", client.scoped(window=3_000), model="gpt-4o", session=await talked())
    plain = Agent("a", client, model="gpt-4o", session=await talked())

    with using(window=2_500):
        totals = [(await each.aexplain("q")).total for each in (scoped, plain)]
        results = [await each.arun("q") for each in (scoped, plain)]

    assert totals == [each.ledgers[0].estimate for each in results]
    assert [each.ledgers[0].window for each in results] == [3_000, 2_500]


@pytest.mark.parametrize("bind", BOUND)
async def test_the_runs_of_a_client_that_is_somebodys_are_theirs(bind: Callable[[Any], Any]):
    seen: list[Scope] = []
    source = CallableSource("rag", lambda query, scope: seen.append(scope) or [])
    client = bind(ModelServer("ok").client())
    agent = Agent("a", client, model="gpt-4o", sources=[source])

    await agent.arun("q")

    assert seen == [ANN]
    assert [run.scope for run in await agent.store.runs()] == [ANN]
    stranger = Agent("a", client, model="gpt-4o", session=Session("s", scope=Scope(user="bob")))
    with pytest.raises(ConfigError, match="another scope"):
        await stranger.arun("q")


async def test_a_run_that_a_client_is_scoped_to_pays_for_its_agents():
    client = wrap(ModelServer("ok").client(), sinks=()).scoped(run=RunPolicy(calls=1))
    agent = Agent("a", client, model="gpt-4o")

    assert (await agent.arun("q")).status == "done"
    assert (await agent.arun("q")).status == "stopped"


async def test_a_sub_agent_is_its_callers_whoever_its_client_is_scoped_to():
    seen: list[Scope] = []
    source = CallableSource("rag", lambda query, scope: seen.append(scope) or [])
    client = wrap(ModelServer("ok").client(), sinks=())
    bob = client.scoped(Scope(user="bob"), run=RunPolicy(calls=1))
    helper = Agent("helper", bob, model="gpt-4o", sources=[source])
    outer = ScriptedLLM(
        [ScriptedLLM.tool_call("helper", {"task": "go"}), "done"], context_window=16_000
    )

    with using(scope=ANN):
        result = await Agent("lead", outer, tools=[helper.as_tool()]).arun("q")

    assert seen == [ANN]
    assert result.delegated[0].calls == 1


async def test_an_agent_speaks_the_language_its_client_was_set_to():
    config = AgentmakerConfig(language="zh")
    client = LLMClient("openai", model="gpt-4o", config=config)  # without a key so far

    tool = Agent("helper", client).as_tool()

    assert tool.description == PROMPT_PACKS["zh"].render("delegate.description", name="helper")
