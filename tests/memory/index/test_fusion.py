"""How what words say and what meaning says become one order."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agentmaker.memory.index.fusion import fused

KEYS = st.sampled_from("abcdefgh")
SCORES = st.dictionaries(KEYS, st.floats(0, 10))
COSINES = st.dictionaries(KEYS, st.floats(-1, 1))


@given(SCORES, COSINES)
def test_whatever_words_or_meaning_found_has_a_score(words, near):
    scores = fused(words, 20.0, near)
    assert scores.keys() == words.keys() | near.keys()
    assert all(0 <= score <= 5 for score in scores.values())


@given(COSINES)
def test_meaning_alone_keeps_its_own_order(near):
    scores = fused({}, 0.0, near)
    order = sorted(near, key=lambda each: -near[each])
    assert [scores[each] for each in order] == sorted(scores.values(), reverse=True)


@given(SCORES)
def test_words_alone_keep_their_own_order(words):
    assert fused(words, 20.0, {}) == {each: score / 20 for each, score in words.items()}


def test_an_embedder_that_finds_everything_about_as_near_changes_little():
    words = {"a": 3.0, "b": 2.5}
    scores = fused(words, 10.0, {"a": 0.80, "b": 0.85, "c": 0.84})
    assert scores["a"] > scores["b"] > scores["c"]


def test_meaning_decides_where_no_word_tells_much():
    scores = fused({"a": 0.5}, 20.0, {"b": 0.7, "c": 0.2, "a": 0.1})
    assert scores["b"] > scores["a"]
