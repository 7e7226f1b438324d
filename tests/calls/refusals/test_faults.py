from __future__ import annotations

import json

import httpx
import openai
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmaker.calls.refusals.faults import MOST_WORDS, fault_in, fault_of
from agentmaker.calls.refusals.overflow import Overflow, Quota
from agentmaker.errors import ContextOverflow, LLMRequestError

REQUEST = httpx.Request("POST", "http://testserver/v1/chat/completions")
LONG = "The prompt is too long: 9,000 tokens, maximum 8,192"
PAGE = "<!DOCTYPE html>\n<html><head><title>{title}</title></head><pre>{words}</pre></html>"


def kind_of(body, status=400):
    fault = fault_of(body, status)
    return fault.kind if fault else None


def refused(body, status=400, **headers):
    """What the SDK raises for a response."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    response = httpx.Response(status, content=content, headers=headers, request=REQUEST)
    with openai.OpenAI(api_key="k", base_url="http://testserver/v1", max_retries=0) as client:
        return client._make_status_error_from_response(response)


KINDS = [
    # by codes
    (400, {"message": "no", "code": "context_length_exceeded"}, "overflow"),
    (429, {"message": "slow down", "code": "context_length_exceeded"}, "overflow"),
    (400, {"message": "no", "type": "exceed_context_size_error"}, "overflow"),
    (400, {"message": "no", "type": "ContextWindowExceededError"}, "overflow"),
    (400, {"message": "no", "code": "input_too_long"}, "overflow"),
    (413, {"message": "over the maximum size", "type": "request_too_large"}, "overflow"),
    (413, {"message": "over the TPM rate limit", "type": "request_too_large"}, "rate_limit"),
    (400, {"message": "no", "code": "string_above_max_length", "param": "messages[4].content"},
     "overflow"),
    (400, {"message": "no", "code": "string_above_max_length", "param": "user"}, "bad_request"),
    (400, {"message": "no", "code": "rate_limit_exceeded"}, "rate_limit"),
    (400, {"message": "no", "code": "content_filter"}, "content_filter"),
    (429, {"message": "no", "code": "insufficient_quota"}, "auth"),
    # by a code among the words
    (409, {"message": "[context_window_exceeded] The agent gave up"}, "overflow"),
    (500, {"message": "it ended with ResponseType.INPUT_LENGTH_ERROR"}, "overflow"),
    (409, {"message": "context_window_size is too large in a text that names it"}, "bad_request"),
    # by the status
    (401, {"message": LONG}, "auth"),
    (402, {"message": LONG}, "auth"),
    (403, {"message": "no"}, "auth"),
    (404, {"message": "no such model"}, "bad_request"),
    (429, {"message": LONG}, "rate_limit"),
    (500, {"message": "no"}, "server"),
    (503, {"message": "the model is loading"}, "server"),
    # by the words
    *((status, {"message": LONG}, "overflow") for status in (400, 413, 422, 500, 502)),
    (400, {"message": "Too many tokens, please wait before trying again."}, "rate_limit"),
    (400, {"message": "You exceeded your current quota, check your billing"}, "auth"),
    (429, {"message": "You exceeded your current quota, billing. Retry in 5 s"}, "rate_limit"),
    (400, {"message": "API key not valid"}, "auth"),
    (401, {"message": "rejected by our safety system"}, "content_filter"),
    (400, {"message": f"{LONG}, less a safety margin"}, "overflow"),
    (400, {"message": "CUDA out of memory"}, "server"),
    (413, {"message": "Request of 45,000 tokens is over the tokens-per-minute limit of 30,000"},
     "rate_limit"),
    (400, {"message": "You have exceeded the token limit for your plan"}, "rate_limit"),
    (400, {"message": "context deadline exceeded"}, "server"),
    (500, {"message": "Jinja Exception: roles must alternate"}, "bad_request"),
    (400, {"message": "max_tokens is too large: 9000, at most 4096"}, "bad_request"),
]  # fmt: skip


@pytest.mark.parametrize(("status", "error", "kind"), KINDS)
def test_cases_43_to_47_a_refusal_is_understood_by_codes_then_status_then_words(
    status, error, kind
):
    assert kind_of({"error": error}, status) == kind
    assert fault_in(refused({"error": error}, status)).kind == kind
    assert kind_of(error, status) == kind
    assert kind_of([{"error": error}], status) == kind
    assert kind_of(json.dumps({"error": error}), status) == kind


@pytest.mark.parametrize("code", [400, "400", None, 3051, "3051", {"a": 1}, ["x"], 4.5, True])
def test_case_44_a_number_is_no_overflow_whatever_its_type(code):
    assert kind_of({"error": {"message": "no", "code": code}}) == "bad_request"


@pytest.mark.parametrize(
    ("status", "error", "code"),
    [
        (400, {"code": 400}, ""),
        (400, {"code": "400", "type": "BadRequestError"}, "BadRequestError"),
        (400, {"code": 3051}, "3051"),
        (400, {"code": "3051"}, "3051"),
        (400, {"code": "invalid_prompt", "type": "context_length_exceeded"},
         "context_length_exceeded"),
        (200, {"code": 502, "status": "UNAVAILABLE"}, "UNAVAILABLE"),
        (200, {"code": 502}, ""),
    ],
)  # fmt: skip
def test_case_44_the_code_is_the_server_s_own_name_and_not_the_status_again(status, error, code):
    assert fault_of({"error": {"message": "no", **error}}, status).code == code


def test_an_overflow_brings_its_sizes():
    message = "context of 8,192 tokens; you requested 9,300 (9,000 in the prompt, 300 in the reply)"
    fault = fault_of({"error": {"message": message, "code": "context_length_exceeded"}}, 400)
    assert fault.overflow == Overflow(
        message=message, limit=8_192, prompt=9_000, output=300, total=9_300
    )


def test_sizes_under_names_of_their_own_come_before_the_words():
    facts = {"n_ctx": 256, "n_prompt_tokens": 1_407}
    fault = fault_of({"error": {"message": LONG, **facts}}, 400)
    assert (fault.overflow.limit, fault.overflow.prompt) == (256, 1_407)


def test_case_46_a_request_over_the_whole_quota_is_a_rate_limit_that_no_wait_lifts():
    words = "Request too large on tokens per minute (TPM): Limit 6000, Requested 14810, reduce it"
    fault = fault_of({"error": {"message": words}}, 413)
    assert (fault.kind, fault.quota) == ("rate_limit", Quota(limit=6_000, requested=14_810))
    assert fault.quota.exceeds


def test_a_code_is_no_size_of_a_quota():
    words = "tokens per minute 40000 reached, this request has 41233 tokens"
    fault = fault_of({"error": {"message": words, "code": 50_603}}, 429)
    assert fault.quota == Quota(limit=40_000, requested=41_233)


def test_where_only_the_code_tells_that_the_prompt_is_too_long_its_sizes_are_read_too():
    words = "Body over the bounds of this model. Max size: 8000 tokens."
    fault = fault_of({"error": {"message": words, "code": "tokens_limit_reached"}}, 413)
    assert (fault.kind, fault.overflow.limit) == ("overflow", 8_000)


@pytest.mark.parametrize(
    "body",
    [
        PAGE.format(title="Error", words=f"Error: {LONG}<br> &nbsp; &nbsp;at next (/a.js:12:5)"),
        PAGE.format(title=LONG, words="Bad Request"),
        f"<pre>Error: {LONG}</pre>",
        f"<?xml version='1.0'?>\n<Error><Code>Invalid</Code><Message>{LONG}</Message></Error>",
    ],
)
@pytest.mark.parametrize("status", [400, 413, 500])
def test_case_43_an_overflow_in_a_page_or_in_xml_is_one(body, status):
    fault = fault_of(body, status)
    assert fault.kind == "overflow"
    assert LONG in fault.message
    assert (fault.overflow.limit, fault.overflow.prompt) == (8_192, 9_000)


@pytest.mark.parametrize("status", [502, 504])
def test_a_page_of_a_gateway_is_the_server_s_and_its_title_the_message(status):
    words = "The origin took too long to respond, and the request exceeded the limit of the gateway"
    fault = fault_of(PAGE.format(title=f"{status}: Bad gateway", words=words), status)
    assert (fault.kind, fault.message) == ("server", f"{status}: Bad gateway")


def test_the_status_of_a_success_is_the_one_the_body_states():
    body = {"error": {"message": "temporarily rate-limited", "code": 429}}
    fault = fault_of(body, 200)
    assert (fault.kind, fault.status) == ("rate_limit", 429)
    assert fault_of({"error": {"message": "no"}}, 200).status is None
    assert fault_of(body, 500).status == 500


def test_the_words_of_the_host_tell_more_than_those_of_its_relay():
    raw = json.dumps({"error": {"message": LONG}})
    relayed = {"message": "Provider returned error", "code": 400, "metadata": {"raw": raw}}
    assert fault_of({"error": relayed}, 400).message == LONG

    relayed["metadata"]["raw"] = "the host is being restarted, so nothing came back"
    assert fault_of({"error": relayed}, 400).message == relayed["metadata"]["raw"]


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"message": "no", "param": LONG, "hint": LONG}},
        {"error": {"message": "no"}, "request": {"messages": [{"content": LONG}]}},
        {"detail": [{"loc": ["body", "x"], "msg": "Field required", "input": {"text": LONG}}]},
        PAGE.format(title="413 Request Entity Too Large", words="nginx/1.18.0"),
        PAGE.format(title="Bad Request", words="Bad Request - Request Too Long"),
        PAGE.format(title="Bad Request", words="The size of the request headers is too long."),
        "413 Request Entity Too Large",
        "",
        None,
        [],
        7,
    ],
)
@pytest.mark.parametrize("status", [400, 413])
def test_case_47_words_that_are_no_message_do_not_count(body, status):
    assert kind_of(body, status) == "bad_request"


@pytest.mark.parametrize("status", [200, None])
@pytest.mark.parametrize(
    "body",
    [
        None,
        "",
        {},
        "Hello!",
        {"choices": [{"message": {"content": f"Error: {LONG}"}}]},
        {"object": "chat.completion.chunk", "choices": [{"delta": {"content": LONG}}]},
        {"choices": [], "warning": "context length nearly exceeded: 3900 of 4096 tokens"},
        {"choices": [], "code": 20_000, "msg": "success"},
        {"choices": [], "detail": "done"},
        PAGE.format(title="Help", words=LONG),
        {"type": "response.output_text.delta", "delta": LONG},
    ],
)
def test_what_is_no_error_has_no_fault(body, status):
    assert fault_of(body, status) is None


@pytest.mark.parametrize("status", [200, None])
@pytest.mark.parametrize(
    "body",
    [
        {"type": "error", "code": "context_length_exceeded", "message": "no"},
        {"type": "response.failed", "response": {"error": {"message": LONG}}},
        {"message": LONG},
        {"choices": [{"delta": {}}], "error": {"message": LONG}},
        {"choices": [], "error": {"message": LONG}},
        [{"error": {"message": LONG}}],
        {"header": {"code": 10_907, "message": LONG}},
    ],
)
def test_an_overflow_in_the_guise_of_a_success_is_one(body, status):
    assert kind_of(body, status) == "overflow"


def test_an_event_without_a_status_or_a_name_is_the_server_s_fault():
    assert kind_of({"error": {"message": "something broke"}}, None) == "server"
    assert kind_of({"error": {"message": "invalid tool choice"}}, None) == "bad_request"


# What an exception says.


def test_case_43_an_error_that_is_a_string_or_a_list_is_read_from_the_body():
    assert fault_in(refused({"error": LONG})).kind == "overflow"
    assert fault_in(refused([{"error": {"message": LONG}}])).kind == "overflow"
    assert fault_in(refused(LONG.encode())).kind == "overflow"


def test_without_a_body_the_response_and_then_the_message_are_read():
    response = httpx.Response(400, text=LONG, request=REQUEST)
    unread = httpx.Response(400, stream=httpx.ByteStream(b""), request=REQUEST)
    for error in (
        openai.BadRequestError("no", response=response, body=None),
        openai.BadRequestError(LONG, response=unread, body=None),
        openai.APIError(LONG, REQUEST, body=None),
    ):
        assert fault_in(error).kind == "overflow"


def test_an_event_of_a_stream_has_the_status_it_states():
    fault = fault_in(openai.APIError("no", REQUEST, body={"message": "no", "code": 502}))
    assert (fault.kind, fault.status) == ("server", 502)


def test_code_and_type_of_the_exception_count_too():
    error = openai.APIError("no", REQUEST, body="no")
    error.code = "context_length_exceeded"
    assert fault_in(error).kind == "overflow"


def test_an_answer_that_could_not_be_read_is_a_fault_only_if_it_says_so():
    response = httpx.Response(200, request=REQUEST)
    read = openai.APIResponseValidationError
    assert fault_in(read(response, {"choices": None})) is None
    assert fault_in(read(response, {"error": LONG})).kind == "overflow"


@pytest.mark.parametrize(
    "error",
    [
        ValueError(LONG),
        openai.APIConnectionError(message=LONG, request=REQUEST),
        openai.APITimeoutError(REQUEST),
        httpx.ReadError(LONG),
        LLMRequestError(LONG),
        ContextOverflow(LONG, needed=2, room=1),
    ],
)
def test_an_error_that_no_server_sent_has_no_fault(error):
    assert fault_in(error) is None


# Whatever is sent.

KEYS = [
    "error",
    "message",
    "code",
    "type",
    "detail",
    "param",
    "n_ctx",
    "metadata",
    "raw",
    "choices",
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9) | st.just(LONG),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner),
    max_leaves=12,
)


@given(JSON, st.sampled_from([None, 200, 400, 413, 429, 500, 599]))
def test_case_43_no_body_is_too_odd_to_be_looked_at(body, status):
    fault = fault_of(body, status)
    assert fault is not None or status in (None, 200)
    if status is not None and status >= 400:
        fault_in(refused(body, status))


@given(JSON, st.randoms())
def test_the_order_of_the_keys_does_not_matter(body, random):
    assert fault_of(shuffled(body, random), 400) == fault_of(body, 400)


def shuffled(body, random):
    if isinstance(body, list):
        return [shuffled(each, random) for each in body]
    if not isinstance(body, dict):
        return body
    items = [(key, shuffled(value, random)) for key, value in body.items()]
    random.shuffle(items)
    return dict(items)


@given(st.text() | st.binary())
def test_no_text_is_too_odd_to_be_looked_at(body):
    assert fault_of(body, 400).status == 400


@pytest.mark.parametrize(
    "piece",
    ["a", "1", "{\"", "{\"a\":", "[", "12 ", "1+", "prompt exceeds ", "must ", "reduc", "输a", "aB",
     "1,234", "request length ", "max ", "<script",
     "<a", "<html>", "<p>a", "a_", "by ", "kv cache ", ". ", "exceed by ", "\\", "\n"],
)  # fmt: skip
def test_a_megabyte_of_anything_is_read_before_the_test_times_out(piece):
    text = piece * (1_000_000 // len(piece))
    for body in (text, {"error": {"message": text}}, {"code": text}):
        fault = fault_of(body, 400)
        assert len(fault.message) <= MOST_WORDS


@pytest.mark.parametrize(
    "body",
    [
        {"violations": [{"field": "messages", "message": "must be at most 900 tokens"}]},
        {"error": "AssertionError", "traceback": "in prefill\nprompt len 1200 >= max len 900"},
        {"ok": False, "why": "too many tokens in prompt"},
    ],
)
def test_what_a_field_or_a_trace_says_is_read(body):
    assert kind_of(body, 400) == "overflow"


def test_an_event_that_holds_its_error_as_text_is_read():
    data = '{"code": "prompt_too_long", "limit_tokens": 900}'
    assert kind_of({"event": "error", "data": data}, 200) == "overflow"


def test_a_page_without_a_title_is_read_from_its_response():
    page = "<p>Prompt is too long: 9214 tokens, at most 4096</p>"
    response = httpx.Response(413, text=page, request=httpx.Request("POST", "/"))
    error = openai.APIStatusError("Error code: 413", response=response, body=page)
    found = fault_in(error)
    assert found is not None
    assert found.kind == "overflow"
