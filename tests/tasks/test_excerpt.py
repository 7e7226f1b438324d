from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmaker.tasks.excerpt import excerpt, sharpened
from agentmaker.tasks.source import Span
from agentmaker.tokens import count_tokens

PARAGRAPHS = [f"Paragraph {number} speaks of topic{number}." for number in range(100)]
TEXT = "\n\n".join(PARAGRAPHS)


def test_without_a_place_the_beginning_is_shown() -> None:
    span = excerpt(TEXT, None, 60, count_tokens)
    assert span.start == 0
    assert count_tokens(TEXT[span.start : span.end]) <= 60


def test_a_place_is_shown_with_what_is_around_it() -> None:
    at = TEXT.index("Paragraph 50 ")
    span = excerpt(TEXT, Span(at, at + 10), 60, count_tokens)
    shown = TEXT[span.start : span.end]
    assert "topic50." in shown
    assert "topic51." in shown
    assert "topic49." in shown
    assert shown.startswith("Paragraph ")
    assert shown.endswith(".")


def test_a_place_that_is_too_large_is_shown_from_its_beginning() -> None:
    at = TEXT.index("Paragraph 10 ")
    span = excerpt(TEXT, Span(at, len(TEXT)), 40, count_tokens)
    assert span.start == at


def test_the_words_of_the_query_say_where_in_a_place() -> None:
    span = sharpened(TEXT, Span(0, len(TEXT)), "what is topic77 about")
    assert "topic77" in TEXT[span.start : span.end]
    assert span.end - span.start < 300


def test_a_place_without_any_word_of_the_query_stays_as_it_is() -> None:
    assert sharpened(TEXT, Span(5, 50), "zebra") == Span(5, 50)


@given(
    st.text(alphabet="ab \n.中文é#-|", max_size=400),
    st.integers(0, 400),
    st.integers(0, 60),
    st.integers(1, 80),
)
def test_a_passage_is_of_the_text_and_in_its_room(
    text: str, start: int, length: int, room: int
) -> None:
    place = Span(start, start + length) if start < len(text) else None
    span = excerpt(text, place, room, count_tokens)
    assert 0 <= span.start <= span.end <= len(text)
    assert count_tokens(text[span.start : span.end]) <= room


@pytest.mark.parametrize("room", [1, 2, 16])
def test_a_text_without_any_structure_is_cut_to_its_room(room: int) -> None:
    span = excerpt("x" * 10_000, None, room, count_tokens)
    assert 0 < span.end <= 4 * room
