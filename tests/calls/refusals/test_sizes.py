from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmaker.calls.refusals.overflow import Quota
from agentmaker.calls.refusals.plain import plain
from agentmaker.calls.refusals.sizes import proves, quota_in, sizes_in, sizes_of

STATED = [
    ("Our limit is 4,097 tokens, you requested 4,130 (130 in the prompt, 4,000 for the completion)",
     {"limit": 4_097, "total": 4_130, "prompt": 130, "output": 4_000}),
    ("max context length is 8k tokens; your messages resulted in 9,300 tokens",
     {"limit": 8_000, "prompt": 9_300}),
    ("request has 8 input tokens plus 2045 'max_tokens', window 2048",
     {"limit": 2_048, "prompt": 8, "output": 2_045}),
    ("max_tokens does not fit your input (4096 > 4096 - 40)",
     {"output": 4_096, "limit": 4_096, "prompt": 40}),
    ("prompt and reply exceed the window: 86_888 + 119_866 > 204_648",
     {"prompt": 86_888, "output": 119_866, "limit": 204_648}),
    ("8000 + 1000 = 9000 tokens, and the maximum is 8192",
     {"prompt": 8_000, "output": 1_000, "total": 9_000, "limit": 8_192}),
    ("The prompt is over: 214420 tokens > 200000 maximum", {"prompt": 214_420, "limit": 200_000}),
    ("initial prompt too long (n_keep: 13055>= n_ctx: 4096)", {"limit": 4_096, "prompt": 13_055}),
    ("Range of input length should be [1, 6000]", {"limit": 6_000}),
    ("prompt tokens (330095) exceed model maximum (278528)", {"prompt": 330_095, "limit": 278_528}),
    ("prompt too long; exceeded max context length by 100918 tokens", {"excess": 100_918}),
    ("your prompt is 512 tokens over", {"excess": 512}),
    ("total tokens exceed the model's max of 4096", {"limit": 4_096}),
    ("input + output tokens (9000) are above 8192", {"total": 9_000, "limit": 8_192}),
    ("400 the prompt has 70 tokens where 60 tokens max", {"prompt": 70, "limit": 60}),
    ("maximum context length is 3 tokens, 8 input tokens (parameter=input_tokens, value=8)",
     {"limit": 3, "prompt": 8}),
    ("This call asks 8192 tokens in total, limit 8192", {"limit": 8_192, "total": 8_192}),
    ("输入长度 9000 超过最大长度 8192", {"prompt": 9_000, "limit": 8_192}),
    ("slot context is full (4096/4096), prompt has 9214", {"limit": 4_096, "prompt": 9_214}),
    ("max_tokens is too large: 4096 context minus 9214 input tokens leaves no room",
     {"limit": 4_096, "prompt": 9_214}),
    ("The prompt is2614tokens and the context window is2048!", {"limit": 2_048, "prompt": 2_614}),
    ("this call holds 9214 prompt tokens and the deployment accepts 4096",
     {"limit": 4_096, "prompt": 9_214}),
    ("text prompt has 20767 tokens, max prompt/context tokens is 16384",
     {"limit": 16_384, "prompt": 20_767}),
    ("The prompt (total length 46921) is too long", {"prompt": 46_921}),
    ("Requested input length 34120 exceeds maximum input length 32767",
     {"limit": 32_767, "prompt": 34_120}),
    ("Prompt token count of 4662 exceeds max token count of 4095.",
     {"limit": 4_095, "prompt": 4_662}),
    ("A maximum of 4096 tokens can be processed by this model, 9214 given",
     {"limit": 4_096, "total": 9_214}),
    # the window, and what of it is left for the prompt
    ("170753 input tokens and 32000 output tokens requested, but the context length is only 202752"
     " tokens, resulting in a maximum input length of 170752 tokens",
     {"limit": 202_752, "prompt": 170_753, "output": 32_000}),
    ("Generation length 2048 is not possible! The prompt is 7011 tokens long, so generating 2048"
     " tokens requires a sequence length of 9059, but the longest that is supported is 8192!",
     {"limit": 8_192, "prompt": 7_011, "output": 2_048, "total": 9_059}),
    # in other languages
    ("El prompt supera la ventana de contexto de 4096 tokens", {"limit": 4_096}),
    ("Le prompt dépasse la fenêtre de contexte de 4096 jetons", {"limit": 4_096}),
    ("Der Prompt überschreitet das Kontextfenster von 4096 Token", {"limit": 4_096}),
    ("プロンプトが長すぎます。コンテキスト長は 16384 トークンです。", {"limit": 16_384}),
    # numbers of other things beside them
    ("Failed after 3 attempts: the prompt has 9214 tokens, at most 4096 are allowed",
     {"limit": 4_096, "prompt": 9_214}),
    ("prompt of 9214 tokens, limit 4096 (attempt 2 of 5)", {"limit": 4_096, "prompt": 9_214}),
    ("Opus 4: prompt is 9214 tokens long, more than the 4096 tokens that Opus X 003 can hold",
     {"limit": 4_096, "prompt": 9_214}),
    ("remote service error: 400 'max tokens of 8192 exceeded'", {"limit": 8_192}),
    # the words do not say, or not in a language known: the larger was too much
    ("tokens: 9000, 8192", {"limit": 8_192, "total": 9_000}),
    ("prompt: 9000 vs 8192", {"prompt": 9_000, "limit": 8_192}),
    ("Syöte 9000 merkkiä, raja 8192", {"total": 9_000, "limit": 8_192}),
    ("context of 9000 is larger than the window of 8192", {"limit": 8_192, "total": 9_000}),
    # no sizes
    ("invalid params, context window exceeds limit (2013)", {}),
    ("prompt too long: 90000 characters, 12 images", {}),
    ("Error code: 413, request id: 77", {}),
    ("Failed after 3 attempts: prompt too long", {}),
    ("Too many messages: the maximum is 600 messages", {}),
    ("the max input characters is 11200", {}),
]  # fmt: skip


