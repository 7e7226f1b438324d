"""The SDK's whole surface: what a wrapped client sends and gives is what the bare one does."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec
from typing import Any

import openai
import pydantic
import pytest
from openai.types.chat import ChatCompletionMessage, ChatCompletionUserMessageParam
from openai.types.chat.chat_completion_message_function_tool_call import (
    ChatCompletionMessageFunctionToolCall,
)

from agentmaker.calls.sdk import ready
from tests.clients.asking import QUESTION, TOOL, step, user
from tests.clients.comparing import Server, awaited, blocked, wrapped

pytestmark = pytest.mark.anyio


@pytest.fixture(params=["as a body", "as bytes"], autouse=True)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of it is so whether requests are posted as a body or as bytes that are ready."""
    if request.param == "as bytes":
        monkeypatch.setattr(ready, "LEAST_MESSAGES", 1)


LIBRARIES = [name for name in ("httpx", "httpx2") if find_spec(name)]
if openai.VERSION < "3":
    LIBRARIES = ["httpx"]


class Answer(pydantic.BaseModel):
    number: int


class OfTheUser(pydantic.BaseModel):
    role: str
    content: str
    name: str | None = None


CALL = ChatCompletionMessageFunctionToolCall(
    id="c1", type="function", function={"name": "look", "arguments": '{"a": 1}'}
)
SAID = ChatCompletionMessage(role="assistant", content=None, tool_calls=[CALL])
THOUGHT = ChatCompletionMessage.model_validate(
    {"role": "assistant", "content": "Fine.", "reasoning_content": "Hm.", "refusal": None}
)
PICTURE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,aaaa"}}
SOUND = {"type": "input_audio", "input_audio": {"data": "aaaa", "format": "wav"}}
FUNCTION = TOOL["function"]
ANSWERED = {"role": "tool", "tool_call_id": "c1", "content": "seen"}


def create(**arguments: Any) -> Any:
    """A call of ``create`` with these arguments, its one-off iterators made anew."""

    def ask(client: Any) -> Any:
        fresh = {name: each() if callable(each) else each for name, each in arguments.items()}
        return client.chat.completions.create(**{"model": "m", "messages": QUESTION, **fresh})

    return ask


def typed(*text: str) -> dict[str, Any]:
    parts: list[Any] = [{"type": "text", "text": each} for each in text]
    return {"role": "user", "content": parts}


MESSAGES = {
    "sdk objects": lambda: [*QUESTION, SAID, ANSWERED, THOUGHT, user("And?")],
    "typed dictionaries": lambda: [ChatCompletionUserMessageParam(role="user", content="q")],
    "pydantic models": lambda: [
        OfTheUser(role="user", content="q"),
        OfTheUser(role="user", content="r", name="n"),
    ],
    "unknown keys": lambda: [{**user("q"), "cache_control": {"type": "ephemeral"}}, *step(1)],
    "a generator": lambda: (each for each in [*QUESTION, *step(1), *step(2)]),
    "a tuple": lambda: tuple(QUESTION),
    "parts": lambda: [typed("a", "b")],
    "a picture and a sound": lambda: [
        {"role": "user", "content": [PICTURE, SOUND, *typed("q")["content"]]}
    ],
    "a generator of parts": lambda: [
        {"role": "user", "content": (p for p in typed("a", "b")["content"])}
    ],
    "a tuple of parts": lambda: [{"role": "user", "content": tuple(typed("a", "b")["content"])}],
    "a generator of calls": lambda: [
        *QUESTION,
        {**step(1)[0], "tool_calls": (call for call in step(1)[0]["tool_calls"])},
        step(1)[1],
    ],
    "calls that are sdk objects": lambda: [
        *QUESTION,
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        ANSWERED,
    ],
    "keys not given": lambda: [
        {**user("q"), "name": openai.NOT_GIVEN},
        {"role": "assistant", "content": "a", "tool_calls": openai.NOT_GIVEN, "audio": openai.omit},
        user("r"),
    ],
    "keys that are none": lambda: [
        {**user("q")},
        {"role": "assistant", "content": "a", "audio": None, "refusal": None},
        user("r"),
    ],
    "a developer": lambda: [{"role": "developer", "content": "rules"}, *QUESTION],
    "a name": lambda: [{**user("q"), "name": "bob"}],
    "an assistant's audio": lambda: [
        user("q"),
        {"role": "assistant", "audio": {"id": "a1"}},
        user("r"),
    ],
    "a refusal": lambda: [
        user("q"),
        {"role": "assistant", "content": None, "refusal": "no"},
        user("r"),
    ],
    "custom calls": lambda: [
        user("q"),
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c", "type": "custom", "custom": {"name": "n", "input": "free"}}],
        },
        {"role": "tool", "tool_call_id": "c", "content": "ok"},
    ],
    "a legacy function": lambda: [
        user("q"),
        {
            "role": "assistant",
            "content": None,
            "function_call": {"name": "look", "arguments": "{}"},
        },
        {"role": "function", "name": "look", "content": "seen"},
    ],
    "a prefill": lambda: [user("q"), {"role": "assistant", "content": "It is", "prefix": True}],
}

