from __future__ import annotations

import pytest

from agentmaker import Agent, AgentConfig
from agentmaker.memory.in_memory import MemoryStore
from agentmaker.testing import ScriptedLLM

pytestmark = pytest.mark.anyio


def look(at: int) -> str:
    """Look at something."""
    return f"thing-{at} costs {at * 7} euros. " + "It is of no further interest. " * 20


def script(steps: int) -> list[object]:
    return [ScriptedLLM.tool_call("look", {"at": at}) for at in range(steps)]


async def test_a_model_may_have_its_work_made_a_recap():
    llm = ScriptedLLM(
        [*script(8), ScriptedLLM.tool_call("compact", {"focus": "prices"}), *script(1), "done"]
    )
    agent = Agent("looker", llm, tools=[look], config=AgentConfig(self_compaction=True))

    result = await agent.arun("Look at all things")

    before, after = llm.calls[8]["messages"], llm.calls[9]["messages"]
    assert len(after) < len(before)
    assert after[0]["content"].endswith("Look at all things")
    assert "thing-1" in after[0]["content"]
    assert after[1]["role"] == "assistant"
    assert len(result.messages) == 22


async def test_a_recap_is_kept_and_a_resumed_run_sees_the_same_case_31():
    store = MemoryStore()
    llm = ScriptedLLM([*script(8), ScriptedLLM.tool_call("compact", {}), OSError("gone"), "done"])
    config = AgentConfig(self_compaction=True)
    agent = Agent("looker", llm, tools=[look], config=config, store=store)
    with pytest.raises(OSError, match="gone"):
        await agent.arun("Look")
    (run,) = await store.runs()

    again = Agent("looker", llm, tools=[look], config=config, store=store)
    await again.resume(run.id)

    assert llm.calls[10]["messages"] == llm.calls[9]["messages"]


async def test_there_is_no_such_tool_unless_it_is_asked_for():
    llm = ScriptedLLM(["hi"])
    await Agent("looker", llm, tools=[look]).arun("go")

    assert [each["function"]["name"] for each in llm.calls[0]["tools"]] == ["look"]


async def test_work_that_is_short_stays_as_it_is():
    llm = ScriptedLLM([ScriptedLLM.tool_call("compact", {}), "done"])
    agent = Agent("looker", llm, tools=[look], config=AgentConfig(self_compaction=True))
    await agent.arun("Look")

    assert [each["role"] for each in llm.calls[1]["messages"]] == ["user", "assistant", "tool"]
    assert llm.calls[1]["messages"][0]["content"] == "Look"
