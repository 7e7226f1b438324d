"""Requests that leave as bytes are, byte for byte, those that leave as a body."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime
from typing import Any

import httpx
import openai
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openai.resources.chat import completions as resource

import agentmaker
from agentmaker import AgentmakerConfig
from agentmaker.calls.sdk import ready
from tests.calls.talk import assistant, calls, result, system, user
from tests.clients.asking import TOOL

LONG = [user("q"), assistant("a")] * 20 + [user("now")]

PICTURE = {"type": "image_url", "image_url": {"url": "u"}}

REPLY = {
    "id": "c",
    "object": "chat.completion",
    "created": 0,
    "model": "m",
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"content": "Fine."}}],
}


class Posted:
    """A client of an in-process server, which keeps how it was posted to and what came."""

    def __init__(
        self,
        kind: type[openai.OpenAI] = openai.OpenAI,
        send: str = "auto",
        window: int = 10**6,
        dialect: str | None = None,
        **made: Any,
    ) -> None:
        self.bytes: list[bytes] = []
        self.headers: list[httpx.Headers] = []
        self.urls: list[str] = []
        self.ways: list[str] = []
        http = httpx.Client(transport=httpx.MockTransport(self._answer))
        given = {"base_url": "http://in-process.invalid/v1", "api_key": "none", **made}
        if "azure_endpoint" in made:
            del given["base_url"]
        self.plain = kind(http_client=http, **given)
        config = AgentmakerConfig(send=send)  # type: ignore[arg-type]
        self.client: Any = agentmaker.wrap(
            self.plain, window=window, sinks=(), config=config, dialect=dialect
        )

    def _answer(self, request: httpx.Request) -> httpx.Response:
        self.bytes.append(request.content)
        self.headers.append(request.headers)
        self.urls.append(str(request.url))
        return httpx.Response(200, json=REPLY)

    def create(self, messages: Any = LONG, **given: Any) -> bytes:
        self.client.chat.completions.create(model="m", messages=messages, **given)
        return self.bytes[-1]


class Noticing(openai.OpenAI):
    """Notes in what form a request is posted, which makes it one that looks at bodies."""

    def _prepare_options(self, options: Any) -> Any:
        assert options.content is None
        assert options.json_data["messages"]
        return super()._prepare_options(options)


class Renaming(openai.OpenAI):
    """Calls every tool by another name, in the body that is about to leave."""

    def _prepare_options(self, options: Any) -> Any:
        for tool in options.json_data["tools"]:
            tool["function"]["name"] += "_here"
        return super()._prepare_options(options)


@pytest.fixture
def joined(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The lengths of the bodies that were joined of ready bytes."""
    lengths: list[int] = []
    write = ready.bytes_of

    def counting(call: Any) -> bytes | None:
        made = write(call)
        lengths.append(len(made or b""))
        return made

    monkeypatch.setattr("agentmaker.calls.sdk.posted.bytes_of", counting)
    return lengths


texts = st.text(max_size=20) | st.sampled_from(["é", "\ud83d", "</x>", '"', "\u2028"])
turns = st.one_of(
    texts.map(lambda text: [user(text)]),
    texts.map(lambda text: [assistant(text)]),
    texts.map(lambda text: [calls("c", arguments=json.dumps({"a": text})), result("c", text)]),
    st.just([system("in between")]),
    st.just(
        [user([{"type": "text", "text": "t"}, {"type": "image_url", "image_url": {"url": "u"}}])]
    ),
    st.floats(allow_nan=False, allow_infinity=False).map(
        lambda number: [{**user("n"), "weight": number}]
    ),
)
given_params = st.fixed_dictionaries(
    {},
    optional={
        "tools": st.just([TOOL]),
        "temperature": st.floats(0, 2),
        "response_format": st.just({"type": "json_object"}),
        "extra_body": st.dictionaries(st.sampled_from(["top_k", "é"]), st.sampled_from("aé")),
        "metadata": st.just({"a": "é"}),
    },
)


@settings(max_examples=60)
@given(st.lists(turns, min_size=1, max_size=6), given_params)
def test_which_way_a_request_took_cannot_be_seen(found: list[Any], params: dict[str, Any]) -> None:
    talk = [*LONG[:20], *(message for turn in found for message in turn), user("last")]
    ways = [Posted(send=send) for send in ("auto", "body")]
    for end in (len(talk) - 1, len(talk)):
        one, other = (way.create(talk[:end], **params) for way in ways)
        assert one == other
    assert [dict(each) for each in ways[0].headers] == [dict(each) for each in ways[1].headers]


def test_a_long_request_leaves_as_bytes_and_a_short_one_as_a_body(joined: list[int]) -> None:
    posted = Posted()
    posted.create(LONG[: ready.LEAST_MESSAGES - 1])
    assert joined == []
    sent = posted.create(LONG)
    assert joined == [len(sent)]


@pytest.mark.parametrize("base", ["/v1", "/v1/", "", "/a%20b/v1", "/v1?key=1"])
@pytest.mark.parametrize("query", [{}, {"version": "2"}])
def test_they_go_where_the_sdk_would_send_them(
    base: str, query: dict[str, str], joined: list[int]
) -> None:
    made = {"base_url": f"http://in-process.invalid{base}", "default_query": query}
    ready, body = Posted(**made), Posted(send="body", **made)
    ready.create(), body.create()

    assert len(joined) == 1
    assert ready.urls == body.urls