PARAMETERS: dict[str, dict[str, Any]] = {
    "several choices": {"n": 3},
    "log probabilities": {"logprobs": True, "top_logprobs": 2},
    "predicted output": {"prediction": {"type": "content", "content": "def f(): ..."}},
    "predicted parts": {
        "prediction": lambda: {"type": "content", "content": (p for p in typed("a")["content"])}
    },
    "audio": {"modalities": ["text", "audio"], "audio": {"voice": "alloy", "format": "wav"}},
    "stored": {"store": True, "metadata": {"k": "v"}},
    "legacy functions": {"functions": [FUNCTION], "function_call": {"name": "look"}},
    "a generator of functions": {"functions": lambda: (each for each in [FUNCTION])},
    "tools": {"tools": [TOOL], "tool_choice": "auto", "parallel_tool_calls": False},
    "a generator of tools": {"tools": lambda: (each for each in [TOOL])},
    "a custom tool": {
        "tools": [{"type": "custom", "custom": {"name": "n", "format": {"type": "text"}}}]
    },
    "a tool with keys not given": {
        "tools": [
            {
                "type": "function",
                "function": {**FUNCTION, "strict": openai.NOT_GIVEN, "description": openai.omit},
            }
        ]
    },
    "web search": {
        "web_search_options": {
            "user_location": {"type": "approximate", "approximate": {"city": "B"}}
        }
    },
    "a response format": {"response_format": {"type": "json_object"}},
    "a schema": {
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "s", "strict": openai.NOT_GIVEN, "schema": {"type": "object"}},
        }
    },
    "caps": {"max_tokens": 100, "max_completion_tokens": 200},
    "none": {"temperature": None, "stop": None, "seed": None, "stream": None, "metadata": None},
    "no tools": {"tools": None, "response_format": None},
    "not given": {
        "temperature": openai.NOT_GIVEN,
        "stop": openai.omit,
        "tools": openai.omit,
        "stream": openai.omit,
    },
    "stops": {"stop": ("a", "b")},
    "biases": {"logit_bias": {"1": -100}},
    "reasoning": {"reasoning_effort": "low", "verbosity": "low", "service_tier": "auto"},
    "a user": {"user": "u", "safety_identifier": "s", "prompt_cache_key": "k"},
    "headers": {"extra_headers": {"x-mine": "1", "authorization": "Bearer other"}},
    "a header left out": {"extra_headers": {"x-stainless-lang": openai.omit}},
    "a query": {"extra_query": {"v": "2", "list": ["a", "b"]}},
    "an extra body": {"extra_body": {"top_k": 5, "temperature": 0.2}},
    "an extra body that leaves out": {
        "temperature": 1,
        "extra_body": {"temperature": openai.omit, "top_k": 1},
    },
    "an extra model": {"extra_body": {"model": "other"}},
    "no extras": {"extra_headers": None, "extra_query": None, "extra_body": None},
    "a timeout": {"timeout": 7.5},
    "no timeout": {"timeout": None},
    "a stream": {"stream": True},
    "a stream with usage": {"stream": True, "stream_options": {"include_usage": True}},
    "a stream of several choices": {"stream": True, "n": 2},
    "no stream": {"stream": False},
    "no model": {"model": openai.omit},
    "a misspelt one": {"temprature": 1},
    "a model class": {"response_format": lambda: Answer},
}

