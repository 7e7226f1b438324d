from __future__ import annotations

import json
import re
from typing import Annotated, Any

import anyio
import pytest
from pydantic import AfterValidator, BaseModel, Field

from agentmaker import (
    Agent,
    ConfigError,
    LLMResponseError,
    PlanAgent,
    RunPolicy,
    RunResult,
    Scope,
    Session,
    SessionError,
    tool,
    using,
)
from agentmaker.agents.events import Finished, TextDelta, ToolEnded, ToolStarted
from agentmaker.agents.knobs import AgentConfig
from agentmaker.memory.in_memory import MemoryStore
from agentmaker.messages import ToolCall
from agentmaker.testing import ScriptedLLM

pytestmark = pytest.mark.anyio


@tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


def calls(*arguments: dict[str, Any], name: str = "add") -> dict[str, Any]:
    return {
        "tool_calls": [
            {
                "id": f"call_{at}",
                "type": "function",
                "function": {"name": name, "arguments": json.dumps(each)},
            }
            for at, each in enumerate(arguments)
        ]
    }


async def test_an_agent_answers_in_words():
    llm = ScriptedLLM(["Hello."])

    result = await Agent("greeter", llm, "Be brief.").arun("Say hello")

    assert (result.output, result.status) == ("Hello.", "done")
    assert llm.calls[0]["messages"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Say hello"},
    ]


async def test_a_tool_is_run_and_its_result_goes_back_to_the_model():
    llm = ScriptedLLM([calls({"a": 1, "b": 2}), "It is 3."])

    result = await Agent("sums", llm, tools=[add]).arun("1 + 2?")

    assert result.output == "It is 3."
    sent = llm.calls[1]["messages"]
    assert sent[-1] == {"role": "tool", "tool_call_id": "call_0", "content": "3"}
    assert [*llm.calls[0]["tools"]] == [add.schema]
    assert [each.role for each in result.messages] == ["user", "assistant", "tool", "assistant"]


async def test_calls_of_one_batch_run_at_once_and_keep_their_order():
    met = {"a": anyio.Event(), "b": anyio.Event()}

    async def meet(me: str, other: str) -> str:
        met[me].set()
        await met[other].wait()
        return f"{me} met {other}"

    llm = ScriptedLLM(
        [calls({"me": "a", "other": "b"}, {"me": "b", "other": "a"}, name="meet"), "done"]
    )
    await Agent("host", llm, tools=[meet]).arun("go")

    assert [each["content"] for each in llm.calls[1]["messages"][-2:]] == ["a met b", "b met a"]


async def test_a_tool_that_fails_is_told_to_the_model_which_goes_on():
    def broken() -> str:
        raise OSError("disk on fire")

    llm = ScriptedLLM([calls({}, name="broken"), calls({}, name="missing"), "sorry"])
    result = await Agent("worker", llm, tools=[broken]).arun("go")

    assert result.output == "sorry"
    assert "disk on fire" in llm.calls[1]["messages"][-1]["content"]
    assert "missing" in llm.calls[2]["messages"][-1]["content"]


async def test_streaming_is_the_same_run_event_by_event():
    llm = ScriptedLLM([calls({"a": 1, "b": 2}), "It is 3."])
    agent = Agent("sums", llm, tools=[add])

    events = [event async for event in agent.stream("1 + 2?")]

    assert [type(each) for each in events] == [ToolStarted, ToolEnded, TextDelta, Finished]
    assert events[1].text == "3"
    assert events[-1].result.output == "It is 3."


async def test_what_was_cut_off_within_a_call_is_not_run_case_11():
    ran: list[str] = []

    def remove(path: str) -> str:
        ran.append(path)
        return "gone"

    cut = {
        "choices": [
            {
                "index": 0,
                "finish_reason": "length",
                "message": {
                    "role": "assistant",
                    "content": None,
                    **calls({"path": "/a"}, name="remove"),
                },
            }
        ]
    }
    llm = ScriptedLLM([cut, "I give up."])
    result = await Agent("worker", llm, tools=[remove]).arun("go")

    assert (result.output, ran) == ("I give up.", [])
    assert "cut off" in llm.calls[1]["messages"][-1]["content"]


