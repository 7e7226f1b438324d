from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmaker.calls.overflow import Overflow, overflow_in
from agentmaker.testing import OVERFLOWS

LATER = ("gemini", "ollama-truncated", "openrouter-200")
PLAIN = sorted(OVERFLOWS.keys() - set(LATER))


class Refused(Exception):
    """What the SDK raises: it takes the outer ``error`` off a body."""

    def __init__(self, body: Any, status: int | None = 400) -> None:
        super().__init__("refused")
        self.body = body.get("error", body) if isinstance(body, dict) else body
        if status is not None:
            self.status_code = status


def read(message: str, status: int | None = 400, **facts: Any) -> Overflow | None:
    return overflow_in(Refused({"error": {"message": message, **facts}}, status))


@pytest.mark.parametrize("name", PLAIN)
@pytest.mark.parametrize(("prompt", "output"), [(13_055, 0), (13_055, 512), (4_000, 512)])
def test_a_prompt_that_was_refused_as_too_long_is_an_overflow(name, prompt, output):
    status, body = OVERFLOWS[name](prompt, 4_096, output)
    found = overflow_in(Refused(body, status))
    assert found is not None
    assert found.limit in (4_096, None)
    assert found.prompt in (prompt, None)


@pytest.mark.parametrize("name", sorted(OVERFLOWS.keys() - {"ollama-truncated"}))
def test_the_other_wordings_never_raise(name):
    status, body = OVERFLOWS[name](13_055, 4_096, 0)
    overflow_in(Refused(body, status))


STATED = [
    ("This model's maximum context length is 4,097 tokens, however you requested 4,130 tokens "
     "(130 in your prompt; 4,000 for the completion). Please reduce your prompt.",
     4_097, 130, None),
    ("This model's maximum context length is 8192 tokens. However, you requested 8192 tokens "
     "(815 in the messages, 7377 in the completion). Please reduce the length of the messages.",
     8_192, 815, None),
    ("This model's maximum context length is 4096 tokens. However, your messages resulted in "
     "4363 tokens. Please reduce the length of the messages.", 4_096, 4_363, None),
    ("This model's maximum context length is 2048 tokens. However, your request has 8 input "
     "tokens plus 2045 'max_tokens'. Please reduce one or the other.", 2_048, 8, None),
    ("'max_tokens' is too large: 4096. This model's maximum context length is 4096 tokens and "
     "your request has 40 input tokens (4096 > 4096 - 40).", 4_096, 40, None),
    ("request (216286 tokens) exceeds the available context size (196608 tokens), try "
     "increasing it", 196_608, 216_286, None),
    ("Requested token count exceeds the model's maximum context length of 131072 tokens.",
     131_072, None, None),
    ("The input (516368 tokens) is longer than the model's context length (262144 tokens).",
     262_144, 516_368, None),
    ("This model's maximum prompt length is 131072 but the request contains 537812 tokens, "
     "which is too long.", 131_072, 537_812, None),
    ("prompt too long; exceeded max context length by 100918 tokens", None, None, 100_918),
    ("The number of tokens to keep from the initial prompt is greater than the context length "
     "(n_keep: 13055>= n_ctx: 4096).", None, None, None),
    ("Context size has been exceeded.", None, None, None),
]  # fmt: skip


@pytest.mark.parametrize(("message", "limit", "prompt", "excess"), STATED)
def test_what_a_server_says_of_the_sizes_is_read(message, limit, prompt, excess):
    expected = Overflow(message=message, limit=limit, prompt=prompt, excess=excess)
    assert read(message) == expected
    assert overflow_in(Refused({"error": message})) == expected
    assert overflow_in(Refused({"error": {"error": {"message": message}}})) == expected


def test_facts_of_their_own_come_before_the_words():
    found = read("too long", type="exceed_context_size_error", n_ctx=256, n_prompt_tokens=1_407)
    assert found == Overflow(message="too long", limit=256, prompt=1_407)


@pytest.mark.parametrize("code", ["context_length_exceeded", "exceed_context_size_error"])
def test_a_code_is_enough(code):
    assert read("no", code=code) is not None
    assert read("no", code=code, status=None) is not None


@pytest.mark.parametrize(
    ("message", "status"),
    [
        ("Too many tokens, please wait before trying again.", 429),
        ("Too many tokens: the context length is exceeded, please wait.", None),
        ("Rate limit reached: tokens per min (TPM): Limit 6000, context window exceeded", 400),
        ("Request too large for the model on tokens per minute (TPM), please reduce it", 413),
        ("You exceeded your current quota for context length", None),
        ("maximum context length is 4096 tokens, reduce it", 429),
        ("maximum context length is 4096 tokens, reduce it", 503),
    ],
)
def test_case_46_a_rate_limit_is_never_an_overflow(message, status):
    assert read(message, status) is None


@pytest.mark.parametrize(
    "message",
    [
        "max_tokens must be less than or equal to 8000, which is below the `context_window`",
        "max_tokens is too large: 9000. This model supports at most 4096 completion tokens.",
        "max_tokens must be at least 1, got -186.",
        "Unsupported parameter: 'max_tokens' is not supported with this model.",
        "Chat template error: System message must be at the beginning.",
        "unexpected end of data: line 1 column 133 (char 132)",
        "Request Entity Too Large",
        "",
    ],
)
def test_case_47_a_bad_request_with_words_like_it_is_none(message):
    assert read(message) is None


def test_case_47_words_outside_the_message_do_not_count():
    assert read("no", param="context length exceeded", hint="prompt is too long") is None


@pytest.mark.parametrize("code", [400, "400", None, 3051, {"a": 1}, ["context_length_exceeded"]])
def test_case_44_codes_of_any_kind_are_looked_at_without_a_fault(code):
    assert read("no", code=code) is None


def test_what_no_server_sent_is_none():
    assert overflow_in(ValueError("maximum context length is 5 tokens, exceeded")) is None


json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=9)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(["error", "message", "code", "n_ctx"]), inner, max_size=3),
    ),
    max_leaves=9,
)


@given(json_values, st.sampled_from([None, 400, 413, 500, 599]))
def test_case_43_no_body_is_too_odd_to_be_looked_at(body, status):
    overflow_in(Refused(body, status))
