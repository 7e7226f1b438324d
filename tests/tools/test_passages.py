from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmaker.tools.passages import AROUND, passages

FILLER = "nothing to see here. " * 50


def test_a_passage_has_what_was_found_and_the_text_around_it():
    text = f"{FILLER}the Invoice 4711 is open{FILLER}"
    found = passages(text, "invoice", 5)
    assert found.total == 1
    [passage] = found.best
    at = text.index("Invoice")
    assert (passage.start, passage.end) == (at - AROUND, at + len("Invoice") + AROUND)
    assert passage.text == text[passage.start : passage.end]
    assert passage.size == len(text)


@pytest.mark.parametrize("words", ["OPEN invoice", "invoice   4711", "invoice\n4711"])
def test_words_are_found_one_by_one_and_in_any_case(words):
    assert passages(f"{FILLER}Invoice 4711 is open", words, 5).total == 1


def test_more_different_words_make_the_better_passage_then_the_earlier_one_comes_first():
    text = f"alpha{FILLER}alpha beta{FILLER}alpha alpha alpha{FILLER}beta"
    best = passages(text, "alpha beta", 4).best
    assert "alpha beta" in best[0].text
    assert [each.start for each in best[1:3]] == sorted(each.start for each in best[1:3])
    assert len(passages(text, "alpha beta", 2).best) == 2
    assert passages(text, "alpha beta", 2).total == 4


def test_a_phrase_is_found_across_line_breaks():
    best = passages(f"red{FILLER}the red\n  apple", "red apple", 1).best
    assert "red\n  apple" in best[0].text


@pytest.mark.parametrize("words", ["退款政策", "退款的政策", "政策 退款"])
def test_chinese_is_found_without_spaces(words):
    text = f"{'无关的内容。' * 100}我们的退款政策是七天内无理由退货。"
    [passage] = passages(text, words, 1).best
    assert "退款政策" in passage.text


def test_neighbours_are_one_passage_and_long_runs_are_several():
    assert passages("word and word", "word", 5).total == 1
    assert passages("word " * 1_000, "word", 5).total > 5


@pytest.mark.parametrize("words", ["", "  \n", "missing"])
def test_nothing_is_found_where_nothing_is(words):
    assert passages(FILLER, words, 5).best == ()


def test_words_are_plain_and_no_pattern():
    assert passages("a+b (c) [d", "(c) [d", 1).total == 1
    assert passages("aab", "a+b", 1).total == 0


@given(st.text("aAbß中文 \n.", max_size=200), st.text("aAbß中文 \n.", max_size=6))
def test_every_passage_is_a_stretch_of_the_text(text, words):
    found = passages(text, words, 3)
    for each in found.best:
        assert 0 <= each.start < each.end <= len(text)
        assert each.text == text[each.start : each.end]
    if words.strip() and words.strip() in text:
        assert found.total