@pytest.mark.parametrize(("words", "expected"), STATED)
def test_each_number_is_taken_for_what_it_counts(words, expected):
    assert sizes_in(plain(words)) == expected


TEMPLATES = [
    "max {limit} tokens, your prompt has {prompt} tokens",
    "your prompt has {prompt} tokens, max {limit} tokens",
    "prompt of {prompt} > {limit}",
    "prompt: {prompt}; allowed: {limit}",
    "{prompt} input tokens, {limit} token limit",
    "the input ({prompt}) exceeds the context size ({limit})",
    "up to {limit} tokens fit, got {prompt} for the prompt",
]


@given(st.integers(10, 10**6), st.integers(0, 10**6), st.sampled_from(TEMPLATES), st.booleans())
def test_the_order_of_the_numbers_and_how_they_are_written_do_not_matter(
    limit, over, template, commas
):
    form = "{:,}" if commas else "{}"
    words = template.format(limit=form.format(limit), prompt=form.format(limit + over))
    sizes = sizes_in(plain(words))
    assert sizes["limit"] == limit
    assert sizes.get("prompt", limit + over) == limit + over


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({"n ctx": 256, "n prompt tokens": 1_407}, {"limit": 256, "prompt": 1_407}),
        ({"max context length": 8, "input tokens": 9}, {"limit": 8, "prompt": 9}),
        ({"context window": 8, "requested tokens": 9}, {"limit": 8, "total": 9}),
        ({"max input tokens": 8, "tokens": 9}, {"limit": 8, "total": 9}),
        ({"max tokens": 5, "completion tokens": 7}, {"output": 5}),
        ({"max output tokens": 5}, {}),
        ({"exceeded by": 3, "allowed": 8}, {"excess": 3, "limit": 8}),
        ({"line": 3, "retry after": 9}, {}),
    ],
)
def test_numbers_under_names_of_their_own_go_by_the_words_of_the_name(facts, expected):
    assert sizes_of(facts) == expected


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ({"limit": 10, "prompt": 10}, True),
        ({"limit": 10, "prompt": 9, "output": 1}, True),
        ({"limit": 10, "total": 11}, True),
        ({"limit": 10, "prompt": 9}, False),
        ({"limit": 10, "output": 20}, False),
        ({"limit": 10}, False),
        ({"total": 10}, False),
        ({}, False),
    ],
)
def test_sizes_prove_an_overflow_when_what_was_asked_is_no_less_than_the_limit(sizes, expected):
    assert proves(sizes) is expected


@pytest.mark.parametrize(
    ("words", "limit", "requested"),
    [
        ("tokens per min (TPM): Limit 6000, Requested 14810, please wait", 6_000, 14_810),
        ("limit of 30,000 reached; requested: 11,159", 30_000, 11_159),
        ("You may send 40k input tokens per minute, this requests 50k", 40_000, 50_000),
        ("TPM limit 30K, request needs 45K tokens", 30_000, 45_000),
        ("Requested 45000 tokens, exceeding the 30000 TPM quota", 30_000, 45_000),
        ("Token rate limit exceeded: request 45000 > 30000 per minute", 30_000, 45_000),
        ("This request has 45000 tokens, the quota is 30000 tokens per minute", 30_000, 45_000),
        ("The prompt (45,000 tokens) is larger than your TPM quota of 30,000", 30_000, 45_000),
        ("tokens per minute: max 30000, your request: 45000", 30_000, 45_000),
        ("Input of 45K tokens is over the 30K input-tokens-per-minute limit", 30_000, 45_000),
        ("gpt-4 on tokens per min: Limit 30000, Used 29000, Requested 45000", 30_000, 45_000),
        ("每分钟最多 30000 tokens，本次请求 45000 tokens", 30_000, 45_000),
    ],
)
def test_a_quota_is_read_with_what_was_asked_of_it(words, limit, requested):
    quota = quota_in(plain(words))
    assert quota == Quota(limit=limit, requested=requested)
    assert quota.exceeds is (requested > limit)


HUGE = "9" * 5_000


@pytest.mark.parametrize(
    "words",
    ["rate limit reached", "Limit 3", "requested 5", "", f"limit {HUGE}, requested {HUGE} tokens"],
)
def test_half_a_quota_is_none(words):
    assert quota_in(plain(words)) is None


@pytest.mark.parametrize(
    "words",
    [
        "tokens per min. Limit: 10000 / min. Current: 10020 / min.",
        "TPM limit 30000, used 45000 tokens",
        "Your usage of 45000 tokens in the last minute is over the limit of 30000",
        "tokens per minute: limit 30000, remaining 200, try again in 45000 ms",
        "Rate limit exceeded: 30000 tokens per minute (organization 4500012)",
        "token bucket full: 70 requests exceed 60 requests per minute",
    ],
)
def test_a_quota_that_others_have_used_up_is_not_too_small_for_the_request(words):
    assert quota_in(plain(words)) is None
