"""Words and meaning as one score."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmaker.memory.index.fusion import above, combined

shares = st.floats(0, 1)


@given(shares, shares)
def test_both_together_stay_between_0_and_1(words: float, meaning: float) -> None:
    assert 0 <= combined(words, meaning) <= 1


@given(shares)
def test_what_has_no_vector_is_judged_by_its_words(words: float) -> None:
    assert combined(words, None) == words


def test_meaning_decides_where_words_are_few_and_not_where_they_are_many() -> None:
    assert combined(0.1, 0.9) > combined(0.2, 0.1)
    assert combined(0.9, 0.0) > combined(0.2, 1.0)


@given(st.floats(-1, 1), st.floats(-1, 0.99))
def test_nearness_begins_with_how_near_the_others_are(cosine: float, least: float) -> None:
    assert above(least, least) == 0
    assert above(1.0, least) == pytest.approx(1)
    assert (above(cosine, least) > 0) <= (cosine > least)
    assert 0 <= above(cosine, least) <= 1 + 1e-9


def test_where_all_are_the_same_none_is_nearer() -> None:
    assert above(1.0, 1.0) == 0


def test_an_embedder_that_finds_everything_about_as_near_changes_little() -> None:
    assert above(0.85, 0.8) < 0.1 < above(0.6, 0.1)
