from __future__ import annotations

import copy

import anyio
import openai
import pytest
import structlog

import agentmaker
from agentmaker import ConfigError, LLMClient
from agentmaker.clients.given_summarizer import read_summarizer
from agentmaker.testing import Delay, Gate, ModelServer, ScriptedLLM
from tests.clients.asking import QUESTION, Asked, step, talk, text_of, user

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("by_the_rule")]

SAID = "They talked about words, a great many of them."
LONG = [*talk(100), *QUESTION]


def plain(text, instruction):
    assert "word" in text
    assert instruction
    return SAID


async def later(text, instruction):
    return plain(text, instruction)


def sometimes(text, instruction):
    return later(text, instruction)


class Written:
    async def __call__(self, text, instruction):
        return plain(text, instruction)


async def recap_of(asked, messages=LONG):
    """What stands in front of the first message kept."""
    before = copy.deepcopy(messages)
    await asked(messages)
    assert messages == before
    sent = asked.sent[-1]
    assert asked.server.requests[-1].status == 200
    return next(text_of(each) for each in sent if each["role"] == "user")


@pytest.mark.parametrize("summarizer", [plain, later, Written(), sometimes])
async def test_a_function_writes_summaries_sync_or_async(summarizer):
    asked = Asked(summarizer=summarizer)
    recap = await recap_of(asked)
    assert SAID in recap
    assert '<reference kind="recap">' in recap


async def test_a_sync_function_does_not_stop_the_loop():
    token, turning = anyio.lowlevel.current_token(), anyio.Event()

    def slow(text, instruction):
        # Runs on the loop, which must be free for it.
        anyio.from_thread.run_sync(turning.set, token=token)
        return SAID

    assert SAID in await recap_of(Asked(summarizer=slow))
    assert turning.is_set()


async def test_another_model_of_the_same_client_writes_summaries():
    asked = Asked(lambda body: SAID if body["model"] == "small" else "Fine.", summarizer="small")
    assert SAID in await recap_of(asked)
    assert [body["model"] for body in asked.bodies][-1] == "m"
    assert {body["model"] for body in asked.bodies} == {"small", "m"}
    assert [record.purpose for record in asked.sink][-1] == "request"


async def test_a_summary_is_plain_text_in_one_user_message():
    """Case 37."""
    asked = Asked(lambda body: SAID if body["model"] == "small" else "Fine.", summarizer="small")
    work = [message for nth in range(60) for message in step(nth, "seen " * 100)]
    await asked([user("look"), *work, {"role": "assistant", "content": "ok"}, *LONG])
    for body in asked.bodies:
        if body["model"] == "small":
            assert {message["role"] for message in body["messages"]} <= {"system", "user"}
            assert "tools" not in body


@pytest.mark.parametrize("wrapped", [False, True])
async def test_another_client_writes_summaries(wrapped):
    other = ModelServer(SAID, window=8_000)
    client = other.client(max_retries=0)
    if wrapped:
        client = agentmaker.wrap(client, window=8_000, sinks=())
    asked = Asked(summarizer=client)
    with structlog.testing.capture_logs() as events:
        assert SAID in await recap_of(asked)
    assert len(asked.server.requests) == 1
    assert len(other.requests) >= 1
    summaries = [record for record in asked.sink if record.purpose == "summary"]
    assert len(summaries) == len(other.requests)
    assert summaries[0].usage.prompt_tokens == other.requests[0].prompt_tokens
    assert events == []


async def test_a_client_of_ours_writes_summaries():
    with ModelServer(SAID, window=8_000) as other:
        llm = LLMClient(
            "ours", model="small", base_url=other.base_url, api_key="k", context_window=8_000
        )
        async with llm:
            asked = Asked(summarizer=llm)
            assert SAID in await recap_of(asked)
    assert {request.body["model"] for request in other.requests} == {"small"}


