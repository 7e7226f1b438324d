"""The server in process, through the real SDK."""

from __future__ import annotations

import functools
import json
import subprocess
import sys

import anyio
import httpx
import openai
import pytest

from agentmaker.calls.call import Usage
from agentmaker.errors import ConfigError
from agentmaker.testing import (
    OVERFLOWS,
    BrokenStream,
    Delay,
    Gate,
    ModelServer,
    ServerError,
    error_body,
    violations,
)

QUESTION = [{"role": "user", "content": "How are you?"}]
TOOLS = [{"type": "function", "function": {"name": "add", "parameters": {"type": "object"}}}]

pytestmark = pytest.mark.anyio


def words(text: str) -> int:
    """A counter whose sums can be checked by hand."""
    return len(text.split())


async def ask(server, messages=QUESTION, **params):
    async with server.client(max_retries=0) as client:
        return await client.chat.completions.create(model="m", messages=messages, **params)


async def test_the_default_reply_is_short_and_the_same_each_time():
    server = ModelServer()

    replies = [await ask(server), await ask(server)]

    assert [reply.choices[0].message.content for reply in replies] == ["I have read 1 message."] * 2
    assert replies[0].choices[0].finish_reason == "stop"
    assert replies[0].id != replies[1].id


async def test_the_usage_is_what_the_server_counted():
    server = ModelServer("four words of answer", counter=words)

    reply = await ask(server)

    counted = server.requests[0].prompt_tokens
    assert counted == 4 + 3 + 3  # framing, words, priming
    assert reply.usage.prompt_tokens == counted
    assert reply.usage.completion_tokens == 4
    assert reply.usage.total_tokens == counted + 4


async def test_tools_and_response_format_are_counted():
    server = ModelServer(counter=words)
    schema = {"type": "json_schema", "json_schema": {"name": "x", "schema": {"type": "object"}}}

    await ask(server)
    await ask(server, tools=TOOLS)
    await ask(server, response_format=schema)

    plain, tools, formatted = (request.prompt_tokens for request in server.requests)
    assert tools == plain + words(json.dumps(TOOLS))
    assert formatted == plain + words(json.dumps(schema))


async def test_the_default_counter_is_exact_where_splintr_is_present():
    pytest.importorskip("splintr")
    server = ModelServer()

    await ask(server, [{"role": "user", "content": "internationalization " * 10}])

    assert server.requests[0].prompt_tokens < 4 + 3 + 25


@pytest.mark.parametrize(
    "name", sorted(name for name in OVERFLOWS if OVERFLOWS[name](9, 8, 1)[0] == 400)
)
async def test_a_prompt_that_is_too_long_is_refused_in_the_chosen_words(name):
    server = ModelServer(window=12, counter=words, overflow=name)

    with pytest.raises(openai.BadRequestError) as caught:
        await ask(server, [{"role": "user", "content": "word " * 20}])

    expected = OVERFLOWS[name](27, 12, 0)[1]
    text = expected if isinstance(expected, str) else json.dumps(expected)
    assert caught.value.response.text == text
    assert server.requests[0].status == 400


async def test_a_refusal_is_no_stream_even_when_one_was_asked_for():
    with pytest.raises(openai.BadRequestError, match="maximum context length is 12 tokens"):
        await ask(
            ModelServer(window=12, counter=words),
            [{"role": "user", "content": "a " * 20}],
            stream=True,
        )


async def test_prompt_and_requested_output_share_the_window():
    server = ModelServer(window=20, counter=words)  # the prompt takes 10

    await ask(server, max_tokens=10)
    await ask(server, max_completion_tokens=10)
    with pytest.raises(openai.BadRequestError, match="10 in the messages, 11 in the completion"):
        await ask(server, max_tokens=11)

    assert [request.output_tokens for request in server.requests] == [10, 10, 11]
    assert [request.status for request in server.requests] == [200, 200, 400]


async def test_a_prompt_that_leaves_no_room_for_a_reply_is_refused():
    await ask(ModelServer(window=11, counter=words))
    with pytest.raises(openai.BadRequestError):
        await ask(ModelServer(window=10, counter=words))


async def test_without_a_window_everything_fits():
    await ask(ModelServer(window=None), [{"role": "user", "content": "word " * 50_000}])


async def test_an_output_above_the_models_own_limit_is_refused():
    server = ModelServer(max_output_tokens=100)

    await ask(server, max_tokens=100)
    with pytest.raises(openai.BadRequestError, match="supports at most 100 completion tokens"):
        await ask(server, max_tokens=101)


