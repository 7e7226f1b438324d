from __future__ import annotations

from typing import Any

import anyio
import anyio.lowlevel
import pytest

from agentmaker import Agent, MemoryStore, RunPolicy, Session, SessionError, tool
from agentmaker.agents.abandoned import abandon
from agentmaker.calls.call import Reply
from agentmaker.memory.records import RunRecord
from agentmaker.prompts import DEFAULT_PROMPTS
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
        "assistant",
        "user",
    ]
    said = [each.text for each in await session.turns()]
    assert [said[0], *said[3:]] == ["q", "(no reply)", "never mind", "All right."]


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
        "assistant",
        "user",
        "assistant",
    ]


async def test_calls_that_nobody_approved_are_told_apart_from_those_beside_them():
    @tool(confirm=True)
    def pay() -> str:
        """Pay."""
        return "paid"

    def look() -> str:
        return "seen"

    made = [
        {"id": name, "type": "function", "function": {"name": name, "arguments": "{}"}}
        for name in ("pay", "look")
    ]
    llm = ScriptedLLM([{"tool_calls": made}, "All right."])
    agent = Agent("worker", llm, tools=[pay, look], session=Session("s1"))
    assert (await agent.arun("Pay")).status == "waiting"

    await agent.arun("never mind")

    results = [each["content"] for each in llm.calls[1]["messages"] if each["role"] == "tool"]
    assert results == [
        "Not run: nobody approved this call before the conversation went on.",
        "Not run: the conversation went on before this call was begun.",
    ]


async def test_a_call_that_was_running_when_its_run_was_cancelled_is_not_said_not_to_have_run():
    started = anyio.Event()

    async def slow() -> None:
        started.set()
        await anyio.sleep_forever()

    llm = ScriptedLLM([ScriptedLLM.tool_call("slow", {}), "All right."])
    agent = Agent("worker", llm, tools=[slow], session=Session("s1"))
    async with anyio.create_task_group() as group:
        group.start_soon(agent.arun, "q")
        await started.wait()
        group.cancel_scope.cancel()

    await agent.arun("never mind")

    assert "was interrupted" in llm.calls[1]["messages"][2]["content"]


async def test_what_is_asked_behind_a_run_that_filled_the_window_is_a_question():
    def read(n: int) -> str:
        return f"item {n} of the list is fine; " * 400

    session = Session("s1")
    reads = [ScriptedLLM.tool_call("read", {"n": n}) for n in range(6)]
    llm = ScriptedLLM([*reads, "All right."], context_window=4_000)
    agent = Agent("worker", llm, tools=[read], session=session, limits=RunPolicy(calls=6))
    assert (await agent.arun("Read all of them")).status == "stopped"

    result = await agent.arun("Never mind. " * 100)

    assert result.output == "All right."
    assert result.ledgers[-1]["question"].used > 200


class Slow(MemoryStore):
    """Takes for ever once a run is begun, as a store does whose work goes on when it is left."""

    begun: anyio.Event | None = None

    async def begin(self, *args: Any) -> None:
        await super().begin(*args)
        if self.begun is not None:
            self.begun.set()
            await anyio.sleep_forever()


async def test_a_run_that_is_cancelled_while_it_is_begun_is_left_stopped():
    store = Slow()
    session = Session("s1", store=store)
    agent = Agent("worker", ScriptedLLM(["All right."]), session=session)
    store.begun = anyio.Event()
    async with anyio.create_task_group() as group:
        group.start_soon(agent.arun, "q")
        await store.begun.wait()
        group.cancel_scope.cancel()
    store.begun = None

    assert [run.status for run in await store.runs()] == ["stopped"]
    await agent.arun("never mind")
    assert [each.text for each in await session.turns()] == ["q", "never mind", "All right."]


async def left_behind(session: Session) -> None:
    """Another process goes on with *session*."""
    await abandon(session.store, session.scope, DEFAULT_PROMPTS)


class Disturbed(ScriptedLLM):
    """Fails first; while it is asked again, another process goes on with *session*."""

    def __init__(self, session: Session) -> None:
        super().__init__([ValueError("no"), "a"])
        self.session = session

    async def chat(self, messages: Any, **named: Any) -> Reply:
        if self.calls:
            await left_behind(self.session)
        return await super().chat(messages, **named)


async def test_a_run_at_work_again_is_not_left_behind_by_another_process():
    session = Session("s1")
    agent = Agent("worker", Disturbed(session), session=session)
    with pytest.raises(ValueError, match="no"):
        await agent.arun("q")
    (failed,) = await session.store.runs()

    assert (failed.status, (await agent.resume(failed.id)).output) == ("failed", "a")
    assert [each.text for each in await session.turns()] == ["q", "a"]


class Raced(MemoryStore):
    """Another process goes on with the session just before a run of it is claimed."""

    session: Session | None = None

    async def claim(self, run_id: str, owner: str, *, of: str | None = None) -> RunRecord:
        session, self.session = self.session, None
        if session is not None:
            await left_behind(session)
        return await super().claim(run_id, owner, of=of)


async def test_a_run_left_behind_just_before_it_is_taken_up_is_not_resumed():
    store = Raced()
    session = Session("s1", store=store)
    agent = Agent("worker", ScriptedLLM([ValueError("no"), "a"]), session=session)
    with pytest.raises(ValueError, match="no"):
        await agent.arun("q")
    (failed,) = await store.runs()

    store.session = session
    with pytest.raises(SessionError, match="ask it again"):
        await agent.resume(failed.id)
    assert [each.text for each in await session.turns()] == ["q"]


async def test_two_processes_that_leave_a_run_behind_keep_what_was_said_in_it_once():
    store = Raced()
    session = Session("s1", store=store)
    agent = Agent("worker", ScriptedLLM([ValueError("no"), "a"]), session=session)
    with pytest.raises(ValueError, match="no"):
        await agent.arun("q")

    store.session = session
    await agent.arun("next")
    assert [each.text for each in await session.turns()] == ["q", "next", "a"]


@pytest.mark.parametrize("before", ["claim", "commit"])
async def test_a_run_that_is_taken_up_while_it_is_left_behind_goes_on(before):
    class TakenUp(MemoryStore):
        """Somebody takes the run up just *before* what leaves it behind."""

        async def claim(self, run_id, owner, *, of=None):
            if of is not None and before == "claim":
                await super().claim(run_id, "elsewhere")
            return await super().claim(run_id, owner, of=of)

        async def commit(self, run, entries=(), *, turns=()):
            if run.status == "abandoned" and before == "commit":
                await super().claim(run.id, "elsewhere")
            await super().commit(run, entries, turns=turns)

    store = TakenUp()
    session = Session("s1", store=store)
    agent = Agent("worker", ScriptedLLM([ValueError("no"), "a"]), session=session)
    with pytest.raises(ValueError, match="no"):
        await agent.arun("q")
    (failed,) = await store.runs()

    assert (await agent.arun("next")).output == "a"
    kept = await store.run(failed.id)
    assert (kept.status, kept.owner) == ("failed", "elsewhere")
    assert [each.text for each in await session.turns()] == ["next", "a"]


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
