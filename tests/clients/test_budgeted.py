"""The SDK's own ways of asking, through a wrapped client."""

from __future__ import annotations

import gc
import time
import warnings

import anyio
import httpx
import openai
import pydantic
import pytest

import agentmaker
from agentmaker.testing import (
    BrokenStream,
    Delay,
    Gate,
    MemorySink,
    ModelServer,
    ServerError,
    error_body,
)
from tests.clients.asking import QUESTION, TOOL, Asked, talk, user

pytestmark = pytest.mark.anyio


class Answer(pydantic.BaseModel):
    number: int


@pytest.fixture
def anyio_backend():
    """The SDK leaves its generators to the garbage collector, which trio reports as a fault."""
    return "asyncio"


async def test_the_time_of_a_call_begins_before_its_messages_are_read():
    times = []

    def messages():
        times.append(time.perf_counter())
        yield user("hi")

    async def note(call, next, /):
        times.append(call.started)
        return await next(call)

    await Asked(middleware=[note])(messages())
    assert times[1] <= times[0]


def test_a_wrapped_client_is_of_the_class_it_was():
    asked = Asked()
    assert isinstance(asked.client, openai.AsyncOpenAI)
    assert isinstance(asked.client, agentmaker.Model)
    assert type(asked.client).__name__ == "AsyncOpenAI"
    azure = openai.AsyncAzureOpenAI(
        api_key="k", api_version="v", azure_endpoint="https://x.openai.azure.com"
    )
    assert isinstance(agentmaker.wrap(azure), openai.AsyncAzureOpenAI)


async def test_an_azure_client_still_asks_its_deployment():
    server = ModelServer()
    http_client = httpx.AsyncClient(transport=server.transport())
    azure = openai.AsyncAzureOpenAI(
        api_key="k",
        api_version="v",
        azure_endpoint="https://x.openai.azure.com",
        http_client=http_client,
    )
    wrapped = agentmaker.wrap(azure, window=8_000, sinks=())
    with pytest.raises(openai.NotFoundError, match="/openai/deployments/mine/chat/completions"):
        await wrapped.chat.completions.create(model="mine", messages=QUESTION)


async def test_the_client_that_was_wrapped_stays_as_it_is():
    asked = Asked()
    await asked.plain.chat.completions.create(model="m", messages=QUESTION)
    assert len(asked.server.requests) == 1
    assert len(asked.sink) == 0


async def test_resources_used_before_wrapping_go_through_the_engine_afterwards():
    server = ModelServer("Fine.")
    plain = server.client()
    used = (plain.chat.completions, plain.with_raw_response.chat, plain.beta)
    assert all(used)
    sink = agentmaker.testing.MemorySink()
    wrapped = agentmaker.wrap(plain, window=8_000, sinks=[sink])
    await wrapped.chat.completions.create(model="m", messages=QUESTION)
    await wrapped.with_raw_response.chat.completions.create(model="m", messages=QUESTION)
    assert len(sink) == 2


async def test_create_gives_the_servers_own_completion():
    asked = Asked("Fine.")
    completion = await asked(temperature=0.5)
    assert isinstance(completion, openai.types.chat.ChatCompletion)
    assert completion.choices[0].message.content == "Fine."
    assert asked.bodies == [{"model": "m", "messages": QUESTION, "temperature": 0.5}]


async def test_a_model_s_reply_may_be_a_stream():
    asked = Asked("one two three four")
    reply = await asked.client.chat(QUESTION, model="m", stream=True)
    deltas = [delta async for delta in reply]
    assert "".join(delta.content for delta in deltas) == reply.content == "one two three four"


async def test_closing_the_wrapped_client_closes_the_connections_both_share():
    asked = Asked()
    async with asked.client as client:
        assert client is asked.client
    assert asked.plain.is_closed()


async def test_parse_is_budgeted_like_create():
    asked = Asked('{"number": 4}')
    completion = await asked.client.chat.completions.parse(
        model="m", messages=QUESTION, response_format=Answer
    )
    assert completion.choices[0].message.parsed == Answer(number=4)
    assert asked.sink.last.ledger["response_format"].used > 10
    assert asked.sink.last.usage.prompt_tokens == asked.server.requests[0].prompt_tokens


async def test_a_raw_post_of_a_chat_completion_is_budgeted_too():
    asked = Asked()
    completion = await asked.client.post(
        "/chat/completions",
        body={"model": "m", "messages": [*QUESTION]},
        cast_to=openai.types.chat.ChatCompletion,
    )
    assert completion.choices[0].message.content == "Fine."
    assert len(asked.sink) == 1


async def test_the_raw_response_can_be_had():
    asked = Asked("Fine.")
    raw = await asked.client.chat.completions.with_raw_response.create(model="m", messages=QUESTION)
    assert raw.status_code == 200
    assert raw.parse().choices[0].message.content == "Fine."
    assert asked.sink.last.usage.prompt_tokens == asked.server.requests[0].prompt_tokens
    assert asked.sink.last.finish_reason == "stop"


