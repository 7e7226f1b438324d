"""What servers do wrong in the turns of a tool loop, plain and streamed, through an agent."""

from __future__ import annotations

import copy
import json
import re
import threading
from collections.abc import AsyncIterator
from typing import Any

import anyio
import anyio.to_thread
import httpx
import openai
import pytest

import agentmaker
from agentmaker import (
    Agent,
    AgentConfig,
    CallableSource,
    LLMResponseError,
    PlanAgent,
    RunResult,
    Session,
    SourceError,
    tool,
)
from agentmaker.agents.events import Finished, TextDelta, ToolEnded
from agentmaker.agents.stream import RunStream
from agentmaker.memory.in_memory import MemoryStore
from agentmaker.testing import MemorySink, ModelServer, RawStream, ScriptedLLM

# The SDK leaves generators open, which trio does not let pass.
pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("anyio_backend", ["asyncio"])]

ways = pytest.mark.parametrize("streamed", [False, True], ids=["plain", "streamed"])


@tool
def look(at: int = 0) -> str:
    """Look at something."""
    return f"thing {at}"


def call(id: str | None, arguments: Any = '{"at": 1}', name: str = "look", **more: Any) -> Any:
    said = {"type": "function", "function": {"name": name, "arguments": arguments}, **more}
    return said if id is None else {"id": id, **said}


