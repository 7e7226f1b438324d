from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import anyio
import pytest
from openai import AsyncOpenAI
from pydantic import BaseModel
from structlog.testing import capture_logs

from agentmaker import (
    Agent,
    AgentConfig,
    AgentmakerConfig,
    ConfigError,
    LLMRequestError,
    Message,
    PlanAgent,
    ReflectionAgent,
    RunPolicy,
    Scope,
    Session,
    SessionStore,
    tool,
    using,
    wrap,
)
from agentmaker.agents.events import Finished, ToolEnded
from agentmaker.errors import StoreError
from agentmaker.memory.in_memory import MemoryStore
from agentmaker.testing import ScriptedLLM
from agentmaker.tokens import counter_for

pytestmark = pytest.mark.anyio

counted = counter_for("test")


def completion(content: str | None, *calls: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    """A reply of 10 + 5 tokens."""
    made = [
        {
            "id": f"call_{at}",
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(arguments)},
        }
        for at, (name, arguments) in enumerate(calls)
    ]
    message = {"role": "assistant", "content": content, **({"tool_calls": made} if made else {})}
    return {
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
    }


def hand(*tasks: str, to: str = "helper") -> dict[str, Any]:
    return completion(None, *((to, {"task": each}) for each in tasks))


def results(llm: ScriptedLLM, call: int = -1) -> list[str]:
    return [each["content"] for each in llm.calls[call]["messages"] if each["role"] == "tool"]


def task_of(messages: list[dict[str, Any]]) -> str:
    return messages[-1]["content"].splitlines()[0]


async def test_a_sub_agent_gets_the_task_alone_and_its_report_comes_back():
    child = ScriptedLLM([completion("The cap is 80.")])
    helper = Agent("helper", child, "Look things up.").as_tool()
    parent = ScriptedLLM([hand("Find the cap on meals."), "It is 80."])
    session = Session("s1")
    await session.store.append(session.scope, [Message("A secret of the session.")])

    result = await Agent("boss", parent, "Be the boss.", tools=[helper], session=session).arun("?")

    assert (result.output, results(parent)) == ("It is 80.", ["The cap is 80."])
    system, asked = child.calls[0]["messages"]
    assert system["content"] == "Look things up."
    assert task_of([asked]) == "Find the cap on meals."
    assert "secret" not in json.dumps(child.calls)


async def test_a_session_of_the_sub_agent_itself_is_neither_read_nor_written():
    own = Session("of the helper")
    await own.store.append(own.scope, [Message("earlier")])
    child = ScriptedLLM(["one", "two"])
    helper = Agent("helper", child, session=own)
    parent = ScriptedLLM([hand("first"), hand("second"), "done"])

    await Agent("boss", parent, tools=[helper.as_tool()]).arun("?")

    assert [len(each["messages"]) for each in child.calls] == [1, 1]
    assert [each.text for each in await own.turns()] == ["earlier"]
    assert helper.session is own


async def test_the_report_is_asked_for_in_its_size_and_what_is_longer_is_cut_and_recalled():
    text = " ".join(f"finding-{number}" for number in range(20_000))
    child = ScriptedLLM([text])
    parent = ScriptedLLM(
        [
            hand("dig"),
            completion(None, ("recall", {"id": "r1", "search": "finding-12345"})),
            "done",
        ]
    )

    await Agent("boss", parent, tools=[Agent("helper", child).as_tool()]).arun("?")

    assert "1000 to 2000 tokens" in child.calls[0]["messages"][-1]["content"]
    assert 1_500 < counted(results(parent, 1)[0]) <= 2_000
    assert "finding-12345" in results(parent, 2)[-1]


async def test_a_report_gets_no_more_than_the_room_of_the_parent_grants():
    child = ScriptedLLM([" ".join(map(str, range(5_000)))])
    parent = ScriptedLLM([hand("dig"), "done"], context_window=4_000)

    await Agent("boss", parent, tools=[Agent("helper", child).as_tool()]).arun("?")

    asked = child.calls[0]["messages"][-1]["content"]
    assert "1000" not in asked
    assert "2000" not in asked
    assert counted(results(parent)[0]) < 2_000