async def test_a_response_can_be_streamed_by_hand():
    asked = Asked("Fine.")
    by_hand = asked.client.chat.completions.with_streaming_response
    async with by_hand.create(model="m", messages=QUESTION) as response:
        completion = await response.parse()
    assert completion.choices[0].message.content == "Fine."


async def test_a_stream_is_the_sdks_own():
    asked = Asked("one two three four")
    stream = await asked(stream=True)
    assert isinstance(stream, openai.AsyncStream)
    chunks = [chunk async for chunk in stream]
    assert "".join(each.choices[0].delta.content or "" for each in chunks) == "one two three four"
    assert asked.bodies[0]["stream"] is True
    assert "stream_options" not in asked.bodies[0]
    assert asked.sink.last.usage is None


async def test_usage_asked_for_on_a_stream_reaches_caller_and_record():
    asked = Asked("one two three four")
    stream = await asked(stream=True, stream_options={"include_usage": True})
    chunks = [chunk async for chunk in stream]
    assert chunks[-1].usage.prompt_tokens == asked.server.requests[0].prompt_tokens
    assert asked.sink.last.usage.prompt_tokens == chunks[-1].usage.prompt_tokens
    assert (asked.sink.last.finish_reason, asked.sink.last.stream) == ("stop", True)


@pytest.mark.parametrize("leave", ["close", "with"])
async def test_a_reader_may_leave_a_stream_early(leave):
    """Case 77."""
    asked = Asked("one two three four five six seven")
    stream = await asked(stream=True)
    if leave == "close":
        async for _ in stream:
            break
        await stream.close()
    else:
        async with stream:
            async for _ in stream:
                break
    assert stream.response.is_closed
    assert len(asked.sink) == 1
    del stream
    gc.collect()


async def test_a_stream_that_breaks_is_recorded_with_its_error():
    asked = Asked(BrokenStream(after=2, then="one two three four five"))
    stream = await asked(stream=True)
    with pytest.raises((openai.APIConnectionError, httpx.TransportError)) as broken:
        async for _ in stream:
            pass
    assert asked.sink.last.outcome == type(broken.value).__name__


async def test_cancelling_a_reader_closes_the_stream():
    gate = Gate()
    asked = Asked(Delay(gate, then="one two three four", after=1))
    stream = await asked(stream=True)
    with anyio.move_on_after(0.05):
        async for _ in stream:
            pass
    assert stream.response.is_closed
    assert len(asked.sink) == 1


async def test_the_sdks_stream_helper_is_budgeted():
    asked = Asked("one two three four")
    async with asked.client.chat.completions.stream(model="m", messages=QUESTION) as stream:
        kinds = {event.type async for event in stream}
        final = await stream.get_final_completion()
    assert "content.delta" in kinds
    assert final.choices[0].message.content == "one two three four"
    assert len(asked.sink) == 1


async def test_copies_stay_budgeted_and_share_what_was_learnt():
    asked = Asked()
    copied = asked.client.with_options(timeout=5, max_retries=3)
    await copied.chat.completions.create(model="m", messages=QUESTION)
    assert len(asked.sink) == 1
    assert (copied.timeout, copied.engine.retries) == (5, 3)
    assert copied.engine.reader.views is asked.client.engine.reader.views
    assert isinstance(copied.copy().scoped(), openai.AsyncOpenAI)


async def test_what_was_learnt_of_a_server_s_limits_holds_for_that_server_only():
    asked = Asked(server={"window": 1_500, "overflow": "llama.cpp"}, output_tokens=300)
    elsewhere = asked.client.with_options(base_url="http://other.invalid/v1")
    for client in (asked.client, elsewhere, elsewhere.copy(), elsewhere.with_options(timeout=5)):
        await client.chat.completions.create(model="m", messages=[*talk(60), *QUESTION])
    there = elsewhere.with_options(base_url=asked.plain.base_url)
    await there.chat.completions.create(model="m", messages=[*talk(60), *QUESTION])
    assert [each.status for each in asked.server.requests] == [400, 200, 400, 200, 200, 200, 200]
    assert elsewhere.engine.reader.views is asked.client.engine.reader.views


async def test_a_copy_tries_as_often_as_it_says():
    busy = ServerError(503, error_body("busy"), {"retry-after-ms": "1"})
    asked = Asked([busy, busy, "Fine.", busy])
    patient = asked.client.with_options(max_retries=2)
    completion = await patient.chat.completions.create(model="m", messages=QUESTION)
    assert completion.choices[0].message.content == "Fine."
    with pytest.raises(openai.InternalServerError):
        await asked()
    assert [record.outcome for record in asked.sink] == [
        "InternalServerError",
        "InternalServerError",
        "ok",
        "InternalServerError",
    ]


async def test_a_key_set_on_the_wrapped_client_is_the_one_sent():
    asked = Asked(server={"api_key": "right"})
    asked.client.api_key = "wrong"
    with pytest.raises(openai.AuthenticationError):
        await asked()


