from __future__ import annotations

import anyio
import anyio.lowlevel
import pytest

from agentmaker import Agent, MemoryStore, RunPolicy, Session, SessionError, tool
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


async def test_a_run_cancelled_while_its_session_is_resized_is_done_and_its_turns_are_there_once():
    resizing = anyio.Event()

    async def resize(full, window, memo):
        resizing.set()
        if len(full) == 2:
            await anyio.sleep_forever()
        return None, None, None

    session = Session("s1", resize=resize)
    agent = Agent("worker", ScriptedLLM(["a", "b"]), session=session)
    async with anyio.create_task_group() as group:
        group.start_soon(agent.arun, "q")
        await resizing.wait()
        group.cancel_scope.cancel()

    (run,) = await agent.store.runs()
    assert run.status == "done"
    assert (await agent.resume(run.id)).output == "a"
    await agent.arun("next")
    assert [each.text for each in await session.turns()] == ["q", "a", "next", "b"]


async def test_a_run_cancelled_in_its_last_commit_does_not_double_its_turns():
    class Late(MemoryStore):
        async def commit(self, run, entries=(), *, turns=()):
            await super().commit(run, entries, turns=turns)
            if turns:
                group.cancel_scope.cancel()
                await anyio.lowlevel.checkpoint()

    session = Session("s1", store=Late())
    agent = Agent("worker", ScriptedLLM(["a", "b"]), session=session)
    async with anyio.create_task_group() as group:
        group.start_soon(agent.arun, "q")

    (run,) = await agent.store.runs()
    assert (await agent.resume(run.id)).output == "a"
    assert [each.text for each in await session.turns()] == ["q", "a"]