async def test_a_model_that_is_cut_off_again_and_again_ends_the_run_case_11():
    cut = {
        "choices": [
            {
                "index": 0,
                "finish_reason": "length",
                "message": {"role": "assistant", "content": None, **calls({"a": 1, "b": 2})},
            }
        ]
    }
    llm = ScriptedLLM([cut] * 10)

    with pytest.raises(LLMResponseError, match="more room"):
        await Agent("worker", llm, tools=[add]).arun("go")
    assert len(llm.calls) == 4


class Sum(BaseModel):
    total: int


async def test_an_answer_of_an_output_type_is_a_value():
    llm = ScriptedLLM(['{"total": 3}'])

    result = await Agent("sums", llm, output=Sum).arun("1 + 2?")

    assert result.output == Sum(total=3)
    assert llm.calls[0]["params"]["response_format"]["json_schema"]["name"] == "Sum"


async def test_an_answer_that_is_not_of_its_type_is_asked_for_again():
    llm = ScriptedLLM(["three", '{"total": "x"}', '```json\n{"total": 3}\n```'])

    result = await Agent("sums", llm, output=Sum).arun("1 + 2?")

    assert result.output == Sum(total=3)
    assert "total" in llm.calls[2]["messages"][-1]["content"]


async def test_an_answer_that_stays_of_no_use_is_an_error_and_the_run_is_kept():
    store = MemoryStore()
    llm = ScriptedLLM(["three"] * 5)

    with pytest.raises(LLMResponseError, match="output type") as caught:
        await Agent("sums", llm, output=Sum, store=store).arun("1 + 2?")
    (run,) = await store.runs()
    assert run.status == "failed"
    assert run.id in caught.value.__notes__[0]


async def test_a_limit_ends_the_run_with_what_there_is():
    llm = ScriptedLLM([calls({"a": 1, "b": 2})] * 5)

    result = await Agent("sums", llm, tools=[add], limits=RunPolicy(calls=2)).arun("go")

    assert (result.status, result.output, len(llm.calls)) == ("stopped", None, 2)
    assert len(result.messages) == 5
    with pytest.raises(Exception, match="calls limit of 2"):
        result.raise_for_status()


async def test_a_stopped_run_goes_on_with_other_limits():
    llm = ScriptedLLM([calls({"a": 1, "b": 2}), "It is 3."])
    agent = Agent("sums", llm, tools=[add], limits=RunPolicy(calls=1))
    stopped = await agent.arun("1 + 2?")

    result = await agent.resume(stopped.run_id, limits=RunPolicy(calls=5))

    assert result.output == "It is 3."
    assert [each.role for each in result.messages] == ["user", "assistant", "tool", "assistant"]


async def test_a_session_keeps_what_was_said_and_the_next_run_sees_it():
    llm = ScriptedLLM(["Hello Ann.", "You are Ann."])
    session = Session("s1")
    agent = Agent("host", llm, session=session)

    await agent.arun("I am Ann.")
    await agent.arun("Who am I?")

    assert [each.text for each in await session.turns()] == [
        "I am Ann.",
        "Hello Ann.",
        "Who am I?",
        "You are Ann.",
    ]
    assert [each["content"] for each in llm.calls[1]["messages"]] == [
        "I am Ann.",
        "Hello Ann.",
        "Who am I?",
    ]


async def test_two_runs_on_one_session_go_one_after_the_other_case_80():
    session = Session("s1")
    llm = ScriptedLLM(lambda messages: f"answer to {messages[-1]['content']}")
    agents = [Agent(name, llm, session=session) for name in ("a", "b")]

    async with anyio.create_task_group() as group:
        for agent in agents:
            group.start_soon(agent.arun, agent.name)

    said = [each.text for each in await session.turns()]
    assert sorted([said[0], said[2]]) == ["a", "b"]
    assert said[1] == f"answer to {said[0]}"
    assert said[3] == f"answer to {said[2]}"


async def test_a_call_that_needs_an_approval_waits_and_goes_on_when_resumed():
    ran: list[str] = []

    @tool(confirm=True)
    def pay(to: str) -> str:
        """Pay somebody."""
        ran.append(to)
        return "paid"

    llm = ScriptedLLM([calls({"to": "Bob"}, name="pay"), "Paid."])
    agent = Agent("payer", llm, tools=[pay])

    waiting = await agent.arun("Pay Bob")
    assert (waiting.status, ran) == ("waiting", [])
    assert [call.name for call in waiting.waiting] == ["pay"]

    result = await agent.resume(waiting.run_id, approvals={"call_0": True})
    assert (result.output, ran) == ("Paid.", ["Bob"])