def test_the_tool_speaks_the_language_of_its_agents_client():
    client = wrap(AsyncOpenAI(api_key="none"), config=AgentmakerConfig(language="zh"))
    helper = Agent("helper", client, model="gpt-4o").as_tool()

    assert "任务" in helper.description
    assert "事情" in helper.parameters["properties"]["task"]["description"]


async def test_the_sizes_of_a_report_can_be_chosen():
    child = ScriptedLLM(["x" * 5_000])
    parent = ScriptedLLM([hand("dig"), "done"])
    helper = Agent("helper", child).as_tool(report_tokens=(50, 100))

    await Agent("boss", parent, tools=[helper]).arun("?")

    assert "50 to 100 tokens" in child.calls[0]["messages"][-1]["content"]
    assert counted(results(parent)[0]) <= 100


class Found(BaseModel):
    cap: int


async def test_a_report_may_be_a_value():
    child = ScriptedLLM(['{"cap": 80}'])
    parent = ScriptedLLM([hand("dig"), "done"])

    helper = Agent("helper", child, output=Found).as_tool()
    await Agent("boss", parent, tools=[helper]).arun("?")

    assert results(parent) == ['{"cap":80}']
    assert "1000" not in child.calls[0]["messages"][-1]["content"]


@pytest.mark.parametrize("kind", [PlanAgent, ReflectionAgent])
async def test_every_paradigm_can_be_a_sub_agent(kind: type[Agent]):
    script = {
        PlanAgent: ['{"steps": ["look"]}', "seen", "The report."],
        ReflectionAgent: ["The report.", "GOOD ENOUGH"],
    }
    parent = ScriptedLLM([hand("dig"), "done"])
    helper = kind("helper", ScriptedLLM(script[kind])).as_tool()

    await Agent("boss", parent, tools=[helper]).arun("?")

    assert results(parent) == ["The report."]


async def test_sub_agents_of_one_batch_work_at_once_and_one_that_fails_costs_only_itself():
    met = {"a": anyio.Event(), "b": anyio.Event()}

    async def meet(me: str, other: str) -> str:
        met[me].set()
        await met[other].wait()
        return "met"

    def child(messages: list[dict[str, Any]]) -> Any:
        task = messages[0]["content"].splitlines()[0]
        if task == "c":
            raise LLMRequestError("the provider is down", status=503, retryable=False)
        if messages[-1]["role"] == "tool":
            return completion(f"{task} {messages[-1]['content']}")
        return completion(None, ("meet", {"me": task, "other": "b" if task == "a" else "a"}))

    llm = ScriptedLLM(child)
    parent = ScriptedLLM([hand("a", "c", "b"), "done"])
    store = MemoryStore()
    helper = Agent("helper", llm, tools=[meet]).as_tool()

    result = await Agent("boss", parent, tools=[helper], store=store).arun("?")

    told = results(parent)
    assert (told[0], told[2]) == ("a met", "b met")
    assert "provider is down" in told[1]
    assert sorted(each.status for each in result.delegated) == ["done", "done", "failed"]
    assert sorted(len(each["messages"]) for each in llm.calls) == [1, 1, 1, 3, 3]
    failed = await store.runs(status="failed")
    assert [each.agent for each in failed] == ["helper"]


async def test_the_parent_pays_and_says_what_each_sub_agent_cost():
    def child(messages: list[dict[str, Any]]) -> Any:
        if messages[-1]["role"] == "tool" or task_of(messages) == "short":
            return completion("found")
        return completion(None, ("look", {}))

    def look() -> str:
        return "seen"

    parent = ScriptedLLM([hand("long", "short"), completion("done")])
    helper = Agent("helper", ScriptedLLM(child), tools=[look]).as_tool()
    store = MemoryStore()

    with capture_logs() as lines:
        result = await Agent("boss", parent, tools=[helper], store=store).arun("?")

    assert result.usage.total_tokens == 5 * 15
    costs = {each.calls: each.usage.total_tokens for each in result.delegated}
    assert costs == {2: 30, 1: 15}
    logged = [each for each in lines if each["event"] == "agentmaker.delegated"]
    assert sorted(each["calls"] for each in logged) == [1, 2]
    assert {each["parent"] for each in logged} == {result.run_id}
    assert "long" not in json.dumps(logged)
    for each in result.delegated:
        kept = await store.claim(each.run_id, "auditor")
        assert (kept.agent, kept.data["parent"]) == ("helper", result.run_id)


