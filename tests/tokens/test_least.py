from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmaker import counter_for, estimate_tokens
from agentmaker.tokens.codes import codes_of
from agentmaker.tokens.least import least_tokens

MODELS = ["gpt-4o", "gpt-4", "llama-3", "qwen3", "deepseek-chat", "glm-4", "mistral-nemo"]
PIECES = (
    *("a", "is", "Ab", "word", "7", "42", "don't", "x1", "é", "字", "我们"),
    *(" ", "\n", "\t", ".", "-", "/"),
)
TEXTS = st.lists(st.sampled_from(PIECES), min_size=1).map("".join)


def least(text: str) -> int:
    codes = codes_of(text)
    return least_tokens(codes[0], codes[1])


@pytest.mark.parametrize("model", MODELS)
@given(text=TEXTS)
def test_no_vocabulary_counts_fewer_tokens_than_words(model, text):
    pytest.importorskip("splintr")
    assert least(text) <= counter_for(model)(text)


@pytest.mark.parametrize("text", ["hi ", "word ", "the ", "x ", "7 ", "Yes, ", "again\n"])
@pytest.mark.parametrize("times", [100, 20_000])
def test_a_word_that_goes_on_and_on_is_a_token_each_time(text, times):
    assert estimate_tokens(text * times) >= 0.98 * times


@pytest.mark.parametrize("family", [None, "qwen3", "deepseek_v3", "gemma3"])
def test_of_chinese_that_goes_on_and_on_three_characters_are_a_token(family):
    assert estimate_tokens("字" * 4_000, family=family) >= 4_000 // 3


@pytest.mark.parametrize("text", ["unbroken", "a-b_c/d", "é", "()"])
def test_a_text_without_another_word_has_one(text):
    assert least(text) == 1


def test_a_token_is_hardly_ever_longer_than_128_bytes():
    assert least("-" * 12_800) == 100