async def test_an_approval_is_for_the_call_that_waited_and_not_for_a_later_one_of_the_same_id():
    ran: list[str] = []

    @tool(confirm=True)
    def pay(to: str) -> str:
        """Pay somebody."""
        ran.append(to)
        return "paid"

    llm = ScriptedLLM([calls({"to": "Bob"}, name="pay"), calls({"to": "Eve"}, name="pay"), "Paid."])
    agent = Agent("payer", llm, tools=[pay])
    waiting = await agent.arun("Pay")

    again = await agent.resume(waiting.run_id, approvals={"call_0": True})

    assert (again.status, ran) == ("waiting", ["Bob"])
    assert [call.arguments for call in again.waiting] == ['{"to": "Eve"}']


async def test_a_call_that_is_not_approved_is_not_run_and_the_model_is_told():
    ran: list[str] = []

    @tool(confirm=True)
    def pay(to: str) -> str:
        """Pay somebody."""
        ran.append(to)
        return "paid"

    llm = ScriptedLLM([calls({"to": "Bob"}, name="pay"), "Not paid."])
    agent = Agent("payer", llm, tools=[pay], confirm=lambda call: False)
    result = await agent.arun("Pay Bob")

    assert (result.output, ran) == ("Not paid.", [])
    assert "not allowed" in llm.calls[1]["messages"][-1]["content"]


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("pay", '{"to": ', "a JSON object is wanted"),
        ("pay", "[1]", "a JSON object is wanted"),
        ("pay", "{}", "to: Field required"),
        ("pay", '{"to": 5}', "to: Input should be a valid string"),
        ("pay", '{"to": "Bob", "euros": 0}', "euros: "),
        ("repay", '{"to": "Bob"}', "There is no tool repay"),
    ],
)
@pytest.mark.parametrize("hook", [True, False], ids=["asked", "waits"])
async def test_nobody_is_asked_about_a_call_that_cannot_run(
    name: str, arguments: str, told: str, hook: bool
):
    asked: list[str] = []

    @tool(confirm=True)
    def pay(to: str, euros: Annotated[int, Field(gt=0)] = 1) -> str:
        """Pay somebody."""
        return f"{to} has {euros}"

    def allow(call: ToolCall) -> bool:
        asked.append(json.loads(call.arguments)["to"])
        return True

    wrong = ScriptedLLM.tool_call(name, arguments)
    llm = ScriptedLLM([wrong, ScriptedLLM.tool_call("pay", {"to": "Ann"}), "Paid."])
    agent = Agent("payer", llm, tools=[pay], confirm=allow if hook else None)
    result = await agent.arun("Pay")

    assert told in llm.calls[1]["messages"][-1]["content"]
    assert (result.status, asked) == (("done", ["Ann"]) if hook else ("waiting", []))


async def test_a_call_that_cannot_run_has_its_result_while_others_wait():
    @tool(confirm=True)
    def pay(to: str) -> str:
        """Pay somebody."""
        return f"{to} is paid"

    llm = ScriptedLLM([calls({}, {"to": "Ann"}, name="pay"), "Paid."])
    agent = Agent("payer", llm, tools=[pay])

    waiting = await agent.arun("Pay")
    assert [call.id for call in waiting.waiting] == ["call_1"]

    await agent.resume(waiting.run_id, approvals={"call_1": True})
    wrong, paid = llm.calls[1]["messages"][-2:]
    assert "to: Field required" in wrong["content"]
    assert paid["content"] == "Ann is paid"


async def test_what_is_wrong_when_it_would_be_asked_about_is_not_run_unasked():
    ran: list[str] = []
    known = iter([False, True])

    def check(name: str) -> str:
        if not next(known):
            raise ValueError("nobody of that name")
        return name

    def pay(to: str) -> None:
        """Pay somebody."""
        ran.append(to)

    pay.__annotations__["to"] = Annotated[str, AfterValidator(check)]
    llm = ScriptedLLM([calls({"to": "Ann"}, name="pay"), "Sorry."])
    result = await Agent("payer", llm, tools=[tool(pay, confirm=True)]).arun("Pay")

    assert (result.output, ran) == ("Sorry.", [])
    assert "nobody of that name" in llm.calls[1]["messages"][-1]["content"]