async def test_what_sub_agents_cost_is_told_again_when_the_run_is_resumed():
    parent = ScriptedLLM([hand("dig"), completion("done")])
    helper = Agent("helper", ScriptedLLM([completion("found")])).as_tool()
    boss = Agent("boss", parent, tools=[helper])
    first = await boss.arun("?")

    again = await boss.resume(first.run_id)

    assert again.delegated == first.delegated
    assert again.usage == first.usage


@pytest.mark.parametrize("of_session", [False, True])
async def test_the_scope_of_a_sub_agent_is_that_of_the_run_case_97(of_session: bool):
    ann = Scope(user="ann")
    session = Session("s1", scope=ann) if of_session else None
    scopes: list[Scope | None] = []

    def look(scope: Scope) -> str:
        scopes.append(scope)
        return "seen"

    child = ScriptedLLM([completion(None, ("look", {})), "found"])
    parent = ScriptedLLM([hand("dig"), "done"])
    helper = Agent("helper", child, tools=[look]).as_tool()
    boss = Agent("boss", parent, tools=[helper], session=session)

    with using(scope=None if of_session else ann):
        stream = boss.stream("?")
        async for _ in stream:
            pass

    assert scopes == [ann]


async def test_a_sub_agent_that_failed_leaves_nothing_in_the_session_of_its_caller():
    def down(messages: list[dict[str, Any]]) -> Any:
        raise LLMRequestError("the provider is down", status=503, retryable=False)

    session = Session("s1", scope=Scope(user="ann"))
    parent = ScriptedLLM([hand("dig"), "It is down.", "Hello."])
    helper = Agent("helper", ScriptedLLM(down)).as_tool()
    boss = Agent("boss", parent, tools=[helper], session=session)

    await boss.arun("first")
    await boss.arun("second")

    asked = [each.text for each in await session.turns() if each.role == "user"]
    assert asked == ["first", "second"]
    scopes = {each.agent: each.scope for each in await session.store.runs()}
    assert scopes["helper"] == Scope(user="ann")


async def test_a_limit_of_its_own_ends_the_sub_agent_alone_and_what_it_had_is_told():
    def look(at: int) -> str:
        return f"seen {at}"

    child = ScriptedLLM([completion(None, ("look", {"at": at})) for at in range(9)])
    parent = ScriptedLLM([hand("dig"), "Enough."])
    helper = Agent("helper", child, tools=[look]).as_tool(limits=RunPolicy(calls=2))

    result = await Agent("boss", parent, tools=[helper]).arun("?")

    assert (result.output, len(child.calls)) == ("Enough.", 2)
    (told,) = results(parent)
    assert "limit" in told
    assert "seen 0" in told
    assert "seen 1" in told
    assert [each.status for each in result.delegated] == ["stopped"]


async def test_a_limit_of_the_parent_ends_both_and_both_go_on_when_it_is_raised():
    def look(at: int) -> str:
        return f"seen {at}"

    child = ScriptedLLM(
        [*(completion(None, ("look", {"at": at})) for at in range(3)), completion("All seen.")]
    )
    parent = ScriptedLLM([hand("dig"), completion("done")])
    helper = Agent("helper", child, tools=[look]).as_tool()
    boss = Agent("boss", parent, tools=[helper], limits=RunPolicy(calls=3))

    stopped = await boss.arun("?")
    assert (stopped.status, stopped.stopped_by.limit) == ("stopped", "calls")
    assert (len(child.calls), len(parent.calls)) == (2, 1)

    result = await boss.resume(stopped.run_id, limits=RunPolicy(calls=9))

    assert (result.output, results(parent)) == ("done", ["All seen."])
    assert (len(child.calls), len(parent.calls)) == (4, 2)
    assert result.usage.total_tokens == 6 * 15
    assert [(each.status, each.calls) for each in result.delegated] == [("done", 4)]


