from __future__ import annotations

import math
import sys

import pytest

from agentmaker import mmr_select
from agentmaker.context.mmr import plain
from agentmaker.context.mmr.contest import Contest
from agentmaker.context.mmr.select import form_for
from tests.context.mmr.naive import contents, result


def test_the_example_of_the_documentation():
    candidates = [
        result("Cats are great pets.", 0.9, [1.0, 0.0]),
        result("Cats make wonderful pets.", 0.8, [0.99, 0.01]),
        result("The Eiffel Tower is in Paris.", 0.6, [0.0, 1.0]),
    ]
    selected = mmr_select(candidates, top_k=2, lambda_=0.7)
    assert contents(selected) == ["Cats are great pets.", "The Eiffel Tower is in Paris."]


def test_of_equal_contents_the_best_score_is_kept_at_the_first_place():
    candidates = [result("same", 0.2), result("other", 0.9), result("same", 0.9)]
    selected = mmr_select(candidates)
    assert [(each.content, each.score) for each in selected] == [("same", 0.9), ("other", 0.9)]


def test_without_embeddings_nothing_counts_as_redundant():
    candidates = [result(str(score), score) for score in (0.1, 0.5, 0.9)]
    assert contents(mmr_select(candidates)) == ["0.9", "0.5", "0.1"]


def test_a_threshold_above_one_keeps_near_duplicates():
    candidates = [result("a", 1, [1, 0]), result("b", 0.9, [1, 0])]
    assert contents(mmr_select(candidates)) == ["a"]
    assert contents(mmr_select(candidates, dedup_threshold=1.01)) == ["a", "b"]


def test_a_cosine_of_exactly_the_threshold_is_a_duplicate():
    candidates = [result("a", 1, [1, 0]), result("b", 0.9, [3, 4])]
    assert contents(mmr_select(candidates, dedup_threshold=0.6)) == ["a"]


def test_pure_relevance_ignores_likeness_below_the_threshold():
    candidates = [result("a", 1, [1, 0]), result("b", 0.9, [0.9, 0.2]), result("c", 0.8, [0, 1])]
    assert contents(mmr_select(candidates, lambda_=1, dedup_threshold=2)) == ["a", "b", "c"]
    assert contents(mmr_select(candidates, lambda_=0, dedup_threshold=2)) == ["a", "c", "b"]


def test_negative_scores_are_shifted():
    candidates = [result("low", -3), result("high", -1), result("middle", -2)]
    assert contents(mmr_select(candidates)) == ["high", "middle", "low"]


@pytest.mark.parametrize(
    "bad", [math.nan, math.inf, -math.inf, None, "high", 10**400], ids=lambda bad: str(bad)[:8]
)
def test_a_score_that_is_no_finite_number_counts_as_zero(bad):
    assert contents(mmr_select([result("bad", bad), result("good", 0.5)])) == ["good", "bad"]


def test_what_is_no_result_is_refused_by_its_place():
    with pytest.raises(TypeError, match=r"candidates\[1\] must be a RetrievalResult, not str"):
        mmr_select([result("a", 1), "b"])


def test_no_candidates_and_none_wanted():
    assert mmr_select([]) == []
    assert mmr_select([result("a", 1)], top_k=0) == []


@pytest.mark.parametrize(
    ("options", "knob"),
    [
        ({"top_k": -1}, "top_k"),
        ({"top_k": 2.5}, "top_k"),
        ({"lambda_": -0.1}, "lambda_"),
        ({"lambda_": 1.1}, "lambda_"),
        ({"lambda_": math.nan}, "lambda_"),
        ({"lambda_": "0.7"}, "lambda_"),
        ({"dedup_threshold": -0.1}, "dedup_threshold"),
        ({"dedup_threshold": math.nan}, "dedup_threshold"),
        ({"dedup_threshold": None}, "dedup_threshold"),
    ],
)
def test_a_knob_out_of_range_is_refused(options, knob):
    with pytest.raises(ValueError, match=knob):
        mmr_select([], **options)


@pytest.fixture
def without_numpy(monkeypatch):
    monkeypatch.setitem(sys.modules, "numpy", None)


def contest(count, width, top_k=None):
    candidates = [result(str(number), 1, [1.0] * width) for number in range(count)]
    return Contest.of(candidates, top_k, 0.7, 0.95)


@pytest.mark.usefixtures("without_numpy")
def test_without_numpy_many_candidates_are_picked_all_the_same():
    candidates = [result(str(i), 1 / (i + 1), [i % 7, 1]) for i in range(300)]
    assert len(mmr_select(candidates, top_k=3)) == 3
    assert form_for(contest(2_000, 1_000)) is plain.picks


def test_numpy_is_not_imported_for_few_candidates(monkeypatch):
    monkeypatch.delitem(sys.modules, "numpy")
    assert form_for(contest(200, 384)) is plain.picks
    assert form_for(contest(1_000, 384, top_k=20)) is plain.picks
    assert "numpy" not in sys.modules


def test_where_numpy_is_loaded_the_amount_of_numbers_decides():
    pytest.importorskip("numpy")
    from agentmaker.context.mmr import bounds, incremental

    assert form_for(contest(50, 384)) is incremental.picks
    assert form_for(contest(1_000, 1_536)) is incremental.picks
    assert form_for(contest(2_000, 1_536)) is bounds.picks


def test_no_embeddings_at_all_need_no_numpy(monkeypatch):
    monkeypatch.delitem(sys.modules, "numpy", raising=False)
    assert form_for(Contest.of([result("a", 1)] * 9, None, 0.7, 0.95)) is plain.picks