ON = {"model": "m", "messages": QUESTION}


def by_post(client: Any) -> Any:
    options = {
        "headers": {"x-mine": "1"},
        "idempotency_key": "k",
        "params": {"v": "1"},
        "timeout": 3,
    }
    return client.post(
        "/chat/completions", body={**ON}, cast_to=openai.types.chat.ChatCompletion, options=options
    )


WAYS = {
    "parse": lambda c: c.chat.completions.parse(**ON, response_format=Answer),
    "parse with tools": lambda c: c.chat.completions.parse(
        **ON, tools=[openai.pydantic_function_tool(Answer)]
    ),
    "parse in beta": lambda c: c.beta.chat.completions.parse(**ON, response_format=Answer),
    "create in beta": lambda c: c.beta.chat.completions.create(**ON),
    "stream": lambda c: c.chat.completions.stream(**ON),
    "stream of a model": lambda c: c.chat.completions.stream(**ON, response_format=Answer),
    "stream in beta": lambda c: c.beta.chat.completions.stream(**ON),
    "raw": lambda c: c.chat.completions.with_raw_response.create(**ON),
    "raw stream": lambda c: c.chat.completions.with_raw_response.create(**ON, stream=True),
    "raw parse": lambda c: c.chat.completions.with_raw_response.parse(**ON, response_format=Answer),
    "raw from the client": lambda c: c.with_raw_response.chat.completions.create(**ON),
    "raw from chat": lambda c: c.chat.with_raw_response.completions.create(**ON),
    "by hand": lambda c: c.chat.completions.with_streaming_response.create(**ON),
    "by hand, a stream": lambda c: c.chat.completions.with_streaming_response.create(
        **ON, stream=True
    ),
    "by hand, parse": lambda c: c.chat.completions.with_streaming_response.parse(
        **ON, response_format=Answer
    ),
    "options": lambda c: c.with_options(
        timeout=9, max_retries=4, default_headers={"x-d": "1"}
    ).chat.completions.create(**ON),
    "another server": lambda c: c.with_options(base_url="http://other/v2").chat.completions.create(
        **ON
    ),
    "a copy": lambda c: c.copy(default_query={"v": "1"}, organization="o").chat.completions.create(
        **ON
    ),
    "post": by_post,
    "stored ones": lambda c: c.chat.completions.list(),
    "a stored one": lambda c: c.chat.completions.retrieve("c1"),
    "a stored one's change": lambda c: c.chat.completions.update("c1", metadata={"k": "v"}),
    "a stored one's end": lambda c: c.chat.completions.delete("c1"),
    "a stored one's messages": lambda c: c.chat.completions.messages.list("c1"),
    "embeddings": lambda c: c.embeddings.create(model="e", input="x", encoding_format="float"),
    "legacy completions": lambda c: c.completions.create(model="m", prompt="x"),
    "files": lambda c: c.files.list(),
    "models": lambda c: c.models.list(),
    "moderations": lambda c: c.moderations.create(input="x"),
    "responses": lambda c: c.responses.create(model="m", input="x"),
}

ASKED = {
    **{f"messages: {name}": create(messages=each) for name, each in MESSAGES.items()},
    **{name: create(**each) for name, each in PARAMETERS.items()},
    **WAYS,
}
ANSWER = '{"number": 4}'
PLAIN = {"base_url": "http://server.invalid/v1", "api_key": "k", "max_retries": 0}