@pytest.mark.parametrize("said", ["no", 1, "yes"])
async def test_only_true_and_false_decide_a_call(said: object):
    ran: list[str] = []

    @tool(confirm=True)
    def pay(to: str) -> str:
        """Pay somebody."""
        ran.append(to)
        return "paid"

    llm = ScriptedLLM([calls({"to": "Bob"}, name="pay")])
    agent = Agent("payer", llm, tools=[pay])
    waiting = await agent.arun("Pay Bob")
    with pytest.raises(ConfigError, match="call_0"):
        agent.resume(waiting.run_id, approvals={"call_0": said})

    agent = Agent("payer", llm, tools=[pay], confirm=lambda call: said, store=agent.store)
    with pytest.raises(ConfigError, match="confirm"):
        await agent.resume(waiting.run_id)
    assert ran == []


PARTS = {
    "name": "b",
    "tools": [],
    "session": None,
    "limits": RunPolicy(),
    "confirm": None,
    "config": None,
}


@pytest.mark.parametrize("part", PARTS)
def test_the_parts_of_an_agent_are_fixed_once_it_is_made(part: str):
    agent = Agent("a", ScriptedLLM(["hi"]))

    with pytest.raises(AttributeError, match=f"{part} .*make another agent"):
        setattr(agent, part, PARTS[part])
    agent.note = "mine"
    assert agent.note == "mine"


@pytest.mark.parametrize("given", [None, 5, [None], {"look": print}, "look"])
def test_tools_that_are_none_are_refused_in_words_that_help(given: Any):
    with pytest.raises(ConfigError, match=r"a list of tools|a tool is made of a function"):
        Agent("a", ScriptedLLM(), tools=given)


@pytest.mark.parametrize("given", [None, 5, ["Be brief."], b"Be brief."])
def test_instructions_are_text(given: Any):
    with pytest.raises(ConfigError, match="instructions are text"):
        Agent("a", ScriptedLLM(), given)


async def test_a_result_that_is_too_long_is_cut_and_recalled():
    text = " ".join(f"line-{number}" for number in range(20_000))

    def read() -> str:
        return text

    llm = ScriptedLLM(
        [
            calls({}, name="read"),
            lambda messages: calls({"id": "r1", "search": "line-15000"}, name="recall"),
            "found",
        ],
        context_window=8_000,
    )
    await Agent("reader", llm, tools=[read]).arun("go")

    assert [each["function"]["name"] for each in llm.calls[0]["tools"]] == ["read"]
    assert [each["function"]["name"] for each in llm.calls[1]["tools"]] == ["read", "recall"]
    assert len(llm.calls[1]["messages"][-1]["content"]) < 20_000
    assert "line-15000" in llm.calls[2]["messages"][-1]["content"]


async def test_what_an_earlier_run_of_a_session_put_away_is_recalled_under_a_name_of_its_own():
    texts = iter([" ".join(f"{name}-{n}" for n in range(20_000)) for name in ("first", "second")])

    def read() -> str:
        return next(texts)

    def recalling(messages: list[dict[str, Any]]) -> dict[str, Any]:
        names.extend(dict.fromkeys(re.findall(r'recall\(id="(.+?)"', str(messages))))
        return calls({"id": names[0], "search": "first-15000"}, name="recall")

    names: list[str] = []
    reads = calls({}, name="read")
    llm = ScriptedLLM([reads, "read", reads, recalling, "found"], context_window=16_000)
    agent = Agent("reader", llm, tools=[read], session=Session("s"))

    await agent.arun("Read it.")
    await agent.arun("Read the other, and find what was in the first.")

    assert len(names) == len(set(names)) == 2
    assert "first-15000" in llm.calls[-1]["messages"][-1]["content"]


async def test_a_result_that_the_store_cannot_hold_is_shown_cut():
    def read() -> str:
        return "a long line of a log\n" * 4_000

    llm = ScriptedLLM([calls({}, name="read"), "read"], context_window=8_000)
    store = MemoryStore(max_characters=10_000)

    result = await Agent("reader", llm, tools=[read], store=store).arun("go")

    shown = llm.calls[1]["messages"][-1]["content"]
    assert (result.output, "recall" in shown) == ("read", False)
    assert 500 < len(shown) < 20_000