async def test_other_calls_of_the_batch_come_to_their_end_when_the_limit_stops_a_sub_agent():
    ran: list[str] = []

    async def pay() -> str:
        await anyio.lowlevel.checkpoint()
        ran.append("paid")
        return "paid"

    parent = ScriptedLLM([completion(None, ("helper", {"task": "dig"}), ("pay", {})), "done"])
    helper = Agent("helper", ScriptedLLM(["found"])).as_tool()
    boss = Agent("boss", parent, tools=[helper, pay], limits=RunPolicy(calls=1))

    stopped = await boss.arun("?")
    result = await boss.resume(stopped.run_id, limits=RunPolicy(calls=9))

    assert (stopped.status, ran) == ("stopped", ["paid"])
    assert results(parent) == ["found", "paid"]
    assert result.output == "done"


async def test_cancellation_ends_the_sub_agent_too_and_it_goes_on_with_the_parent_case_10():
    started, gone, tries = anyio.Event(), [], []

    @tool(idempotent=True)
    async def look() -> str:
        """Look."""
        tries.append(1)
        started.set()
        try:
            if len(tries) == 1:
                await anyio.sleep_forever()
        finally:
            gone.append(1)
        return "seen"

    child = ScriptedLLM([completion(None, ("look", {})), completion("found")])
    parent = ScriptedLLM([hand("dig"), completion("done")])
    store = MemoryStore()
    boss = Agent(
        "boss", parent, tools=[Agent("helper", child, tools=[look]).as_tool()], store=store
    )
    async with anyio.create_task_group() as group:
        group.start_soon(boss.arun, "?")
        await started.wait()
        group.cancel_scope.cancel()
    assert gone == [1]
    runs = {each.agent: each for each in await store.runs()}
    assert {each.status for each in runs.values()} == {"stopped"}

    result = await boss.resume(runs["boss"].id)

    assert (result.output, results(parent), len(tries)) == ("done", ["found"], 2)
    assert (len(child.calls), len(parent.calls)) == (2, 2)
    assert len(await store.runs()) == 2


class Dying:
    """A store whose process is killed after so many writes: nothing is kept from then on."""

    def __init__(self, inner: Any, writes: int) -> None:
        self.inner, self.left = inner, writes

    def __getattr__(self, name: str) -> Any:
        method = getattr(self.inner, name)
        if name not in ("begin", "commit", "claim", "put"):
            return method

        async def write(*args: Any, **options: Any) -> Any:
            if self.left <= 0:
                raise StoreError("the process is gone")
            self.left -= 1
            return await method(*args, **options)

        return write


@pytest.mark.parametrize("writes", range(1, 13))
async def test_a_run_killed_at_any_moment_repeats_no_call_and_counts_every_token(writes: int):
    looked: list[str] = []
    store = MemoryStore()

    def look(at: str) -> str:
        looked.append(at)
        return f"seen {at}"

    def child(messages: list[dict[str, Any]]) -> Any:
        seen = sum(each["role"] == "tool" for each in messages)
        return completion("found") if seen == 2 else completion(None, ("look", {"at": str(seen)}))

    def boss_says(messages: list[dict[str, Any]]) -> Any:
        return completion("done") if messages[-1]["role"] == "tool" else hand("dig")

    def boss(kept: Any) -> Agent:
        helper = Agent("helper", ScriptedLLM(child), tools=[look]).as_tool()
        return Agent("boss", ScriptedLLM(boss_says), tools=[helper], store=kept)

    dying = Dying(store, writes)
    killed = False
    try:
        await boss(dying).arun("?")
    except StoreError:
        killed = True
    kept = {each.agent: each for each in await store.runs()}

    result = await boss(store).resume(kept["boss"].id)

    assert killed is (writes < 12)
    assert (result.output, result.status) == ("done", "done")
    assert len(looked) == len(set(looked)) == 2
    assert len(await store.runs()) == 2
    # Five replies are kept, and with each of them what it cost.
    assert result.usage.total_tokens == 5 * 15
    assert [(each.status, each.calls) for each in result.delegated] == [("done", 3)]