@pytest.fixture
def anyio_backend():
    """The SDK leaves its generators to the garbage collector, which trio reports as a fault."""
    return "asyncio"


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("ask", ASKED.values(), ids=ASKED.keys())
@pytest.mark.filterwarnings("ignore:responses.create is not budgeted")
async def test_what_is_asked_of_a_client_is_sent_and_given_as_without_wrapping(ask, library):
    bare, other = Server(library, ANSWER), Server(library, ANSWER)
    expected = await awaited(ask, openai.AsyncOpenAI(**PLAIN, http_client=bare.http()))
    client = wrapped(openai.AsyncOpenAI(**PLAIN, http_client=other.http()))
    assert await awaited(ask, client) == expected
    assert other.sent == bare.sent


AZURE = {"api_key": "k", "api_version": "v", "azure_endpoint": "https://x.openai.azure.com"}
DEPLOYMENTS: dict[str, dict[str, Any]] = {
    "by the model": {},
    "by name": {"azure_deployment": "mine"},
    "by a token": {"api_key": None, "azure_ad_token": "t"},
}
OF_AZURE = ("a stream", "tools", "headers", "parse", "raw", "options", "a copy", "models", "post")


@pytest.mark.parametrize("deployment", DEPLOYMENTS.values(), ids=DEPLOYMENTS.keys())
@pytest.mark.parametrize("name", OF_AZURE)
async def test_so_it_is_of_azure(name, deployment):
    bare, other = Server("httpx", ANSWER), Server("httpx", ANSWER)
    given = {**AZURE, **deployment}
    expected = await awaited(ASKED[name], openai.AsyncAzureOpenAI(**given, http_client=bare.http()))
    client = wrapped(openai.AsyncAzureOpenAI(**given, http_client=other.http()))
    assert await awaited(ASKED[name], client) == expected
    assert other.sent == bare.sent
    blocks = openai.AzureOpenAI(**given, http_client=Server("httpx").http(blocking=True))
    with wrapped(blocks) as client:
        assert isinstance(client, openai.AzureOpenAI)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 422, 429, 500, 503])
@pytest.mark.parametrize("stream", [False, True])
async def test_errors_are_those_of_the_sdk(status, stream):
    bare, other = Server("httpx", status=status), Server("httpx", status=status)
    ask = create(stream=stream)
    expected = await awaited(ask, openai.AsyncOpenAI(**PLAIN, http_client=bare.http()))
    client = wrapped(openai.AsyncOpenAI(**PLAIN, http_client=other.http()))
    assert await awaited(ask, client) == expected
    assert other.sent == bare.sent
    assert issubclass(expected[0], openai.APIStatusError)


async def test_what_is_sent_again_is_the_same_but_for_the_sdk_s_count_of_it():
    bare, other = Server("httpx", failures=2), Server("httpx", failures=2)
    patient = {**PLAIN, "max_retries": 2}
    await awaited(create(), openai.AsyncOpenAI(**patient, http_client=bare.http()))
    await awaited(create(), wrapped(openai.AsyncOpenAI(**patient, http_client=other.http())))
    assert len(bare.sent) == len(other.sent) == 3
    for one, again in zip(bare.sent, other.sent, strict=True):
        headers = {
            **again.headers,
            "x-stainless-retry-count": one.headers["x-stainless-retry-count"],
        }
        assert replace(again, headers=headers) == one


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("ask", ASKED.values(), ids=ASKED.keys())
@pytest.mark.filterwarnings("ignore:responses.create is not budgeted")
def test_so_it_is_by_a_client_that_blocks(ask, library):
    bare, other = Server(library, ANSWER), Server(library, ANSWER)
    expected = blocked(ask, openai.OpenAI(**PLAIN, http_client=bare.http(blocking=True)))
    client = wrapped(openai.OpenAI(**PLAIN, http_client=other.http(blocking=True)))
    assert blocked(ask, client) == expected
    assert other.sent == bare.sent