async def test_a_cancelled_run_is_kept_and_can_be_resumed_case_10():
    store = MemoryStore()
    started = anyio.Event()

    async def slow() -> str:
        started.set()
        await anyio.sleep_forever()
        return "never"

    llm = ScriptedLLM([calls({}, name="slow"), "It may have happened."])
    agent = Agent("worker", llm, tools=[slow], store=store)
    async with anyio.create_task_group() as group:
        group.start_soon(agent.arun, "go")
        await started.wait()
        group.cancel_scope.cancel()
    (run,) = await store.runs()
    assert run.status == "stopped"

    result = await agent.resume(run.id)

    assert result.output == "It may have happened."
    assert "not known" in llm.calls[1]["messages"][-1]["content"]


async def test_a_call_in_flight_is_run_again_where_its_tool_is_idempotent():
    store = MemoryStore()
    started, tries = anyio.Event(), []

    @tool(idempotent=True)
    async def look() -> str:
        """Look."""
        tries.append(1)
        started.set()
        if len(tries) == 1:
            await anyio.sleep_forever()
        return "seen"

    llm = ScriptedLLM([calls({}, name="look"), "ok"])
    agent = Agent("worker", llm, tools=[look], store=store)
    async with anyio.create_task_group() as group:
        group.start_soon(agent.arun, "go")
        await started.wait()
        group.cancel_scope.cancel()
    (run,) = await store.runs()

    await agent.resume(run.id)

    assert len(tries) == 2
    assert llm.calls[1]["messages"][-1]["content"] == "seen"


async def test_a_stream_is_for_one_task_at_a_time():
    started, over = anyio.Event(), anyio.Event()

    async def wait() -> str:
        started.set()
        await over.wait()
        return "over"

    stream = Agent("worker", ScriptedLLM([calls({}, name="wait"), "done"]), tools=[wait]).stream(
        "q"
    )
    events = []

    async def read() -> None:
        events.extend([event async for event in stream])

    async with anyio.create_task_group() as group:
        group.start_soon(read)
        await started.wait()
        for disturb in (stream.aclose, stream.__anext__):
            with pytest.raises(SessionError, match="another task"):
                await disturb()
        over.set()
    assert isinstance(events[-1], Finished)


async def test_a_stream_that_is_left_is_kept_and_can_be_resumed():
    store = MemoryStore()
    llm = ScriptedLLM([calls({"a": 1, "b": 2}), "It is 3."])
    agent = Agent("sums", llm, tools=[add], store=store)

    async with agent.stream("1 + 2?") as events:
        async for event in events:
            if isinstance(event, ToolEnded):
                break
    (run,) = await store.runs()
    assert run.status == "stopped"

    assert (await agent.resume(run.id)).output == "It is 3."
    assert len(llm.calls) == 2


async def test_a_run_that_is_done_gives_its_result_again_without_asking():
    llm = ScriptedLLM(["Hello."])
    session = Session("s1")
    agent = Agent("greeter", llm, session=session)
    first = await agent.arun("hi")

    again = await agent.resume(first.run_id)

    assert (again.output, again.status, len(llm.calls)) == ("Hello.", "done", 1)
    assert len(await session.turns()) == 2


async def test_a_run_of_another_agent_is_not_resumed():
    store = MemoryStore()
    run = await Agent("one", ScriptedLLM(["hi"]), store=store).arun("go")

    with pytest.raises(Exception, match="'one'"):
        await Agent("two", ScriptedLLM([]), store=store).resume(run.run_id)


