from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmaker.context.clip import cut_middle, cut_to, fits
from agentmaker.tokens import count_tokens

MARKER = " [...] "


def words(text: str) -> int:
    return len(text.split())


def jumpy(text: str) -> int:
    """A counter that is not monotone, as those of byte pairs are not."""
    return len(text) // 3 + len(text) % 3


COUNTERS = st.sampled_from([count_tokens, len, words, jumpy])


def test_a_text_that_fits_comes_back_as_it_is():
    text = "hello world"
    assert cut_to(text, 3, count_tokens) is text
    assert cut_middle(text, 3, count_tokens, MARKER) is text


def test_the_head_is_kept():
    assert cut_to("abcdefghijkl", 2, count_tokens) == "abcdefgh"


def test_nothing_fits_in_no_room():
    assert cut_to("text", 0, count_tokens) == cut_to("text", -3, count_tokens) == ""
    assert cut_middle("text", 0, count_tokens, MARKER) == ""


def test_head_and_tail_stand_around_the_marker():
    text = "".join(map(str, range(1_000)))
    cut = cut_middle(text, 50, count_tokens, MARKER)
    head, tail = cut.split(MARKER)
    assert text.startswith(head)
    assert text.endswith(tail)
    assert len(head) > len(tail) > 40
    assert count_tokens(cut) <= 50


def test_a_marker_larger_than_the_room_is_left_out():
    assert cut_middle("abcdefgh" * 9, 2, count_tokens, "x" * 100) == "abcdefgh"


def test_case_100_a_cut_falls_between_visible_characters():
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
    accented = "e\u0301"
    for text, whole in [(family * 20, family), (accented * 40, accented), ("\r\n" * 40, "\r\n")]:
        for tokens in range(1, 40):
            assert cut_to(text, tokens, len).replace(whole, "") == ""
            head, _, tail = cut_middle(text, tokens, len, "#").partition("#")
            assert (head + tail).replace(whole, "") == ""


def test_case_100_what_is_cut_always_encodes():
    text = "\U0001f600" * 10
    for tokens in range(1, 11):
        assert cut_to(text, tokens, len).encode() == b"\xf0\x9f\x98\x80" * tokens


@pytest.mark.parametrize("unit", ["a", "字", " ", "word ", "1\n"])
def test_a_long_text_is_cut_in_few_counts_and_fills_its_room(unit):
    calls = 0

    def counter(text: str) -> int:
        nonlocal calls
        calls += 1
        return count_tokens(text)

    text = unit * (1_000_000 // len(unit))
    cut = cut_middle(text, 2_000, counter, MARKER)
    assert calls < 60
    assert 1_950 <= count_tokens(cut) <= 2_000


def test_a_text_far_too_long_is_not_counted_to_its_end():
    seen = 0

    def counter(text: str) -> int:
        nonlocal seen
        seen += len(text)
        return count_tokens(text)

    assert not fits("word " * 1_000_000, 100, counter)
    assert seen < 50_000


@given(text=st.text(max_size=400), tokens=st.integers(-1, 60), counter=COUNTERS)
def test_a_cut_is_a_beginning_of_the_text_and_fits(text, tokens, counter):
    cut = cut_to(text, tokens, counter)
    assert text.startswith(cut)
    assert counter(cut) <= max(0, tokens)


@given(text=st.text(max_size=400), tokens=st.integers(0, 60), counter=COUNTERS)
def test_a_cut_in_the_middle_fits_marker_included(text, tokens, counter):
    assert counter(cut_middle(text, tokens, counter, MARKER)) <= tokens


@given(text=st.text("abc 字", min_size=1, max_size=200), tokens=st.integers(1, 30))
def test_something_is_left_wherever_something_fits(text, tokens):
    assert cut_to(text, tokens, count_tokens)
    assert cut_middle(text, tokens, count_tokens, MARKER)


class Reading:
    """A counter that adds up the characters it was asked to count."""

    def __init__(self) -> None:
        self.read = self.longest = 0

    def __call__(self, text: str) -> int:
        self.read += len(text)
        self.longest = max(self.longest, len(text))
        return -(-len(text) // 5)


@pytest.mark.parametrize("room", [200, 2_000, 20_000])
def test_a_cut_reads_little_more_than_what_stays(room):
    reading = Reading()
    cut = cut_middle("x" * 2_000_000, room, reading, "…")
    assert len(cut) > room * 4.9
    assert reading.longest <= max(len(cut) * 1.5, 8_192)
    assert reading.read <= 8 * max(len(cut), 8_192)


@given(st.text(min_size=1, max_size=40), st.integers(1, 4_000))
def test_ends_of_a_long_text_keep_to_their_room(text, room):
    long = text * (20_000 // len(text))
    head, both = cut_to(long, room, count_tokens), cut_middle(long, room, count_tokens, "…")
    assert long.startswith(head)
    assert count_tokens(head) <= room
    assert count_tokens(both) <= room
    assert count_tokens(head) >= min(count_tokens(long), room - room // 128 - 20)