def calling(*calls: Any, finish: str | None = "tool_calls", **more: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": None, "tool_calls": [*calls], **more}
    return {"choices": [{"index": 0, "message": message, "finish_reason": finish}]}


class Served:
    """An agent whose server keeps to a script."""

    def __init__(self, *replies: Any, tools: Any = (look,), window: int = 8_000, **given: Any):
        self.sink = MemorySink()
        strict = given.pop("strict", True)
        wrapped = {"window": window, "sinks": [self.sink], **given.pop("wrapped", {})}
        kind = given.pop("kind", Agent)
        self.server = ModelServer([*replies], window=window, strict=strict)
        client = agentmaker.wrap(self.server.client(max_retries=0), **wrapped)
        self.agent = kind("worker", client, model="m", tools=tools, **given)

    async def __call__(self, streamed: bool = False, question: Any = "go") -> RunResult:
        return await self.told(self.agent.stream(question), streamed)

    async def told(self, run: RunStream, streamed: bool) -> RunResult:
        if not streamed:
            return await run
        async with run:
            events = [event async for event in run]
        assert isinstance(events[-1], Finished)
        return events[-1].result

    @property
    def sent(self) -> list[list[Any]]:
        assert {request.status for request in self.server.requests} == {200}
        return [request.messages for request in self.server.requests]

    def paired(self, nth: int = -1) -> list[tuple[str, str]]:
        """The ids of calls of a request, each with the result that was sent for it."""
        ids = [each["id"] for message in self.sent[nth] for each in message.get("tool_calls", ())]
        results = [each for each in self.sent[nth] if each["role"] == "tool"]
        assert [each["tool_call_id"] for each in results] == ids
        return [(id, each["content"]) for id, each in zip(ids, results, strict=True)]


@ways
async def test_case_5_ids_that_begin_anew_each_turn_keep_their_own_results(streamed: bool):
    replies = [calling(call("call_0", json.dumps({"at": at}))) for at in range(4)]
    served = Served(*replies, "done")

    assert (await served(streamed)).output == "done"

    paired = served.paired()
    assert [result for _, result in paired] == [f"thing {at}" for at in range(4)]
    assert len({id for id, _ in paired}) == 4
    for before, after in zip(served.sent, served.sent[1:], strict=False):
        assert after[: len(before)] == before


@ways
async def test_case_5_an_approval_is_for_the_call_that_waits_and_for_no_later_one(streamed: bool):
    paid: list[int] = []

    @tool(confirm=True)
    def pay(euros: int) -> str:
        """Pay."""
        paid.append(euros)
        return "paid"

    replies = [calling(call("call_0", f'{{"euros": {euros}}}', "pay")) for euros in (1, 1_000)]
    served = Served(*replies, "done", tools=[pay])
    waiting = await served(streamed)
    assert [each.id for each in waiting.waiting] == ["call_0"]

    resumed = served.agent.resume(waiting.run_id, approvals={"call_0": True})
    result = await served.told(resumed, streamed)

    assert (paid, result.status) == ([1], "waiting")
    assert [json.loads(each.arguments) for each in result.waiting] == [{"euros": 1_000}]


async def test_case_5_nor_is_it_for_a_call_of_another_part_of_the_run():
    paid: list[int] = []

    @tool(confirm=True)
    def pay(euros: int) -> str:
        """Pay."""
        paid.append(euros)
        return "paid"

    served = Served(
        '{"steps": ["pay a little", "pay much"]}',
        calling(call("call_0", '{"euros": 1}', "pay")),
        "paid a little",
        calling(call("call_0", '{"euros": 1000}', "pay")),
        tools=[pay],
        kind=PlanAgent,
    )
    waiting = await served()

    result = await served.agent.resume(waiting.run_id, approvals={"call_0": True})

    assert (paid, result.status) == ([1], "waiting")


@pytest.mark.parametrize("id", ["call_0", "", None])
@ways
async def test_cases_5_and_8_calls_of_one_batch_can_be_told_apart_by_whoever_approves(
    id: str | None, streamed: bool
):
    paid: list[str] = []

    @tool(confirm=True)
    def pay(to: str) -> str:
        """Pay."""
        paid.append(to)
        return f"paid {to}"

    batch = [call(id, f'{{"to": "{to}"}}', "pay") for to in ("Ann", "Bob")]
    served = Served(calling(*batch), "done", tools=[pay], strict=False)
    waiting = await served(streamed)
    ann, bob = (each.id for each in waiting.waiting)
    assert len({ann, bob, ""}) == 3

    approvals = {ann: False, bob: True}
    resumed = served.agent.resume(waiting.run_id, approvals=approvals)
    result = await served.told(resumed, streamed)

    assert (paid, result.output) == (["Bob"], "done")
    assert [id for id, _ in served.paired()] == [ann, bob]


@pytest.mark.parametrize("missing", ["", None])
@ways
async def test_case_8_an_id_that_is_missing_is_invented_once_for_both_sides(
    missing: str | None, streamed: bool
):
    batch = [call(missing, '{"at": 1}'), call(missing, '{"at": 2}')]
    served = Served(calling(*batch), calling(call(missing, '{"at": 3}')), "done")

    assert (await served(streamed)).output == "done"

    assert [result for _, result in served.paired()] == ["thing 1", "thing 2", "thing 3"]
    assert len({id for id, _ in served.paired()} | {""}) == 4
    assert served.paired(1) == served.paired()[:2]


@pytest.mark.parametrize(
    ("arguments", "result"),
    [
        (None, "thing 0"),
        ("", "thing 0"),
        ({"at": 7}, "thing 7"),
        (5, "a JSON object is wanted"),
        ('{"at": 7', "a JSON object is wanted"),
        ("[" * 100_000, "a JSON object is wanted"),
    ],
    ids=["none", "empty", "object", "number", "cut", "deep"],
)
@ways
async def test_case_13_arguments_of_any_kind_are_read_and_sent_again_as_an_object(
    arguments: Any, result: str, streamed: bool
):
    served = Served(calling(call("c1", arguments)), "done", window=200_000)

    assert (await served(streamed)).output == "done"

    ((_, shown),) = served.paired()
    assert result in shown
    (said,) = served.sent[-1][1]["tool_calls"]
    assert isinstance(json.loads(said["function"]["arguments"]), dict)


def cut(arguments: str, finish: str = "length") -> dict[str, Any]:
    return calling(call("c1", arguments, "remove"), finish=finish)


@pytest.mark.parametrize(
    ("finish", "told"),
    [
        ("length", "cut off"),
        ("content_filter", "content filter"),
        ("insufficient_system_resource", "broke off"),
    ],
)
@pytest.mark.parametrize("arguments", ['{"path": "/a', '{"path": "/a"}'], ids=["cut", "complete"])
@ways
async def test_case_11_no_call_of_a_reply_that_was_cut_off_is_run_complete_or_not(
    arguments: str, finish: str, told: str, streamed: bool
):
    removed: list[str] = []

    def remove(path: str) -> str:
        removed.append(path)
        return "gone"

    again = calling(call("c2", '{"path": "/a/b"}', "remove"))
    served = Served(cut(arguments, finish), again, "done", tools=[remove])

    assert (await served(streamed)).output == "done"

    assert removed == ["/a/b"]
    (_, refused), (_, gone) = served.paired()
    assert told in refused
    assert gone == "gone"


async def test_case_11_nor_is_a_call_of_a_stream_that_ends_without_saying_why():
    begun = {"index": 0, **call("c1")}
    broken = RawStream([{"choices": [{"index": 0, "delta": {"tool_calls": [begun]}}]}])
    served = Served(broken, calling(call("c2")), "done")

    assert (await served(streamed=True)).output == "done"

    (_, refused), (_, looked) = served.paired()
    assert "broke off" in refused
    assert looked == "thing 1"


@ways
async def test_a_refusal_is_the_answer_and_goes_back_as_one(streamed: bool):
    refused = {"role": "assistant", "content": None, "refusal": "I will not."}
    served = Served(refused, "Well then.", session=Session("s"))

    assert (await served(streamed)).output == "I will not."

    await served(streamed, "why?")
    assert served.sent[-1][1] == refused


@ways
async def test_an_answer_in_parts_is_read(streamed: bool):
    parts = [{"type": "text", "text": "Lisbon"}]
    served = Served({"role": "assistant", "content": parts})

    assert (await served(streamed)).output == "Lisbon"


async def test_an_answer_in_parts_is_streamed_as_text():
    served = Served({"role": "assistant", "content": [{"type": "text", "text": "Lisbon"}]})

    events = [event async for event in served.agent.stream("go")]

    assert [each.text for each in events if isinstance(each, TextDelta)] == ["Lisbon"]


async def test_a_whole_reply_need_not_say_why_it_ended():
    unsaid = calling(call("c1"), finish=None)
    served = Served(unsaid, "done")

    assert (await served()).output == "done"
    assert served.paired() == [("c1", "thing 1")]


@pytest.mark.parametrize(
    ("finish", "remedy"),
    [
        ("length", "more room"),
        ("content_filter", "content filter .* the filter's"),
        ("error", "its log"),
    ],
)
@ways
async def test_case_11_what_ends_replies_again_and_again_is_named_with_what_to_do(
    finish: str, remedy: str, streamed: bool
):
    with pytest.raises(LLMResponseError, match=remedy):
        await Served(*[cut("{", finish)] * 4)(streamed)


@ways
async def test_case_11_only_rounds_in_a_row_count(streamed: bool):
    fine = calling(call("c2"))
    replies = [cut("{"), cut("{"), cut("{"), fine, cut("{"), cut("{"), cut("{"), "done"]
    assert (await Served(*replies)(streamed)).output == "done"

    with pytest.raises(LLMResponseError, match="4 times in a row"):
        await Served(*[cut("{")] * 4)(streamed)


SIGNED = {"extra_content": {"google": {"thought_signature": "s"}}}


@ways
async def test_cases_76_and_104_what_the_server_put_on_calls_and_turns_goes_back_to_it(
    streamed: bool,
):
    first = calling(call("c1", **SIGNED), finish="stop", reasoning_content="first look")
    second = calling(call("c2", **SIGNED), finish="stop", reasoning_content="then again")
    served = Served(first, second, "done", strict=False)

    assert (await served(streamed)).output == "done"

    turns = [each for each in served.sent[-1] if each["role"] == "assistant"]
    assert [each["reasoning_content"] for each in turns] == ["first look", "then again"]
    assert [each["tool_calls"][0]["extra_content"] for each in turns] == [
        SIGNED["extra_content"]
    ] * 2


async def test_cases_76_and_104_a_run_that_is_resumed_from_its_store_sends_them_too():
    first = calling(call("c1", **SIGNED), reasoning_content="first look")
    served = Served(first, {"error": {"message": "gone"}}, "done", strict=False)
    with pytest.raises(openai.OpenAIError):
        await served()
    (run,) = await served.agent.store.runs()

    assert (await served.agent.resume(run.id)).output == "done"
    assert served.sent[-1] == served.sent[1]
    assert served.sent[-1][1]["reasoning_content"] == "first look"
    assert served.sent[-1][1]["tool_calls"][0]["extra_content"] == SIGNED["extra_content"]


def chunk(finish: str | None = None, **delta: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


NEXT = {"function": {"arguments": ": 4}"}}


@pytest.mark.parametrize("second", [NEXT, {"id": "", "type": "", **NEXT}])
async def test_case_74_pieces_of_calls_without_an_index_are_one_call(second: dict[str, Any]):
    pieces = [
        {"id": "1", "object": "chat.completion.chunk"},
        {"choices": None},
        chunk(role="assistant", tool_calls=[call("c1", '{"at"')]),
        {"choices": [{"index": 0, "delta": None}]},
        chunk(tool_calls=[second]),
        chunk("stop"),
    ]
    served = Served(RawStream(pieces), "done")

    assert (await served(streamed=True)).output == "done"
    assert served.paired() == [("c1", "thing 4")]


async def test_case_79_a_stream_that_says_no_usage_leaves_it_unknown_and_the_window_is_kept():
    words = " ".join(["word"] * 900)
    replies = [calling(call(f"c{at}", json.dumps({"at": at}))) for at in range(12)]

    def read(at: int) -> str:
        return f"{at} {words}"

    for each in replies:
        each["choices"][0]["message"]["tool_calls"][0]["function"]["name"] = "read"
    served = Served(*replies, "done", tools=[read])

    result = await served(streamed=True)

    assert result.output == "done"
    assert (result.usage.total_tokens, result.usage.prompt_tokens) == (None, None)
    assert {record.usage for record in served.sink} == {None}
    assert len(served.sent) == 13
    assert result.ledgers[-1].dropped > 0


class Line(httpx.AsyncByteStream):
    """A stream that would go on for ever, and knows whether it was given back."""

    def __init__(self, *first: Any) -> None:
        self.first, self.closed = first, False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for each in self.first:
            yield f"data: {json.dumps(each)}\n\n".encode()
        await anyio.sleep_forever()

    async def aclose(self) -> None:
        self.closed = True


def agent_on(line: Line, **given: Any) -> Agent:
    answer = httpx.Response(200, headers={"content-type": "text/event-stream"}, stream=line)
    http = httpx.AsyncClient(transport=httpx.MockTransport(lambda request: answer))
    raw = openai.AsyncOpenAI(base_url="http://s.invalid/v1", api_key="k", http_client=http)
    return Agent("writer", agentmaker.wrap(raw, window=8_000), model="m", **given)


@pytest.mark.parametrize("leave", ["with", "aclose", "cancel"])
async def test_case_77_a_stream_that_is_left_gives_its_connection_back(leave: str):
    line, store = Line(chunk(role="assistant", content="Hel")), MemoryStore()
    tasks = {task.id for task in anyio.get_running_tasks()}
    agent, read = agent_on(line, store=store), anyio.Event()

    async def first(run: RunStream) -> None:
        async for event in run:
            assert event == TextDelta(text="Hel")
            read.set()
            return

    if leave == "with":
        async with agent.stream("go") as run:
            await first(run)
    elif leave == "aclose":
        run = agent.stream("go")
        await first(run)
        await run.aclose()
        await run.aclose()
    else:

        async def all_of(run: RunStream) -> None:
            async for _ in run:
                read.set()

        async with anyio.create_task_group() as group:
            group.start_soon(all_of, agent.stream("go"))
            await read.wait()
            group.cancel_scope.cancel()

    assert line.closed
    assert [each.status for each in await store.runs()] == ["stopped"]
    assert {task.id for task in anyio.get_running_tasks()} == tasks


async def test_case_77_a_stream_left_while_a_tool_runs_leaves_no_tool_running():
    started, ended = anyio.Event(), anyio.Event()

    async def slow() -> str:
        started.set()
        try:
            await anyio.sleep_forever()
        finally:
            ended.set()
        return "never"

    served = Served(calling(call("c1", "{}", "slow")), tools=[slow])
    async with anyio.create_task_group() as group:
        group.start_soon(served, True)
        await started.wait()
        group.cancel_scope.cancel()

    assert ended.is_set()
    assert [each.status for each in await served.agent.store.runs()] == ["stopped"]


@ways
async def test_case_10_the_turn_after_a_call_without_a_result_is_valid(streamed: bool):
    session, started = Session("s"), anyio.Event()

    async def slow() -> str:
        started.set()
        await anyio.sleep_forever()
        return "never"

    served = Served(calling(call("c1", "{}", "slow")), "fine", tools=[slow], session=session)
    async with anyio.create_task_group() as group:
        group.start_soon(served, streamed)
        await started.wait()
        group.cancel_scope.cancel()

    result = await served(streamed, "never mind")

    assert result.output == "fine"
    ((id, shown),) = served.paired()
    assert id == "c1"
    assert "interrupted" in shown
    assert [each.role for each in await session.turns()] == [
        "user",
        "assistant",
        "tool",
        "assistant",
        "user",
        "assistant",
    ]


@pytest.mark.parametrize("in_thread", [False, True])
async def test_case_10_a_tool_in_a_thread_leaves_the_same_run_as_an_async_one(in_thread: bool):
    started, go_on = threading.Event(), threading.Event()

    def in_a_thread() -> str:
        started.set()
        go_on.wait()
        return "too late"

    async def on_the_loop() -> str:
        started.set()
        await anyio.sleep_forever()
        return "never"

    work = tool(in_a_thread if in_thread else on_the_loop, name="work")
    served = Served(calling(call("c1", "{}", "work")), "done", tools=[work])
    async with anyio.create_task_group() as group:
        group.start_soon(served)
        await anyio.to_thread.run_sync(started.wait)
        group.cancel_scope.cancel()
    go_on.set()
    (run,) = await served.agent.store.runs()
    assert run.status == "stopped"

    assert (await served.agent.resume(run.id)).output == "done"
    ((_, told),) = served.paired()
    assert "not known" in told


async def test_case_7_a_result_is_kept_once_however_often_a_run_is_taken_up():
    session = Session("s")
    served = Served(
        calling(call("c1")), {"error": {"message": "gone"}}, "done", "yes", session=session
    )
    with pytest.raises(openai.OpenAIError):
        await served()
    (run,) = await session.store.runs()
    for _ in range(3):
        await served.agent.resume(run.id)

    await served(question="and now?")

    assert served.paired() == [("c1", "thing 1")]
    assert [each.role for each in await session.turns()].count("tool") == 1


async def test_case_14_reminders_and_artefacts_ride_in_results_that_were_asked_for(tmp_path):
    from agentmaker import Notes
    from agentmaker.memory.notes.policy import NotePolicy

    replies = [calling(call(f"c{at}", json.dumps({"at": at}))) for at in range(4)]
    served = Served(
        *replies,
        "done",
        notes=Notes(tmp_path),
        config=AgentConfig(notes=NotePolicy(every=2)),
    )
    await served()

    assert sum("Reminder" in result for _, result in served.paired()) >= 1


@pytest.mark.parametrize("room", [1_000, 1_200, 1_500, 2_500])
@ways
async def test_cases_1_2_16_and_41_in_any_window_calls_and_results_leave_together_below_the_task(
    room: int, streamed: bool
):
    def read(at: int) -> str:
        """Read."""
        return f"page {at} " + "word " * (40 * (at % 7))

    replies = [
        calling(
            *(call(f"c{at}_{nth}", f'{{"at": {at + nth}}}', "read") for nth in range(1 + at % 3))
        )
        for at in range(30)
    ]
    served = Served(*replies, "done", tools=[read], window=room)

    assert (await served(streamed, "find the TASK")).output == "done"

    for nth, messages in enumerate(served.sent):
        served.paired(nth)
        (asked,) = (each for each in messages if each["role"] == "user")
        assert asked["content"].endswith("find the TASK")


async def test_case_4_results_stay_as_they_came_whichever_ended_first():
    first = anyio.Event()

    async def a() -> str:
        await first.wait()
        return "A"

    async def b() -> str:
        first.set()
        return "B"

    served = Served(calling(call("ca", "{}", "a"), call("cb", "{}", "b")), "done", tools=[a, b])
    result = await served()

    assert served.paired() == [("ca", "A"), ("cb", "B")]
    assert [result.ledgers[-1].repairs, result.ledgers[0].repairs] == [(), ()]


@ways
async def test_case_80_two_runs_of_one_session_lose_no_message(streamed: bool):
    session = Session("s")
    served = Served(*["fine"] * 8, session=session)
    async with anyio.create_task_group() as group:
        for at in range(8):
            group.start_soon(served, streamed, f"question {at}")

    turns = await session.turns()
    assert [each.role for each in turns] == ["user", "assistant"] * 8
    assert {each.text for each in turns[::2]} == {f"question {at}" for at in range(8)}
    assert [len(messages) for messages in served.sent] == [1 + 2 * at for at in range(8)]


@pytest.mark.parametrize("ending", ["answer", "error", "cancellation"])
@ways
async def test_case_82_nothing_that_the_caller_gave_is_changed(ending: str, streamed: bool):
    question = {"role": "user", "content": [{"type": "text", "text": "q " * 2_000}]}
    metadata = {"stop": ["a", "b"], "metadata": {"k": "v"}}
    tools, sources = [look], [CallableSource("rag", lambda query: "It rained.")]
    session = Session("s")
    await session.set_memo({"kept": ["this"]})
    last = {"answer": "done", "error": {"error": {"message": "gone"}}, "cancellation": "never"}
    served = Served(
        calling(call("c1")),
        last[ending],
        tools=tools,
        sources=sources,
        session=session,
        config=AgentConfig(params=metadata),
    )
    schema = copy.deepcopy(look.schema)
    before = copy.deepcopy((question, metadata))

    if ending == "answer":
        await served(streamed, question)
    elif ending == "error":
        with pytest.raises(openai.OpenAIError):
            await served(streamed, question)
    else:
        with anyio.CancelScope() as scope:
            async for event in served.agent.stream(question):
                if isinstance(event, ToolEnded):
                    scope.cancel()

    assert (question, metadata) == before
    assert (tools, look.schema, len(sources)) == ([look], schema, 1)
    assert await session.memo() == {"kept": ["this"]}


async def test_case_82_nor_does_a_change_by_the_caller_reach_what_was_said():
    session, question = Session("s"), [{"type": "text", "text": "one"}]
    added = {"role": "user", "content": [{"type": "text", "text": "three"}]}
    served = Served("two", "four", session=session)
    await served(question=question)
    await session.add(added)
    question[0]["text"] = added["content"][0]["text"] = "changed"
    question.append({"type": "text", "text": "more"})
    added["role"] = "system"

    await served(question="and now?")

    turns = await session.turns()
    assert [each.text for each in turns] == ["one", "two", "three", "and now?", "four"]
    assert "changed" not in json.dumps(served.sent)
    assert [each["role"] for each in served.sent[-1]] == ["user", "assistant", "user", "user"]


async def test_case_82_what_a_tool_does_to_its_arguments_does_not_change_the_call():
    def take(items: Any) -> str:
        """Take."""
        items.clear()
        return "taken"

    served = Served(calling(call("c1", {"items": [1, 2]}, "take")), "done", tools=[take])
    await served()

    (said,) = served.sent[-1][1]["tool_calls"]
    assert json.loads(said["function"]["arguments"]) == {"items": [1, 2]}


@pytest.mark.parametrize("kind", [Agent, PlanAgent, agentmaker.ReflectionAgent])
async def test_case_85_a_required_source_that_fails_ends_the_run_before_anything_is_asked(
    kind: type[Agent],
):
    def broken(query: str) -> str:
        raise OSError("down")

    policy = CallableSource("rag", broken, required=True)
    served = Served("never", kind=kind, sources=[policy])

    with pytest.raises(SourceError, match="rag"):
        await served()
    assert served.server.requests == ()
    assert [each.status for each in await served.agent.store.runs()] == ["failed"]

    optional = Served(
        '{"steps": []}' if kind is PlanAgent else "fine",
        *["GOOD ENOUGH"],
        kind=kind,
        sources=[CallableSource("rag", broken)],
    )
    assert (await optional()).status == "done"


async def test_case_86_a_cancellation_while_sources_are_asked_asks_no_model():
    ended, started = [], anyio.Event()

    async def slow(query: str) -> str:
        started.set()
        try:
            await anyio.sleep_forever()
        finally:
            ended.append(1)
        return "never"

    served = Served("never", sources=[CallableSource(name, slow) for name in ("rag", "memory")])
    async with anyio.create_task_group() as group:
        group.start_soon(served)
        await started.wait()
        group.cancel_scope.cancel()

    assert (served.server.requests, ended) == ((), [1, 1])


async def test_case_86_a_cancellation_while_tools_run_ends_them_all_and_comes_out():
    ended: list[str] = []
    running = anyio.Semaphore(0)

    async def slow(name: str) -> str:
        running.release()
        try:
            await anyio.sleep_forever()
        finally:
            ended.append(name)
        return "never"

    llm = ScriptedLLM([{"tool_calls": [call(n, f'{{"name": "{n}"}}', "slow") for n in "abc"]}])
    agent = Agent("worker", llm, tools=[slow])
    cancelled = False
    async with anyio.create_task_group() as group:

        async def asking() -> None:
            nonlocal cancelled
            try:
                await agent.arun("go")
            except anyio.get_cancelled_exc_class():
                cancelled = True
                raise

        group.start_soon(asking)
        for _ in range(3):
            await running.acquire()
        group.cancel_scope.cancel()

    assert (sorted(ended), cancelled, len(llm.calls)) == (["a", "b", "c"], True, 1)


async def test_case_88_what_a_tool_said_in_this_run_is_not_retrieved_beside_it():
    para = "The river Elbe is 1094 km long and flows into the North Sea at Cuxhaven."

    def read() -> str:
        return para

    source = CallableSource("rag", lambda query: [para, "The Rhine is 1233 km long."])
    served = Served(calling(call("c1", "{}", "read")), "done", tools=[read], sources=[source])
    await served()

    last = "\n".join(str(each["content"]) for each in served.sent[-1])
    assert last.count(para) <= 2
    assert "The Rhine" in last


@ways
async def test_case_89_what_was_retrieved_is_in_the_request_and_never_in_the_session(
    streamed: bool,
):
    session = Session("s")
    block = "retrieved " * 70
    served = Served(
        *["fine"] * 5, session=session, sources=[CallableSource("rag", lambda query: block)]
    )
    for turn in range(5):
        await served(streamed, f"question {turn}")

    turns = await session.turns()
    assert [each.text for each in turns[::2]] == [f"question {turn}" for turn in range(5)]
    for messages in served.sent:
        assert json.dumps(messages).count(block.strip()) == 1


HALVES = ("\ud83d", "\ude00")


async def test_case_100_halves_of_a_character_are_joined_in_pieces_arguments_and_answer():
    said: list[str] = []

    def say(text: str) -> str:
        """Say."""
        said.append(text)
        return text

    arguments = f'{{"text": "{HALVES[0]}'
    pieces = [
        chunk(role="assistant", tool_calls=[{"index": 0, **call("c1", arguments, "say")}]),
        chunk(tool_calls=[{"index": 0, "function": {"arguments": f'{HALVES[1]}"}}'}}]),
        chunk("tool_calls"),
    ]
    told = [chunk(content=each) for each in ("one ", HALVES[0], HALVES[1], "", " and ", HALVES[0])]
    served = Served(RawStream(pieces), RawStream([*told, chunk("stop")]), tools=[say])

    events = [event async for event in served.agent.stream("go")]

    assert said == ["\U0001f600"]
    deltas = [event.text for event in events if isinstance(event, TextDelta)]
    assert deltas == ["one ", "\U0001f600", " and ", "\ufffd"]
    assert events[-1].result.output == "".join(deltas)


@ways
async def test_case_100_half_a_character_of_a_server_is_neither_kept_nor_told(streamed: bool):
    session = Session("s")
    served = Served(f"half {HALVES[0]}", "fine", session=session)

    assert (await served(streamed)).output == "half \ufffd"
    assert [each.text for each in await session.turns()] == ["go", "half \ufffd"]


async def test_a_stream_is_one_run_however_often_it_is_awaited():
    session = Session("s")
    served = Served("one", session=session)
    run = served.agent.stream("go")
    events = [event async for event in run]

    assert await run is await run is events[-1].result
    assert [event async for event in run] == []
    assert len(await session.turns()) == 2


async def test_what_is_left_of_a_stream_can_be_awaited():
    served = Served(calling(call("c1")), "done")
    async with served.agent.stream("go") as run:
        await anext(run)
        assert (await run).output == "done"
    assert len(served.sent) == 2


async def test_a_stream_that_was_left_or_failed_is_not_begun_anew_by_awaiting_it():
    left = Served(calling(call("c1")), "done").agent.stream("go")
    async with left:
        await anext(left)
    failed = Served({"error": {"message": "gone"}}).agent.stream("go")
    with pytest.raises(openai.OpenAIError):
        await failed
    for run in (left, failed):
        with pytest.raises(agentmaker.SessionError, match="resume it"):
            await run


@pytest.mark.parametrize(
    "name", ["functions.look", "multi_tool_use.parallel", "look up!", "名前", "x" * 100, "", None]
)
@ways
async def test_a_name_that_servers_refuse_is_not_sent_back_to_them(
    name: str | None, streamed: bool
):
    served = Served(calling(call("c1", name=name)), "done")

    assert (await served(streamed)).output == "done"

    ((_, told),) = served.paired()
    assert "There is no tool" in told
    (said,) = served.sent[-1][1]["tool_calls"]
    assert re.fullmatch("[a-zA-Z0-9_-]{1,64}", said["function"]["name"])


@ways
async def test_case_89_a_session_keeps_no_answer_that_could_not_be_read_nor_what_was_said_of_it(
    streamed: bool,
):
    session = Session("s")
    replies = ["one", calling(call("c1")), "two", '{"a": 1}']
    served = Served(*replies, session=session, output=dict[str, int])

    result = await served(streamed)

    assert result.output == {"a": 1}
    assert [each.text for each in await session.turns()] == ["go", "", "thing 1", '{"a": 1}']
    assert result.messages == await session.turns()


async def test_case_89_nor_does_it_of_a_run_that_it_goes_on_without():
    session = Session("s")
    replies = ["one", calling(call("c1")), "two", {"error": {"message": "gone"}}, '{"a": 1}']
    served = Served(*replies, session=session, output=dict[str, int])
    with pytest.raises(openai.OpenAIError):
        await served()

    await served(question="and now?")

    turns = [each.text for each in await session.turns()]
    assert turns == ["go", "", "thing 1", "(no reply)", "and now?", '{"a": 1}']
