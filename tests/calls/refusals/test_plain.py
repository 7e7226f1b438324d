from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmaker.calls.refusals.plain import LARGEST, numbers, plain, sentences, whole


def read(text):
    return [number for number, _, _ in numbers(plain(text))]


def grouped(by):
    return lambda number: f"{number:,}".replace(",", by)


WRITTEN = [str, *map(grouped, (",", "_", " ", ".", "’", "\u00a0")), lambda number: f"{number}.0"]


@given(st.integers(1_000, LARGEST), st.sampled_from(WRITTEN))
def test_a_number_is_read_back_however_it_is_written(number, written):
    assert read(f"at most {written(number)} tokens, and no more") == [number]
    assert read(f"最大{written(number)}个") == [number]
    assert whole(written(number)) == number


@given(st.integers(1, 2_000), st.sampled_from([("k", 1_000), ("K", 1_000), ("M", 1_000_000)]))
def test_a_suffix_is_thousands_or_millions(number, suffix):
    letter, size = suffix
    expected = [number * size] if number * size <= LARGEST else []
    assert read(f"a {number}{letter} window") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("n_keep: 13055>= n_ctx: 4096", [13_055, 4_096]),
        ("[1, 6000]", [1, 6_000]),
        ("value=(8, 2045)", [8, 2_045]),
        ("12+34>40", [12, 34, 40]),
        ("8192tokens, 1.5k", [8_192, 1_500]),
        ("长度为9000，上限8192。", [9_000, 8_192]),
    ],
)
def test_numbers_are_found_among_signs(text, expected):
    assert read(text) == expected


@pytest.mark.parametrize(
    "text",
    ["llama-3.1-8b v2 gpt-4", "got -186", "32KB", "messages[5]", "id 20251012085932171", "0"],
)
def test_a_number_in_a_name_and_one_that_counts_no_tokens_is_none(text):
    assert read(text) == []


@pytest.mark.parametrize("value", [None, True, 0, -3, "many", 10**12, float("nan"), "1-2", "²"])
def test_a_fact_that_is_no_count_is_none(value):
    assert whole(value) is None


def test_names_are_split_into_words_and_links_are_dropped():
    text = plain("`maxTokens` of LLMContextError: https://example.org/rate-limits, 'prompt_len-is'")
    assert " ".join(text.split()) == "max tokens of llm context error: prompt len is"


def test_sentences_end_where_a_reader_ends_them():
    text = plain("At most 4,096.5 of a.b. Too long! 太长。 Reduce it;\nplease")
    assert [each.strip() for each in sentences(text)] == [
        "at most 4096.5 of a.b",
        "too long",
        "太长",
        "reduce it",
        "please",
    ]


@given(st.text(max_size=300))
def test_any_text_has_a_plain_form(text):
    assert all(0 < number <= LARGEST for number, _, _ in numbers(plain(text)))


def test_a_long_text_is_read_to_its_beginning_only():
    assert len(plain("1,000 " * 200_000)) < 20_000