def test_a_stream_and_a_raw_response_may_leave_as_bytes_too(joined: list[int]) -> None:
    posted = Posted()
    posted.client.chat.completions.with_raw_response.create(model="m", messages=LONG)
    posted.create(stream=True, stream_options=None)
    assert len(joined) == 2


def test_who_looks_at_bodies_gets_one(joined: list[int]) -> None:
    Posted(Noticing).create()
    assert joined == []


@pytest.mark.parametrize("send", ["auto", "body", "create"])
def test_who_changes_bodies_changes_nothing_that_is_remembered(send: str) -> None:
    posted = Posted(Renaming, send)
    first, again = (posted.create([user()], tools=[TOOL]) for _ in range(2))
    assert first == again
    assert b'"look_here"' in first


@pytest.mark.parametrize("name", ["post", "request", "_build_request", "_prepare_options"])
def test_so_does_a_method_put_on_the_client(name: str, joined: list[int]) -> None:
    posted = Posted()
    seen: list[Any] = []
    method = getattr(posted.plain, name)

    def look(*given: Any, **named: Any) -> Any:
        seen.append(given)
        return method(*given, **named)

    setattr(posted.plain, name, look)
    posted.client = agentmaker.wrap(posted.plain, window=10**6, sinks=())
    posted.create()
    assert len(seen) == 1
    assert joined == []


def test_so_does_a_method_put_on_the_class(
    monkeypatch: pytest.MonkeyPatch, joined: list[int]
) -> None:
    method = openai.OpenAI.request

    def look(*given: Any, **named: Any) -> Any:
        return method(*given, **named)

    monkeypatch.setattr(openai.OpenAI, "request", look)
    Posted().create()
    assert joined == []


class Passing:
    """Wraps a method and passes for it, as proxies of tracers do."""

    def __init__(self, method: Any, seen: list[Any]) -> None:
        self.method = method
        self.seen = seen

    def __get__(self, client: Any, kind: Any) -> Any:
        return Passing(self.method.__get__(client, kind), self.seen)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.method, name)

    def __hash__(self) -> int:
        return hash(self.method)

    def __eq__(self, other: object) -> bool:
        return bool(self.method == other)

    def __call__(self, *given: Any, **named: Any) -> Any:
        self.seen.append(named)
        return self.method(*given, **named)


def test_so_does_what_passes_for_a_method_of_the_class(
    monkeypatch: pytest.MonkeyPatch, joined: list[int]
) -> None:
    seen: list[Any] = []
    posted = Posted()
    posted.create()
    assert len(joined) == 1
    monkeypatch.setattr(openai.OpenAI, "post", Passing(openai.OpenAI.post, seen))
    posted.create()
    assert len(joined) == 1
    assert [each["body"]["model"] for each in seen] == ["m"]


def test_so_does_the_log(caplog: pytest.LogCaptureFixture, joined: list[int]) -> None:
    with caplog.at_level(logging.DEBUG, "openai._base_client"):
        Posted().create()
    assert joined == []


def test_so_does_azure_which_reads_the_model_in_it(joined: list[int]) -> None:
    azure: Any = openai.AzureOpenAI
    posted = Posted(azure, azure_endpoint="https://x.openai.azure.com", api_version="v")
    posted.create()
    assert joined == []


def test_so_does_a_content_type_of_the_caller_s(joined: list[int]) -> None:
    posted = Posted(default_headers={"content-type": "application/x+json"})
    posted.create()
    Posted().create(extra_headers={"Content-Type": "application/y+json"})
    assert joined == []


def test_what_only_the_sdk_can_write_is_left_to_it(joined: list[int]) -> None:
    at = datetime(2024, 5, 1, tzinfo=UTC)
    assert b'"at":"2024-05-01T00:00:00+00:00"' in Posted().create(extra_body={"at": at})
    assert b'"at":"2024-05-01T00:00:00+00:00"' in Posted().create(tools=[{**TOOL, "at": at}])
    with pytest.raises(ValueError, match="Out of range"):
        Posted().create(temperature=float("nan"))
    assert joined == [0, 0, 0]


def test_an_old_message_changed_in_place_leaves_as_it_is_now() -> None:
    posted, talk = Posted(), [dict(each) for each in LONG]
    posted.create(talk)
    talk[1]["content"] = "changed"
    assert json.loads(posted.create(talk))["messages"] == talk


def test_create_itself_is_called_where_that_is_wished(
    monkeypatch: pytest.MonkeyPatch, joined: list[int]
) -> None:
    posted = Posted(send="create")
    walked: list[int] = []
    transform = resource.completions.maybe_transform

    def look(*given: Any) -> Any:
        walked.append(1)
        return transform(*given)

    monkeypatch.setattr(resource.completions, "maybe_transform", look)
    sent = posted.create()
    assert json.loads(sent) == json.loads(Posted(send="body").create())
    assert walked == [1]
    assert joined == []
    posted.client.chat.completions.with_raw_response.create(model="m", messages=LONG)
    assert json.loads(posted.bytes[-1]) == json.loads(sent)
