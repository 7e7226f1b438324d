from __future__ import annotations

import json
import sys
from types import SimpleNamespace

import httpx
import openai
import pytest
from openai.types.chat import ChatCompletion

from agentmaker.calls.sdk.failures import answer_in, failure_in, in_sdk_terms, response_of

RESPONSE = httpx.Response(200, request=httpx.Request("POST", "http://model.invalid/v1"))


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (400, openai.BadRequestError),
        (401, openai.AuthenticationError),
        (403, openai.PermissionDeniedError),
        (404, openai.NotFoundError),
        (409, openai.ConflictError),
        (413, openai.APIStatusError),
        (422, openai.UnprocessableEntityError),
        (429, openai.RateLimitError),
        (503, openai.InternalServerError),
    ],
)
def test_case_53_an_inner_status_makes_the_sdk_s_own_error(code, kind):
    body = {"error": {"message": "no luck", "code": code}}
    error = failure_in(ChatCompletion.construct(**body), None)
    assert type(error) is kind
    assert (error.status_code, error.response.json()) == (code, body)
    assert "no luck" in str(error)


def test_one_without_a_status_has_the_request_of_its_stream():
    error = failure_in({"type": "error", "message": "no luck"}, RESPONSE)
    assert type(error) is openai.APIError
    assert error.request is RESPONSE.request


@pytest.mark.parametrize("healthy", [{"choices": [], "usage": {"prompt_tokens": 5}}, {}, None])
def test_what_says_of_no_error_is_none(healthy):
    assert failure_in(healthy, None) is None


def test_an_answer_is_handed_on_and_so_is_what_only_the_caller_can_read():
    answer, other = ChatCompletion.construct(choices=[{}]), object()
    assert answer_in(answer) is answer
    assert answer_in(other) is other


def test_a_page_is_no_answer():
    with pytest.raises(openai.APIResponseValidationError) as error:
        answer_in("<html>welcome</html>")
    assert error.value.body == "<html>welcome</html>"


@pytest.mark.parametrize(
    ("raised", "kind"),
    [
        (httpx.ReadError("gone"), openai.APIConnectionError),
        (httpx.RemoteProtocolError("gone"), openai.APIConnectionError),
        (httpx.ReadTimeout("late"), openai.APITimeoutError),
        (json.JSONDecodeError("bad", "{", 0), openai.APIResponseValidationError),
    ],
)
def test_errors_within_a_stream_are_the_sdk_s(raised, kind):
    assert type(in_sdk_terms(raised, RESPONSE)) is kind


def test_so_are_those_of_the_other_http_library(monkeypatch):
    class Timeout(Exception): ...

    class Broken(Exception): ...

    other = SimpleNamespace(TimeoutException=Timeout, TransportError=Broken)
    monkeypatch.setitem(sys.modules, "httpx2", other)
    assert type(in_sdk_terms(Timeout(), RESPONSE)) is openai.APITimeoutError
    assert type(in_sdk_terms(Broken(), RESPONSE)) is openai.APIConnectionError


def test_errors_of_others_stay_what_they_are():
    error = ValueError("mine")
    assert in_sdk_terms(error, RESPONSE) is error


def test_a_made_up_response_holds_any_body():
    assert response_of(400, {"odd": object}).json()["odd"]
