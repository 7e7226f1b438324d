from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmaker.context.recency import recency


@pytest.mark.parametrize(
    ("hours", "expected"),
    [(0, 1.0), (24, math.exp(-0.1)), (240, math.exp(-1)), (24 * 100, 0.1), (math.inf, 0.1)],
)
def test_a_text_loses_a_tenth_a_day_down_to_a_tenth(hours: float, expected: float) -> None:
    assert recency(hours) == pytest.approx(expected)


@given(st.floats(allow_nan=False))
def test_any_age_lies_between_a_tenth_and_one(hours: float) -> None:
    assert 0.1 <= recency(hours) <= 1.0


@given(st.floats(0, 1e6), st.floats(0, 1e6))
def test_the_older_of_two_is_never_worth_more(one: float, other: float) -> None:
    assert recency(max(one, other)) <= recency(min(one, other))


def test_what_lies_in_the_future_counts_as_new() -> None:
    assert recency(-5) == 1.0


def test_an_age_that_is_no_number_is_refused() -> None:
    with pytest.raises(ValueError, match="number of hours"):
        recency(math.nan)
