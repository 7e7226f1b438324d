"""What counts as a word, of a text and of what is looked for in it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmaker.context.words import common, folded, sought, stem, terms, tokens


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("Crème BRÛLÉE", "creme brulee"),
        ("Straße", "strasse"),
        ("ＡＢＣ①", "abc1"),
        ("é", "e\u0301"),
        ("한국어", "한국어"),
        ("が", "か\u3099"),
    ],
)
def test_what_is_compared_has_one_form(text: str, same: str) -> None:
    assert folded(text) == folded(same)


@pytest.mark.parametrize(
    ("word", "singular"),
    [("cats", "cat"), ("cities", "city"), ("horses", "horse"), ("glass", "glass"), ("bus", "bus"),
     ("gas", "gas"), ("shoes", "shoes"), ("2023s", "2023"), ("is", "is")],
)  # fmt: skip
def test_plurals_are_sought_as_singulars(word: str, singular: str) -> None:
    assert stem(word) == singular


def test_common_words_are_left_out_where_there_are_others() -> None:
    assert sought("What is the price of it?") == ("price",)
    assert sought("who is it") == ("who", "is", "it")


def test_common_words_are_sought_by_themselves_as_a_last_resort() -> None:
    rest = common("What is the price of it, 会议室的门?")
    assert sought(rest) == ("what", "is", "the", "of", "it", "的")
    assert common("price") == ""


def test_chinese_is_kept_by_character_and_sought_by_pairs() -> None:
    assert tokens("会议室") == ["会", "议", "室", "会议", "议室"]
    assert sought("会议室的门") == ("会议", "议室", "门")


def test_words_of_identifiers_are_kept_apart() -> None:
    assert tokens("max_blocks=16 __init__") == ["max", "block", "16", "init"]


@given(st.text())
def test_whatever_is_sought_is_found_in_a_text_that_says_it(text: str) -> None:
    assert set(sought(text)) <= set(tokens(text))


@given(st.text())
def test_a_text_with_terms_has_something_to_look_for(text: str) -> None:
    assert bool(sought(text)) == bool([term for term in terms(text) if term.strip("_")])
    assert all(token.isalnum() or not token.isascii() for token in tokens(text))