async def test_what_a_run_used_is_told_with_its_summaries_and_resumptions():
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}

    def used(message: dict[str, Any]) -> dict[str, Any]:
        return {
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
            "usage": usage,
        }

    llm = ScriptedLLM(
        [
            used({"role": "assistant", "content": None, **calls({"a": 1, "b": 2})}),
            used({"role": "assistant", "content": "3"}),
        ]
    )
    agent = Agent("sums", llm, tools=[add], limits=RunPolicy(calls=1))
    stopped = await agent.arun("1 + 2?")
    result = await agent.resume(stopped.run_id, limits=RunPolicy(calls=9))

    assert (stopped.usage.total_tokens, result.usage.total_tokens) == (15, 30)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"name": ""}, "needs a name"),
        ({"client": object()}, "client must be"),
        ({"output": object()}, "output must be"),
        ({"store": MemoryStore(), "session": Session("s")}, "leave store= out"),
        ({"tools": [add, add]}, "add"),
        ({"tools": add}, r"write tools=\[...\]"),
        ({"tools": [5]}, "made of a function, not of int"),
        ({"tools": ["add"]}, "made of a function, not of str"),
        ({"tools": [tool]}, "name every parameter"),
        ({"session": "s1"}, "Session"),
        ({"store": "a.db"}, "SessionStore"),
        ({"limits": 5}, "RunPolicy"),
        ({"config": {}}, "AgentConfig"),
        ({"confirm": True}, "confirm"),
        ({"sources": "rag"}, "source"),
        ({"tools": [tool(lambda: "", name="recall")]}, "name your tool otherwise"),
        (
            {
                "tools": [tool(lambda: "", name="compact")],
                "config": AgentConfig(self_compaction=True),
            },
            "name your tool otherwise",
        ),
    ],
)
def test_what_cannot_work_is_refused_in_words(arguments: dict[str, Any], words: str):
    given = {"name": "a", "client": ScriptedLLM([]), **arguments}
    with pytest.raises(ConfigError, match=words):
        Agent(**given)


async def test_a_knob_out_of_range_is_refused():
    with pytest.raises(ConfigError, match="parallel"):
        AgentConfig(parallel=0)


def test_run_is_the_same_for_callers_that_do_not_await():
    assert Agent("greeter", ScriptedLLM(["Hello."])).run("hi").output == "Hello."


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("", "empty"),
        (" \n", "empty"),
        ([], "empty"),
        ([{"role": "user", "content": "hi"}], "session"),
        ({"role": "assistant", "content": "hi"}, "user message"),
        (5, "text, content parts"),
    ],
)
def test_a_question_that_is_none_is_refused_before_anything_is_asked(question: Any, words: str):
    llm = ScriptedLLM([])
    with pytest.raises(ConfigError, match=words):
        Agent("clerk", llm).stream(question)
    assert llm.calls == []


async def test_a_decision_on_a_call_that_nothing_waits_for_is_refused():
    @tool(confirm=True)
    def pay(to: str) -> str:
        """Pay somebody."""
        return "paid"

    agent = Agent("payer", ScriptedLLM([calls({"to": "Bob"}, name="pay"), "Paid."]), tools=[pay])
    waiting = await agent.arun("Pay Bob")

    with pytest.raises(SessionError, match="decide on 'call_0'"):
        await agent.resume(waiting.run_id, approvals={"call_9": True})
    assert (await agent.resume(waiting.run_id, approvals={"call_0": True})).output == "Paid."


@pytest.mark.parametrize("status", ["done", "stopped"])
async def test_a_decision_is_made_once(status: str):
    @tool(confirm=True)
    def pay(to: str) -> str:
        """Pay somebody."""
        return "paid"

    llm = ScriptedLLM([calls({"to": "Bob"}, {"to": "Eve"}, name="pay"), "Paid."])
    agent = Agent("payer", llm, tools=[pay], limits=RunPolicy(calls=1))
    waiting = await agent.arun("Pay")
    decided, more = {"call_0": True, "call_1": False}, RunPolicy(calls=5)
    limits = more if status == "done" else None
    ended = await agent.resume(waiting.run_id, approvals=decided, limits=limits)
    assert ended.status == status

    for wrong, words in [
        ({"call_0": False}, "'call_0' was allowed"),
        ({"call_1": True}, "'call_1' was denied"),
        ({**decided, "call_9": True}, "no call 'call_9'"),
    ]:
        with pytest.raises(SessionError, match=words):
            await agent.resume(waiting.run_id, approvals=wrong, limits=more)
    again = await agent.resume(waiting.run_id, approvals=decided, limits=more)
    assert (again.status, again.output) == ("done", "Paid.")