@pytest.mark.parametrize("writes", range(1, 22))
async def test_sub_agents_of_one_batch_killed_at_any_moment_all_go_on(writes: int):
    looked: list[str] = []
    store = MemoryStore()

    def look(at: str) -> str:
        looked.append(at)
        return f"seen {at}"

    def child(messages: list[dict[str, Any]]) -> Any:
        if messages[-1]["role"] == "tool":
            return completion(messages[-1]["content"])
        return completion(None, ("look", {"at": task_of(messages)}))

    def boss_says(messages: list[dict[str, Any]]) -> Any:
        told = [each["content"] for each in messages if each["role"] == "tool"]
        return completion(", ".join(told)) if told else hand("a", "b", "c")

    def boss(kept: Any) -> Agent:
        helper = Agent("helper", ScriptedLLM(child), tools=[look]).as_tool()
        return Agent("boss", ScriptedLLM(boss_says), tools=[helper], store=kept)

    with pytest.raises(StoreError):
        await boss(Dying(store, writes)).arun("?")
    (kept,) = [each for each in await store.runs() if each.agent == "boss"]

    result = await boss(store).resume(kept.id)

    for task, told in zip("abc", str(result.output).split(", "), strict=True):
        assert told == f"seen {task}" or told.startswith("It is not known")
    assert len(await store.runs()) == 4
    assert [(each.status, each.calls) for each in result.delegated] == [("done", 2)] * 3
    # A call whose result was not kept is told as unknown, and not run a second time.
    assert len(looked) == len(set(looked))
    assert result.usage.total_tokens >= 8 * 15


