"""What bench_retrieval measures is what it says."""

from __future__ import annotations

import pytest

from agentmaker.context.words import terms
from benchmarks import bench_retrieval, retrieval
from benchmarks.bench_retrieval import PLAIN, WORDS, Measured
from benchmarks.retrieval import Passage, Question, Shelf, shown

PASSAGES = [Passage("a", "Tea", "Tea grows in the hills."), Passage("b", "", "Cake is sweet.")]


def test_what_does_not_fit_is_passed_over():
    found = [("a", "xxxx"), ("b", "xxxxxx"), ("c", "xx")]
    assert shown(found, len, 6) == [("a", "xxxx"), ("c", "xx")]


def test_a_question_is_answered_in_its_own_passage_or_anywhere_where_it_has_none():
    assert Question("where?", ("Hills",), "a").is_answered([("a", "the hills")])
    assert not Question("where?", ("Hills",), "a").is_answered([("b", "the hills")])
    assert Question("where?", ("Hills",)).is_answered([("b", "the hills")])


@pytest.mark.parametrize("way", [PLAIN, WORDS])
def test_each_way_finds_what_is_there(way):
    pytest.importorskip("rank_bm25")
    shelf = Shelf(PASSAGES, [Question("where does tea grow?", ("hills",), "a")])
    assert bench_retrieval.recalls([shelf], bench_retrieval.searches()[way], (50, 2)) == [1.0, 0.0]


def test_the_plain_search_is_given_chinese_by_characters_and_pairs():
    assert retrieval.words("喝茶 Tea") == ["喝", "茶", "喝茶", "tea"]


def test_the_lead_is_the_least_of_all_budgets():
    measured = Measured("set", (1, 2), {WORDS: [0.5, 0.4], PLAIN: [0.2, 0.5]})
    assert measured.lead(WORDS, PLAIN) == pytest.approx(-0.1)


def test_paraphrases_share_hardly_a_word_with_their_passages():
    (shelf,) = retrieval.paraphrases()
    texts = {each.key: each.text for each in shelf.passages}
    assert len({*texts.values()}) == len(shelf.questions) >= 40
    for question in shelf.questions:
        shared = {*terms(question.text)} & {*terms(texts[question.passage])}
        assert len(shared) <= 1, (question.text, shared)