async def test_a_decision_of_an_earlier_call_binds_no_later_one_of_the_same_id():
    @tool(confirm=True)
    def pay(to: str) -> str:
        """Pay somebody."""
        return f"{to} is paid"

    llm = ScriptedLLM(
        [
            '{"steps": ["pay Bob", "pay Eve"]}',
            calls({"to": "Bob"}, name="pay"),
            "Bob is paid.",
            calls({"to": "Eve"}, name="pay"),
            "Eve is not.",
            "Half.",
        ]
    )
    agent = PlanAgent("payer", llm, tools=[pay])
    waiting = await agent.arun("Pay")
    await agent.resume(waiting.run_id, approvals={"call_0": True})

    result = await agent.resume(waiting.run_id, approvals={"call_0": False})
    assert result.output == "Half."
    assert (await agent.resume(waiting.run_id, approvals={"call_0": False})).output == "Half."


async def test_a_session_of_nobody_is_not_used_for_somebody():
    agent = Agent("host", ScriptedLLM(["hi"]), session=Session("chat"))

    with using(scope=Scope(user="ann")), pytest.raises(ConfigError, match="scope="):
        await agent.arun("I am Ann.")


def test_a_tool_can_be_called_as_the_function_it_was_made_of():
    assert add(1, 2) == 3


@pytest.mark.parametrize("finish", ["stop", "length"])
async def test_how_an_answer_ended_is_said(finish: str):
    message = {"role": "assistant", "content": "half an ans"}
    llm = ScriptedLLM([{"choices": [{"index": 0, "finish_reason": finish, "message": message}]}])
    agent = Agent("clerk", llm)

    result = await agent.arun("?")

    assert (result.output, result.finish_reason) == ("half an ans", finish)
    assert (await agent.resume(result.run_id)).finish_reason == finish


async def test_a_refusal_is_the_answer():
    llm = ScriptedLLM([{"role": "assistant", "content": None, "refusal": "I will not."}])

    assert (await Agent("clerk", llm).arun("?")).output == "I will not."


async def test_a_refusal_in_the_place_of_a_value_is_named_in_the_error():
    llm = ScriptedLLM([{"role": "assistant", "content": None, "refusal": "I will not."}] * 3)

    with pytest.raises(
        LLMResponseError, match=r"after 3 tries \(the model refuses: I will not\.\)"
    ):
        await Agent("clerk", llm, output=Sum).arun("?")


async def test_another_user_cannot_go_on_with_a_run_nor_approve_its_calls():
    @tool(confirm=True)
    def pay(to: str) -> str:
        """Pay somebody."""
        return "paid"

    agent = Agent("payer", ScriptedLLM([calls({"to": "Bob"}, name="pay"), "Paid."]), tools=[pay])
    with using(scope=Scope(user="ann")):
        waiting = await agent.arun("Pay Bob")

    with using(scope=Scope(user="eve")), pytest.raises(SessionError, match="scope"):
        await agent.resume(waiting.run_id, approvals={"call_0": True})
    assert (await agent.resume(waiting.run_id, approvals={"call_0": True})).output == "Paid."


async def test_a_run_that_is_cancelled_before_it_asks_is_left_stopped():
    store, begun = MemoryStore(), anyio.Event()

    class Slow(Session):
        async def history(self):
            begun.set()
            await anyio.sleep_forever()

    agent = Agent("host", ScriptedLLM([]), session=Slow("s", store=store))
    async with anyio.create_task_group() as group:
        group.start_soon(agent.arun, "hi")
        await begun.wait()
        group.cancel_scope.cancel()

    assert [run.status for run in await store.runs()] == ["stopped"]


@pytest.mark.parametrize(
    ("given", "words"),
    [({"approvals": ["call_1"]}, "by call id"), ({"limits": 5}, "RunPolicy")],
)
def test_what_cannot_help_a_run_to_go_on_is_refused(given: dict[str, Any], words: str):
    with pytest.raises(ConfigError, match=words):
        Agent("clerk", ScriptedLLM([])).resume("r1", **given)


@pytest.mark.parametrize("run_id", [None, 5, b"r1", RunResult(run_id="r1", status="done")])
def test_a_run_is_resumed_by_its_id(run_id: Any):
    with pytest.raises(ConfigError, match="the id of a run"):
        Agent("clerk", ScriptedLLM([])).resume(run_id)
