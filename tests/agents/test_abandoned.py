from __future__ import annotations

import anyio
import pytest

from agentmaker import Agent, RunPolicy, Session, SessionError, tool
from agentmaker.testing import ScriptedLLM

pytestmark = pytest.mark.anyio


async def test_what_was_said_before_a_cancellation_stays_said_case_10():
    started = anyio.Event()

    async def slow() -> str:
        started.set()
        await anyio.sleep_forever()
        return "never"

    session = Session("s1")
    llm = ScriptedLLM([ScriptedLLM.tool_call("slow", {}), "All right."])
    agent = Agent("worker", llm, tools=[slow], session=session)
    async with anyio.create_task_group() as group:
        group.start_soon(agent.arun, "q")
        await started.wait()
        group.cancel_scope.cancel()

    await agent.arun("never mind")

    assert [each["role"] for each in llm.calls[1]["messages"]] == [
        "user",
        "assistant",
        "tool",
        "user",
    ]
    assert [each.text for each in await session.turns()][0::3] == ["q", "never mind"]


async def test_a_run_its_session_went_on_without_is_not_resumed():
    session = Session("s1")
    llm = ScriptedLLM(["a", "b"])
    agent = Agent("worker", llm, session=session, limits=RunPolicy(calls=1))

    @tool(confirm=True)
    def pay() -> str:
        """Pay."""
        return "paid"

    payer = Agent(
        "worker", ScriptedLLM([ScriptedLLM.tool_call("pay", {})]), tools=[pay], session=session
    )
    waiting = await payer.arun("Pay")
    await agent.arun("never mind")

    with pytest.raises(SessionError, match="ask it again"):
        await payer.resume(waiting.run_id, approvals={"call_1": True})
    assert [each.role for each in await session.turns()] == [
        "user",
        "assistant",
        "tool",
        "user",
        "assistant",
    ]