async def test_a_scripted_model_writes_summaries():
    llm = ScriptedLLM(lambda messages: SAID, context_window=8_000)
    assert SAID in await recap_of(Asked(summarizer=llm))
    assert llm.calls


async def test_the_summariser_s_own_window_is_the_one_that_counts():
    """Cases 25 and 26."""
    small = ModelServer(SAID, window=3_000)
    asked = Asked(
        summarizer=agentmaker.wrap(small.client(), window=3_000, sinks=()),
        window=32_000,
        server={"window": 32_000},
    )
    recap = await recap_of(asked, [*talk(700), *QUESTION])
    assert SAID in recap
    assert len(small.requests) > 1
    assert all(request.status == 200 for request in small.requests)


def raises(text, instruction):
    raise RuntimeError("no")


def nothing(text, instruction):
    return None


def blank(text, instruction):
    return " \n"


def longer(text, instruction):
    return text + text


def rubbish(text, instruction):
    return {"summary": text}


CUT = {
    "choices": [
        {
            "index": 0,
            "finish_reason": "length",
            "message": {"role": "assistant", "content": f"{SAID} And"},
        }
    ]
}
THINKING = {
    "choices": [
        {
            "index": 0,
            "finish_reason": "length",
            "message": {"role": "assistant", "content": None, "reasoning_content": SAID},
        }
    ]
}


@pytest.mark.parametrize(
    "summarizer",
    [
        raises,
        nothing,
        blank,
        longer,
        rubbish,
        ScriptedLLM(lambda messages: CUT),
        ScriptedLLM(lambda messages: THINKING),
        ScriptedLLM([]),
    ],
    ids=["raises", "nothing", "blank", "longer", "rubbish", "cut", "thinking", "used up"],
)
async def test_a_bad_summary_is_no_summary_and_the_extract_stands_in(summarizer):
    """Cases 20, 22, 23, 29 and 34."""
    without = await recap_of(Asked())
    asked = Asked(summarizer=summarizer)
    assert await recap_of(asked) == without
    assert sum(record.purpose == "summary" for record in asked.sink) <= 2


async def test_a_summariser_that_refuses_as_a_server_is_no_summary():
    other = ModelServer(SAID, window=200)
    asked = Asked(summarizer=other.client(max_retries=0))
    assert await recap_of(asked) == await recap_of(Asked())


async def test_a_summariser_that_hangs_ends_with_the_call():
    asked = Asked(summarizer=ModelServer(Delay(Gate(), then=SAID)).client(max_retries=0))
    before = copy.deepcopy(LONG)
    with anyio.move_on_after(0.1) as limit:
        await asked(LONG)
    assert limit.cancelled_caught
    assert before == LONG
    assert asked.server.requests == ()
    assert [record.purpose for record in asked.sink] == ["summary"]


async def test_a_trajectory_is_summarised_too():
    work = [message for nth in range(60) for message in step(nth, f"seen r{nth} " * 60)]
    asked = Asked(summarizer=plain_work)
    await asked([user("look at it all"), *work])
    assert any(SAID in text_of(each) for each in asked.sent[-1])


def plain_work(text, instruction):
    return SAID


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (5, "must be a client, a model name or a function, not 5"),
        ("", "must be a client"),
        (ScriptedLLM, "not ScriptedLLM"),
        (openai.AsyncOpenAI, "not AsyncOpenAI"),
    ],
)
def test_who_cannot_write_is_refused(given, words):
    with pytest.raises(ConfigError, match=words):
        read_summarizer(given)


def test_nobody_is_asked_by_default():
    assert read_summarizer(None) is None


@pytest.mark.parametrize("given", [lambda text, instruction: "short", "gpt-4o-mini"])
def test_a_summariser_that_names_no_window_holds_no_more_than_the_model(given):
    summarizer = read_summarizer(given)
    assert summarizer.model("gpt-4o", 4_000, None).window == 4_000
