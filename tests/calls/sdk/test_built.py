"""A completion is the one that the SDK would have made, whatever the server sent."""

from __future__ import annotations

from typing import Any

import httpx
import openai
import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai.types.chat import ChatCompletion

import agentmaker
from agentmaker.calls.sdk.built import built_completion

REPLY = {
    "id": "c",
    "object": "chat.completion",
    "created": 0,
    "model": "m",
    "choices": [
        {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Fine."}}
    ],
}


class Casting(openai.OpenAI):
    """Keeps what replies are cast to."""

    cast_to: Any = None

    def _process_response(self, *, cast_to: Any, **given: Any) -> Any:
        self.cast_to = cast_to
        return super()._process_response(cast_to=cast_to, **given)


def asked(reply: dict[str, Any], kind: type[openai.OpenAI] = openai.OpenAI, **made: Any) -> Any:
    """A wrapped client's answer where a server sends *reply*, and the client."""

    def answer(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, json=reply, headers={"x-request-id": "r1"})

    http = httpx.Client(transport=httpx.MockTransport(answer))
    plain = kind(api_key="k", base_url="http://in-process.invalid/v1", http_client=http, **made)
    client = agentmaker.wrap(plain, window=8_000, sinks=())
    messages: Any = [{"role": "user", "content": "Hi"}]
    return client.chat.completions.create(model="m", messages=messages), client


odd = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=4)
odder = odd | st.lists(odd, max_size=2) | st.dictionaries(st.text(max_size=4), odd, max_size=2)


def perhaps(usual: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Nearly always what a server sends, and anything now and then."""
    return st.one_of(*[usual] * 9, odder)


def objects(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """With any of the fields missing, and one that nobody knows."""
    usual = {name: perhaps(each) for name, each in fields.items()}
    whole = st.fixed_dictionaries(usual, optional={"unknown": odder})
    return whole | st.fixed_dictionaries({}, optional={**usual, "unknown": odder})


calls = objects(
    id=st.text(max_size=4),
    type=st.sampled_from(["function", "custom"]),
    function=objects(name=st.just("look"), arguments=st.just("{}")),
    custom=objects(name=st.just("look"), input=st.just("here")),
)
messages = objects(
    role=st.just("assistant"),
    content=st.none() | st.text(max_size=4),
    refusal=st.none(),
    reasoning_content=st.text(max_size=4),
    tool_calls=st.lists(calls, max_size=2),
)
choices = objects(
    index=st.integers(0, 2),
    finish_reason=st.sampled_from(["stop", "length", "tool_calls", "eos"]),
    logprobs=st.none(),
    message=messages,
)
counts = st.integers(0, 9)
completions = objects(
    id=st.text(max_size=4),
    object=st.just("chat.completion"),
    created=counts,
    model=st.text(max_size=4),
    service_tier=st.sampled_from(["default", "turbo"]),
    choices=st.lists(choices, max_size=2),
    usage=objects(
        prompt_tokens=counts,
        completion_tokens=counts,
        total_tokens=counts,
        prompt_tokens_details=objects(cached_tokens=counts),
    ),
)


@given(data=completions)
def test_it_is_what_the_sdk_makes_of_the_same(data: dict[str, Any]) -> None:
    built, made = (
        built_completion().build(response=None, data=data),
        ChatCompletion.construct(**data),
    )
    assert type(built) is ChatCompletion
    assert repr(built) == repr(made)
    for unset in (True, False):
        dumps = [each.model_dump(exclude_unset=unset, warnings=False) for each in (built, made)]
        assert repr(dumps[0]) == repr(dumps[1])


@pytest.mark.parametrize("data", ["words", [1], 5, None])
def test_what_is_no_object_stays_as_it_is(data: object) -> None:
    assert built_completion().build(response=None, data=data) == data


def test_a_user_gets_the_sdk_s_own_object_with_the_id_of_its_request() -> None:
    completion, _ = asked(REPLY)
    assert type(completion) is ChatCompletion
    assert completion._request_id == "r1"


def test_a_client_that_is_strict_stays_strict() -> None:
    completion, _ = asked(REPLY, _strict_response_validation=True)
    assert completion.choices[0].message.content == "Fine."
    with pytest.raises(openai.APIResponseValidationError):
        asked({**REPLY, "created": "today"}, _strict_response_validation=True)


def test_a_client_of_another_class_is_told_the_sdk_s_own() -> None:
    completion, client = asked(REPLY, Casting)
    assert client.cast_to is ChatCompletion
    assert completion == ChatCompletion.construct(**REPLY)