async def test_the_latest_sub_agents_are_told_of_and_the_oldest_forgotten(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr("agentmaker.agents.run.DELEGATED", 2)
    parent = ScriptedLLM([hand("a"), hand("b"), hand("c"), completion("done")])
    helper = Agent("helper", ScriptedLLM(lambda messages: completion("found"))).as_tool()
    boss = Agent("boss", parent, tools=[helper])

    first = await boss.arun("?")
    again = await boss.resume(first.run_id)

    assert len(first.delegated) == 2
    assert again.delegated == first.delegated
    assert first.usage.total_tokens == 7 * 15


async def test_sub_agents_are_kept_in_a_file_and_go_on_from_it(tmp_path: Path):
    child = ScriptedLLM([completion("found")])
    helper = Agent("helper", child).as_tool()
    store = SessionStore(f"sqlite:///{tmp_path / 'runs.db'}")
    first = Agent("boss", ScriptedLLM([hand("dig")]), tools=[helper], store=Dying(store, 5))
    with pytest.raises(StoreError):
        await first.arun("?")
    await store.aclose()
    (kept,) = [each for each in await store.runs() if each.agent == "boss"]

    boss = Agent("boss", ScriptedLLM([completion("done")]), tools=[helper], store=store)
    result = await boss.resume(kept.id)
    again = await boss.resume(kept.id)
    await store.aclose()

    assert (result.output, len(child.calls)) == ("done", 1)
    assert result.usage.total_tokens == 3 * 15
    assert again.delegated == result.delegated


async def test_a_sub_agent_that_had_ended_before_the_kill_is_not_asked_again():
    store = MemoryStore()
    child = ScriptedLLM([completion("found")])
    helper = Agent("helper", child).as_tool()
    # Writes: the run, the message with the call, the child, its answer, its end.
    first = Agent("boss", ScriptedLLM([hand("dig")]), tools=[helper], store=Dying(store, 5))
    with pytest.raises(StoreError):
        await first.arun("?")
    kept = {each.agent: each for each in await store.runs()}
    assert kept["helper"].status == "done"

    parent = ScriptedLLM([completion("done")])
    result = await Agent("boss", parent, tools=[helper], store=store).resume(kept["boss"].id)

    assert (results(parent), len(child.calls)) == (["found"], 1)
    assert result.usage.total_tokens == 3 * 15


async def test_an_approval_that_a_sub_agent_waits_for_is_waited_for_and_goes_down_to_it():
    paid: list[str] = []

    @tool(confirm=True)
    def pay(to: str) -> str:
        """Pay somebody."""
        paid.append(to)
        return f"paid {to}"

    def child(messages: list[dict[str, Any]]) -> Any:
        if messages[-1]["role"] == "tool":
            return completion(messages[-1]["content"])
        return completion(None, ("pay", {"to": task_of(messages)}))

    parent = ScriptedLLM([hand("Bob", "Eve"), completion("done")])
    boss = Agent("boss", parent, tools=[Agent("helper", ScriptedLLM(child), tools=[pay]).as_tool()])

    waiting = await boss.arun("?")
    assert (waiting.status, paid) == ("waiting", [])
    assert [each.status for each in waiting.delegated] == ["waiting", "waiting"]
    # Both children's calls have one id of the server's, and still are told apart.
    ids = {json.loads(each.arguments)["to"]: each.id for each in waiting.waiting}

    half = await boss.resume(waiting.run_id, approvals={ids["Bob"]: True})
    assert (half.status, paid) == ("waiting", ["Bob"])
    assert [each.id for each in half.waiting] == [ids["Eve"]]

    result = await boss.resume(waiting.run_id, approvals={ids["Eve"]: False})
    assert (result.output, paid) == ("done", ["Bob"])
    bob, eve = results(parent)
    assert bob == "paid Bob"
    assert "not allowed" in eve
    assert {each.status for each in result.delegated} == {"done"}


async def test_a_sub_agent_that_waits_is_given_up_with_its_run_and_leaves_the_session_alone():
    @tool(confirm=True)
    def pay() -> str:
        """Pay."""
        return "paid"

    last = Agent("leaf", ScriptedLLM([completion(None, ("pay", {}))]), tools=[pay])
    middle = Agent("middle", ScriptedLLM([hand("x", to="leaf")]), tools=[last.as_tool()])
    parent = ScriptedLLM([hand("y", to="middle"), "Fine."])
    session = Session("s1")
    boss = Agent("boss", parent, tools=[middle.as_tool()], session=session)

    assert (await boss.arun("Pay.")).status == "waiting"
    await boss.arun("Never mind.")

    kept = await session.store.runs()
    assert sorted((each.agent, each.status) for each in kept) == [
        ("boss", "abandoned"),
        ("boss", "done"),
        ("leaf", "abandoned"),
        ("middle", "abandoned"),
    ]
    asked = [each.text for each in await session.turns() if each.role == "user"]
    assert asked == ["Pay.", "Never mind."]


async def test_sub_agents_call_sub_agents_and_all_of_it_is_paid_for():
    leaf = Agent("leaf", ScriptedLLM([completion("leaf's")])).as_tool()
    middle = ScriptedLLM([hand("deeper", to="leaf"), completion("middle's")])
    parent = ScriptedLLM([hand("dig", to="middle"), completion("done")])
    boss = Agent("boss", parent, tools=[Agent("middle", middle, tools=[leaf]).as_tool()])

    result = await boss.arun("?")

    assert (results(middle), results(parent)) == (["leaf's"], ["middle's"])
    assert result.usage.total_tokens == 5 * 15
    assert [(each.agent, each.calls) for each in result.delegated] == [("middle", 3)]


async def test_an_approval_is_found_however_deep_the_sub_agent_is():
    @tool(confirm=True)
    def pay() -> str:
        """Pay."""
        return "paid"

    last = Agent("leaf", ScriptedLLM([completion(None, ("pay", {})), "leaf's"]), tools=[pay])
    middle = Agent(
        "middle", ScriptedLLM([hand("x", to="leaf"), "middle's"]), tools=[last.as_tool()]
    )
    parent = ScriptedLLM([hand("y", to="middle"), "done"])
    boss = Agent("boss", parent, tools=[middle.as_tool()])
    waiting = await boss.arun("?")
    (call,) = waiting.waiting

    result = await boss.resume(waiting.run_id, approvals={call.id: True})

    assert (result.output, results(parent)) == ("done", ["middle's"])


async def test_agents_that_call_each_other_too_deep_are_told_where_it_ends():
    def says(messages: list[dict[str, Any]]) -> Any:
        if messages[-1]["role"] == "tool":
            return completion(messages[-1]["content"])
        return hand("again", to="loop")

    llm = ScriptedLLM(says)
    loop = Agent("loop", llm)
    for _ in range(10):
        loop = Agent("loop", llm, tools=[loop.as_tool()])

    result = await loop.arun("?")

    assert "4 deep" in result.output
    assert len(llm.calls) == 2 * 5


async def test_a_sub_agent_that_takes_too_long_is_given_up_and_left_resumable():
    async def hang() -> str:
        await anyio.sleep_forever()
        return "never"

    child = ScriptedLLM([completion(None, ("hang", {}))])
    parent = ScriptedLLM([hand("dig"), "done"])
    helper = Agent("helper", child, tools=[hang]).as_tool()
    store = MemoryStore()
    config = AgentConfig(tool_seconds=0.05)

    result = await Agent("boss", parent, tools=[helper], store=store, config=config).arun("?")

    assert result.output == "done"
    assert [each.status for each in result.delegated] == ["stopped"]
    assert [each.agent for each in await store.runs(status="stopped")] == ["helper"]


async def test_calls_of_a_model_made_within_a_tool_are_paid_for_by_the_run():
    inner = Agent("inner", ScriptedLLM([completion("found")]))

    async def look() -> str:
        return str((await inner.arun("look")).output)

    parent = ScriptedLLM([completion(None, ("look", {})), completion("done")])

    result = await Agent("boss", parent, tools=[look]).arun("?")

    assert result.usage.total_tokens == 3 * 15
    assert result.delegated == ()


async def test_streaming_a_run_with_sub_agents_is_the_same_run():
    parent = ScriptedLLM([hand("dig"), completion("done")])
    helper = Agent("helper", ScriptedLLM([completion("found")])).as_tool()

    events = [each async for each in Agent("boss", parent, tools=[helper]).stream("?")]

    (ended,) = [each for each in events if isinstance(each, ToolEnded)]
    assert ended.text == "found"
    assert isinstance(events[-1], Finished)
    assert [each.status for each in events[-1].result.delegated] == ["done"]


async def test_arguments_that_are_no_task_are_told_and_no_run_begins():
    store = MemoryStore()
    child = ScriptedLLM([])
    parent = ScriptedLLM([completion(None, ("helper", {"job": 1})), "done"])

    helper = Agent("helper", child).as_tool()
    await Agent("boss", parent, tools=[helper], store=store).arun("?")

    assert "task" in results(parent)[0]
    assert len(await store.runs()) == 1


def test_the_tool_has_the_agents_name_as_far_as_tools_are_named_so():
    made = Agent("Doc searcher (old)", ScriptedLLM([])).as_tool()

    assert made.name == "Doc_searcher_old"
    assert "Doc searcher (old)" in made.description
    assert made.parameters["required"] == ["task"]
    assert made.idempotent


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"name": "a b"}, "cannot be named"),
        ({"name": ""}, "cannot be named"),
        ({"report_tokens": (5, 4)}, "report_tokens"),
        ({"report_tokens": 7}, "a least and a most"),
        ({"report_tokens": (0, 4)}, "report_tokens"),
    ],
)
def test_what_cannot_work_is_refused_in_words(options: dict[str, Any], words: str):
    with pytest.raises(ConfigError, match=words):
        Agent("helper", ScriptedLLM([])).as_tool(**options)


def test_an_agent_among_tools_is_refused_with_the_way_to_make_it_one():
    helper: Any = Agent("helper", ScriptedLLM([]))
    with pytest.raises(ConfigError, match=r"as_tool\(\)"):
        Agent("boss", ScriptedLLM([]), tools=[helper])


def test_an_agent_whose_name_no_tool_can_have_is_told_how_to_name_its_tool():
    agent = Agent("查价", ScriptedLLM([]))
    with pytest.raises(ConfigError, match=r"as_tool\(name="):
        agent.as_tool()
    assert agent.as_tool(name="search").name == "search"
