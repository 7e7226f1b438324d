"""Which stretches of documents are shown for what was hit."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agentmaker.memory.index import Hit
from agentmaker.memory.knowledge.ranking import BESIDE, below, joined, ranked

SIZES = {("p", "a"): 5, ("p", "b"): 1, ("q", "a"): 3}
KEYS = [(*document, number) for document, size in SIZES.items() for number in range(size)]
HITS = st.dictionaries(st.sampled_from(KEYS), st.floats(0.1, 9)).map(
    lambda scores: {key: hit(key, score) for key, score in scores.items()}
)


def hit(key: tuple[str, str, int], score: float) -> Hit:
    partition, document, number = key
    return Hit(
        partition=partition, key=f"{document}\n{number}", revision="r", score=score, start=0, end=1
    )


def numbers(stretch):
    return [
        (stretch.partition, stretch.document, at) for at in range(stretch.first, stretch.last + 1)
    ]


@given(HITS)
def test_every_hit_and_what_stands_beside_it_is_there_once_the_best_first(hits):
    found = ranked(hits, SIZES)
    shown = [key for each in found for key in numbers(each)]
    beside = {(p, d, n + step) for p, d, n in hits for step in (-1, 0, 1)} & {*KEYS}
    assert sorted(shown) == sorted(beside)
    assert [each.score for each in found] == sorted((each.score for each in found), reverse=True)
    assert all((each.hit is None) == (numbers(each)[0] not in hits) for each in found)


@given(HITS)
def test_joining_loses_nothing_and_joins_two_at_the_most(hits):
    found = ranked(hits, SIZES)
    pairs = joined(found)
    assert sorted(key for each in pairs for key in numbers(each)) == sorted(
        key for each in found for key in numbers(each)
    )
    assert all(each.last - each.first <= 1 for each in pairs)
    assert all(each.first <= each.best <= each.last for each in pairs)
    assert [each.score for each in pairs] == sorted((each.score for each in pairs), reverse=True)


@given(HITS, HITS)
def test_what_comes_below_is_new_and_scores_less(hits, others):
    found, more = joined(ranked(hits, SIZES)), ranked(others, SIZES)
    shown = [*found, *below(more, found)]
    keys = [key for each in shown for key in numbers(each)]
    assert len(keys) == len({*keys})
    assert {*keys} == {key for each in (*found, *more) for key in numbers(each)}
    assert [each.score for each in shown] == sorted((each.score for each in shown), reverse=True)
    assert not found or all(each.score < found[-1].score for each in shown[len(found) :])


def test_a_chunk_gains_half_of_the_better_of_its_neighbours():
    hits = {key: hit(key, score) for key, score in ((KEYS[0], 4.0), (KEYS[2], 2.0))}
    scores = {each.first: each.score for each in ranked(hits, SIZES)}
    assert scores == {0: 4.0, 1: 4.0 * BESIDE, 2: 2.0, 3: 2.0 * BESIDE}


def test_chunks_of_different_documents_are_not_joined():
    hits = {key: hit(key, 1.0) for key in (("p", "b", 0), ("q", "a", 1))}
    first = joined(ranked(hits, {("p", "b"): 1, ("q", "a"): 3}))
    assert {(each.document, each.first) for each in first} >= {("b", 0)}
    assert all(each.partition == "q" or each.first == each.last for each in first)