async def test_a_wording_of_your_own_is_a_function():
    server = ModelServer(
        window=5,
        counter=words,
        overflow=lambda *numbers: (413, {"error": {"message": str(numbers)}}),
    )

    with pytest.raises(openai.APIStatusError, match=r"\(10, 5, 7\)") as caught:
        await ask(server, max_tokens=7)
    assert caught.value.status_code == 413


ORPHAN = [*QUESTION, {"role": "tool", "tool_call_id": "c1", "content": "ok"}]


async def test_an_invalid_history_is_refused_by_name():
    server = ModelServer()

    with pytest.raises(openai.BadRequestError, match="answers no call") as caught:
        await ask(server, ORPHAN)

    assert caught.value.code == "orphan_result"
    assert caught.value.param == "messages[1].tool_call_id"
    assert caught.value.type == "invalid_request_error"


async def test_several_faults_are_counted():
    with pytest.raises(openai.BadRequestError, match=r"and 1 more"):
        await ask(ModelServer(), [*ORPHAN, {"role": "user", "content": ""}])


async def test_a_lenient_server_takes_anything_and_counts_it():
    server = ModelServer(strict=False, counter=words)

    await ask(server, [*ORPHAN, {"role": "robot", "content": "a b c"}, "not a message"])

    assert server.requests[0].prompt_tokens > 10


async def test_stricter_templates_are_a_function_of_the_body():
    server = ModelServer(strict=functools.partial(violations, alternation=True))

    with pytest.raises(openai.BadRequestError, match="must alternate"):
        await ask(server, QUESTION * 2)


async def test_replies_come_in_order_and_then_the_mistake_is_named():
    server = ModelServer(["one", {"role": "assistant", "content": "two"}])

    assert [(await ask(server)).choices[0].message.content for _ in range(2)] == ["one", "two"]
    with pytest.raises(openai.InternalServerError, match="2 scripted replies are used up"):
        await ask(server)


async def test_a_mistake_in_the_script_is_not_retried():
    server = ModelServer([])

    async with server.client() as client:
        with pytest.raises(openai.InternalServerError):
            await client.chat.completions.create(model="m", messages=QUESTION)

    assert len(server.requests) == 1


async def test_a_function_that_fails_is_seen_by_the_client():
    def fail(body):
        raise KeyError("nowhere")

    with pytest.raises(openai.InternalServerError, match="KeyError: 'nowhere'"):
        await ask(ModelServer(fail))


async def test_a_whole_completion_is_sent_as_it_is():
    choice = {
        "index": 0,
        "finish_reason": "length",
        "message": {"role": "assistant", "content": ""},
    }
    server = ModelServer({"id": "mine", "choices": [choice], "usage": {"prompt_tokens": 7}})

    reply = await ask(server)

    assert (reply.id, reply.choices[0].finish_reason) == ("mine", "length")
    assert Usage.from_wire(reply.usage) == Usage(prompt_tokens=7)


async def test_server_errors_are_sent_as_they_are():
    limit = ServerError(429, error_body("slow down", code="rate"), {"retry-after": "7"})

    with pytest.raises(openai.RateLimitError, match="slow down") as caught:
        await ask(ModelServer(limit))

    assert caught.value.code == "rate"
    assert caught.value.response.headers["retry-after"] == "7"


async def test_an_error_and_then_a_reply_is_a_script_for_retries():
    server = ModelServer([ServerError(503, error_body("busy"), {"retry-after-ms": "1"}), "here"])

    async with server.client(max_retries=1) as client:
        reply = await client.chat.completions.create(model="m", messages=QUESTION)

    assert reply.choices[0].message.content == "here"
    assert [request.status for request in server.requests] == [503, 200]


async def test_a_gate_holds_a_reply_until_it_is_opened():
    gate, replies = Gate(), []
    server = ModelServer(Delay(gate, then="late"))

    async def run() -> None:
        replies.append(await ask(server))

    with anyio.fail_after(10):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run)
            while not server.requests:
                await anyio.wait_all_tasks_blocked()
            assert replies == []
            gate.open()

    assert replies[0].choices[0].message.content == "late"


async def test_seconds_of_delay_end_by_themselves():
    assert (await ask(ModelServer(Delay(0.001, then="soon")))).choices[0].message.content == "soon"


async def test_the_clients_timeout_holds_in_process():
    server = ModelServer(Delay(Gate()))

    with pytest.raises(openai.APITimeoutError):
        await ask(server, timeout=0.01)


async def test_a_plain_reply_can_break_too():
    with pytest.raises(openai.APIConnectionError):
        await ask(ModelServer(BrokenStream()))