async def test_other_resources_are_untouched():
    asked = Asked()
    assert [model.id async for model in asked.client.models.list()] == ["test-model"]
    assert len((await asked.client.embeddings.create(model="m", input="x")).data) == 1
    with pytest.raises(openai.NotFoundError, match="/v1/chat/completions/c1"):
        await asked.client.chat.completions.retrieve("c1")
    assert len(asked.sink) == 0


async def test_responses_pass_with_exactly_one_warning():
    asked = Asked()
    clients = (asked.client, asked.client.scoped(), asked.client.with_options(timeout=5))
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        for client in clients:
            with pytest.raises(openai.NotFoundError, match="/v1/responses"):
                await client.responses.create(model="m", input="x")
    assert [str(each.message) for each in seen] == [
        "responses.create is not budgeted by agentmaker.wrap: use chat.completions.create"
    ]
    assert seen[0].filename == __file__


@pytest.mark.parametrize("missing", ["model", "messages"])
async def test_the_sdk_says_what_is_missing(missing):
    asked = Asked()
    arguments = {"model": "m", "messages": QUESTION}
    del arguments[missing]
    with pytest.raises(TypeError, match="Missing required arguments"):
        await asked.client.chat.completions.create(**arguments)
    assert asked.server.requests == ()


async def test_arguments_by_position_are_refused_as_by_the_sdk():
    with pytest.raises(TypeError, match="positional argument"):
        await Asked().client.chat.completions.create("m", QUESTION)


async def test_parameters_nobody_here_knows_leave_as_they_came():
    asked = Asked()
    given = {
        "seed": 3,
        "n": 2,
        "functions": [TOOL["function"]],
        "function_call": "auto",
        "logit_bias": {"1": 2},
        "extra_body": {"top_k": 5},
        "user": openai.NOT_GIVEN,
        "tools": openai.NOT_GIVEN,
        "stop": openai.omit,
    }
    completion = await asked(**given)
    assert len(completion.choices) == 2
    assert asked.bodies[0] == {
        "model": "m",
        "messages": QUESTION,
        "seed": 3,
        "n": 2,
        "functions": [TOOL["function"]],
        "function_call": "auto",
        "logit_bias": {"1": 2},
        "top_k": 5,
    }


@pytest.mark.parametrize("absent", [openai.omit, openai.NOT_GIVEN, []])
async def test_tools_that_are_none_are_not_sent(absent):
    asked = Asked()
    await asked(tools=absent)
    assert "tools" not in asked.bodies[0]


async def test_headers_and_query_of_one_call_are_sent():
    asked = Asked()
    await asked(extra_headers={"x-mine": "1"}, extra_query={"v": "2"}, timeout=None)
    assert asked.server.requests[0].headers["x-mine"] == "1"


@pytest.mark.usefixtures("by_the_rule")
async def test_an_extra_body_is_budgeted_like_the_body():
    asked = Asked()
    long = [user(f"{nth} " + "word " * 300) for nth in range(60)]
    await asked(extra_body={"messages": [*long, *QUESTION], "max_tokens": 700})
    assert asked.sink.last.ledger["output"].used == 700
    assert asked.sink.last.ledger.dropped > 10_000
    assert asked.bodies[0]["max_tokens"] == 700


async def test_a_middleware_may_answer_by_itself():
    async def cached(call, next):
        return agentmaker.Reply(content="from the cache", model=call.model)

    asked = Asked(middleware=[cached])
    completion = await asked()
    assert completion.choices[0].message.content == "from the cache"
    assert (completion.choices[0].finish_reason, completion.model) == ("stop", "m")
    assert asked.server.requests == ()
    with pytest.raises(agentmaker.ConfigError, match="let streams pass to next"):
        await asked(stream=True)


async def test_an_overflow_is_a_bad_request_to_whoever_catches_those():
    asked = Asked(server={"window": 1_000})
    with pytest.raises(openai.BadRequestError) as refused:
        await asked([user("word " * 2_000)])
    assert isinstance(refused.value, agentmaker.ContextOverflow)
    assert refused.value.ledger.window == 8_000
    assert "maximum context length is 1000" in refused.value.provider_message


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
@pytest.mark.anyio
async def test_a_stream_left_by_its_reader_is_recorded_all_the_same():
    server, sink = ModelServer(), MemorySink()
    client = agentmaker.wrap(server.client(), window=8_000, sinks=[sink])
    messages = [{"role": "user", "content": "q"}]
    stream = await client.chat.completions.create(model="m", messages=messages, stream=True)
    async for _chunk in stream:
        break
    await stream.response.aclose()
    del stream, _chunk
    for _ in range(3):
        gc.collect()
        await anyio.lowlevel.checkpoint()
    assert len(sink.records) == 1


@pytest.mark.anyio
async def test_a_misspelt_argument_is_refused_as_the_sdk_does():
    client = agentmaker.wrap(ModelServer().client(), window=8_000, sinks=())
    messages = [{"role": "user", "content": "q"}]
    with pytest.raises(TypeError, match="temprature"):
        await client.chat.completions.create(model="m", messages=messages, temprature=0)
