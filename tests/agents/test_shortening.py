from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmaker.agents.shortening import figures_in, least_of, levelled, shortened
from agentmaker.tokens import count_tokens

RESULT = (
    "The Hotel Alfa has 17 rooms left for the night of 2024-05-03, at 112 EUR each, and it "
    "confirmed the booking under A1-4411 after a long talk about pillows, weather and 3.5 stars."
)

texts = st.lists(
    st.sampled_from(
        ["rooms", "the", "A1-4411", "17", "2024-05-03", "98 EUR,", "3.5", "里斯本", "\n"]
    ),
    max_size=60,
).map(" ".join)


def test_figures_are_facts_and_bare_numbers_with_the_word_they_count():
    assert figures_in(RESULT) == ("17 rooms", "2024-05-03", "112 EUR", "A1-4411", "3.5 stars")


def test_a_text_that_fits_stays_as_it_is():
    assert shortened("a\nb", 10, count_tokens) == "a\nb"


def test_words_give_way_before_figures():
    short = shortened(RESULT, 28, count_tokens)

    assert short == (
        "The Hotel Alfa has 17 rooms left for the night of 2024-05-03,… "
        "[112 EUR, A1-4411, 3.5 stars]"
    )
    assert figures_in(short) == figures_in(RESULT)


def test_figures_are_all_that_is_left_in_a_little_room_and_half_of_them_in_less():
    assert shortened(RESULT, least_of(RESULT, count_tokens), count_tokens) == (
        "[17 rooms, 2024-05-03, 112 EUR, A1-4411, 3.5 stars]"
    )
    assert shortened(RESULT, 7, count_tokens) == "[17 rooms, 2024-05-03]"
    assert shortened(RESULT, 0, count_tokens) == ""


def test_what_was_shortened_can_be_shortened_again():
    short = shortened(shortened(RESULT, 40, count_tokens), 28, count_tokens)

    assert short == shortened(RESULT, 28, count_tokens)


@pytest.mark.parametrize(
    "number", ["12 %", "12%", "1,250.50 dollars", "07:30", "第3步", "5月3日", "7"]
)
def test_numbers_of_every_kind_are_figures(number):
    assert number in "; ".join(figures_in(f"It was {number}, they said."))


def test_a_run_of_letters_holds_no_figure_however_long_it_is():
    assert figures_in("ACGT" * 250_000) == ()
    assert figures_in(f"{'ACGT' * 5}7 bases") == (f"{'ACGT' * 5}7",)


def test_a_number_within_a_fact_is_no_figure_of_its_own():
    assert figures_in("Order A1-4411 of 2024-05-03 for 112 EUR") == (
        "A1-4411",
        "2024-05-03",
        "112 EUR",
    )
    assert figures_in("里斯本有17间房，每晚112欧元") == ("17", "112欧元")


@given(texts, st.integers(0, 80))
def test_what_is_shortened_fits_its_room(text, room):
    assert count_tokens(shortened(text, room, count_tokens)) <= max(room, 0)


@given(texts)
def test_room_for_the_figures_is_room_for_all_of_them(text):
    short = shortened(text, least_of(text, count_tokens), count_tokens)

    assert {*figures_in(text)} <= {*figures_in(short)}


@given(st.lists(texts, max_size=8), st.integers(-5, 300))
def test_levelled_texts_fit_their_room_together(several, room):
    short = levelled(several, room, count_tokens)

    assert len(short) == len(several)
    assert sum(map(count_tokens, short)) <= max(room, 0)


def test_the_longest_texts_give_way_first():
    long = "word " * 50

    assert levelled(["short", long, long], 40, count_tokens)[0] == "short"