async def test_cached_tokens_follow_the_common_prefix():
    server = ModelServer(counter=words)
    long = [{"role": "user", "content": "a " * 100}]

    first = await ask(server, long)
    second = await ask(server, [*long, {"role": "assistant", "content": "b"}, *QUESTION])
    third = await ask(server, QUESTION)
    other = await ask(server, long, extra_body={"prompt_cache_key": "other"})

    cached = [
        reply.usage.prompt_tokens_details.cached_tokens for reply in (first, second, third, other)
    ]
    assert cached[0] == cached[3] == 0
    assert 0.5 < cached[1] / second.usage.prompt_tokens < 1
    assert cached[2] < third.usage.prompt_tokens
    assert [request.cached_tokens for request in server.requests] == cached


async def test_the_same_request_again_is_cached_whole():
    server = ModelServer(counter=words)

    await ask(server)

    assert (await ask(server)).usage.prompt_tokens_details.cached_tokens == 10


async def test_several_choices_are_the_same_reply():
    reply = await ask(ModelServer("yes"), n=3)

    assert [choice.index for choice in reply.choices] == [0, 1, 2]
    assert {choice.message.content for choice in reply.choices} == {"yes"}


async def test_the_model_is_listed_with_its_window():
    async with ModelServer(window=4_096, model="small").client() as client:
        (listed,) = [model async for model in client.models.list()]
        found = await client.models.retrieve("small")
        with pytest.raises(openai.NotFoundError):
            await client.models.retrieve("other")

    assert listed == found
    assert listed.model_extra["context_length"] == 4_096


async def test_a_wrong_key_is_refused():
    server = ModelServer(api_key="right")

    await ask(server)
    async with server.client(api_key="wrong") as client:
        with pytest.raises(openai.AuthenticationError):
            await client.chat.completions.create(model="m", messages=QUESTION)

    (seen,) = server.requests
    assert "right" not in str(seen)


async def test_the_newest_requests_are_kept():
    server = ModelServer(keep=2)

    for text in "abc":
        await ask(server, [{"role": "user", "content": text}])

    assert [request.messages[0]["content"] for request in server.requests] == ["b", "c"]


@pytest.mark.parametrize(
    ("method", "path", "content", "status"),
    [
        ("GET", "/v1/nothing", b"", 404),
        ("DELETE", "/v1/models", b"", 404),
        ("POST", "/v1/chat/completions", b"{", 400),
        ("POST", "/v1/chat/completions", b"\xff", 400),
        ("POST", "/v1/chat/completions", b"[]", 400),
    ],
)
@pytest.mark.parametrize("face", ["transport", "app"])
async def test_other_requests_get_an_error_in_json(method, path, content, status, face):
    server = ModelServer()
    transport = server.transport() if face == "transport" else httpx.ASGITransport(server.app)

    async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
        response = await client.request(method, path, content=content)

    assert response.status_code == status
    assert response.json()["error"]["type"] == "invalid_request_error"


async def test_a_stream_is_pulled_piece_by_piece_in_process():
    gate = Gate()
    server = ModelServer(Delay(gate, then="one two three", after=1))
    body = {"model": "m", "messages": QUESTION, "stream": True}

    async with (
        httpx.AsyncClient(transport=server.transport(), base_url="http://test/v1") as client,
        client.stream("POST", "/chat/completions", json=body) as response,
    ):
        lines = response.aiter_lines()
        seen = [await anext(lines) for _ in range(3)]
        gate.open()
        seen += [line async for line in lines]

    assert '"one "' in seen[2]
    assert seen[-2:] == ["data: [DONE]", ""]


async def test_the_app_serves_streams_to_any_asgi_client():
    server = ModelServer("Hello there.")
    body = {"model": "m", "messages": QUESTION, "stream": True}

    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(server.app), base_url="http://test/v1"
    ) as client:
        response = await client.post("/chat/completions", json=body)

    assert response.headers["content-type"].startswith("text/event-stream")
    assert response.text.endswith("data: [DONE]\n\n")


@pytest.mark.parametrize("number", [0, "8000", 0.5])
@pytest.mark.parametrize("option", ["window", "max_output_tokens", "keep"])
def test_what_is_no_number_from_one_is_refused(option, number):
    with pytest.raises(ConfigError, match=f"{option}.* whole number of at least 1"):
        ModelServer(**{option: number})


def test_an_unknown_wording_is_refused_with_the_known_ones():
    with pytest.raises(ConfigError, match=r"llama\.cpp.*vllm, not 'clippy'"):
        ModelServer(overflow="clippy")


def test_a_server_nobody_stopped_does_not_hold_up_exit():
    program = "from agentmaker.testing import ModelServer; ModelServer().start(); print('up')"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=30, check=False
    )
    assert (done.returncode, done.stdout) == (0, "up\n")
