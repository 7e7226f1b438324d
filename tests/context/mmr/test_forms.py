"""Three forms, one result: what a loop of the definition picks."""

from __future__ import annotations

import math
import random
from array import array

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.context.mmr.naive import FORMS, faults, naive, picked, result

every_form = pytest.mark.parametrize("form", FORMS)

LAMBDAS = st.sampled_from([0, 0.3, 0.7, 1])
LIMITS = st.one_of(st.none(), st.integers(0, 12))


def whole_numbers(width):
    """Few values, so that ties and duplicates are many."""
    return st.lists(st.integers(-2, 2), min_size=width, max_size=width)


@every_form
@example(  # the relevance of d, 1/7, makes up for its likeness to a, 1/3
    candidates=[
        *(result("a", 0, [2, -2, -2]), result("b", 5)),
        *(result("c", -2), result("d", -1, [-2, -2, -2])),
    ],
    top_k=None,
    lambda_=0.7,
    threshold=0.5,
    few=1,
)
@given(
    candidates=st.lists(
        st.builds(
            result,
            st.sampled_from("abcdefghijkl"),
            st.integers(-2, 5),
            st.one_of(st.none(), whole_numbers(3), whole_numbers(2), st.just([0, 0, 0])),
        ),
        max_size=14,
    ),
    top_k=LIMITS,
    lambda_=LAMBDAS,
    threshold=st.sampled_from([0, 0.5, 0.95, 1, 1.5]),
    few=st.integers(1, 4),
)
def test_ties_and_duplicates_go_as_they_are_defined(
    form, candidates, top_k, lambda_, threshold, few
):
    found = picked(form, candidates, top_k, lambda_, threshold, few=few)
    assert found == naive(candidates, top_k, lambda_, threshold)


def random_pool(seed, count, width, spread=1.0):
    """Vectors around a few centres, with scores that often are equal."""
    chance = random.Random(seed)
    centres = [[chance.gauss(0, 1) for _ in range(width)] for _ in range(1 + count // 12)]
    vectors = [[x + chance.gauss(0, spread) for x in chance.choice(centres)] for _ in range(count)]
    scores = [round(chance.random(), 1) for _ in range(count)]
    return vectors, scores


def picks_of(form, embeddings, scores, *options, few=None):
    candidates = [
        result(str(index), score, embedding)
        for index, (embedding, score) in enumerate(zip(embeddings, scores, strict=True))
    ]
    return [int(content) for content in picked(form, candidates, *options, few=few)]


@every_form
@given(
    seed=st.integers(0, 10**6),
    count=st.integers(1, 60),
    width=st.integers(1, 20),
    spread=st.sampled_from([0.1, 1.0]),
    top_k=LIMITS,
    lambda_=LAMBDAS,
    threshold=st.sampled_from([0.5, 0.95, 2]),
    few=st.sampled_from([1, 5, None]),
)
def test_vectors_of_every_kind_are_picked_as_their_numbers_say(
    form, seed, count, width, spread, top_k, lambda_, threshold, few
):
    vectors, scores = random_pool(seed, count, width, spread)
    chance = random.Random(seed)
    mixed = [chance.choice(KINDS)(each) for each in vectors]
    numbers = [read(each) for each in mixed]
    picks = picks_of(form, mixed, scores, top_k, lambda_, threshold, few=few)
    assert not faults(numbers, scores, picks, top_k, lambda_, threshold)


def as_numpy(dtype):
    def kind(values):
        return pytest.importorskip("numpy").array(values, dtype=dtype)

    return kind


def every_other(values):
    doubled = [x for value in values for x in (value, 7.0)]
    return pytest.importorskip("numpy").array(doubled, dtype="float32")[::2]


KINDS = [
    list,
    tuple,
    lambda values: array("f", values),
    lambda values: array("d", values),
    lambda values: memoryview(array("f", values)),
    lambda values: memoryview(array("d", values)),
    lambda values: array("f", values).tobytes(),
    lambda values: bytearray(array("f", values)),
    as_numpy("float32"),
    as_numpy("float64"),
    as_numpy("float16"),
    as_numpy(">f4"),
    as_numpy("object"),
    every_other,
    lambda values: None,
    lambda values: [math.nan, *values[1:]],
    lambda values: array("f", [math.inf, *values[1:]]),
    lambda values: [0.0] * len(values),
    lambda values: [*values, 1.0],
    lambda values: [value * 1e200 for value in values],
    lambda values: [value * 1e-200 for value in values],
]


def read(embedding):
    """Its numbers as a list of floats at a length that squares do not overflow, or None."""
    if embedding is None:
        return None
    packed = isinstance(embedding, (bytes, bytearray))
    values = list(map(float, array("f", bytes(embedding)) if packed else embedding))
    largest = max(map(abs, values))
    if not all(map(math.isfinite, values)) or not largest:
        return None
    return [value / largest for value in values]


@every_form
@pytest.mark.parametrize(("count", "width"), [(2_000, 3), (400, 64)])
def test_of_many_candidates_those_of_the_definition_are_picked(form, count, width):
    vectors, scores = random_pool(1, count, width)
    rows = [array("f", each) for each in vectors]
    picks = picks_of(form, rows, scores, 20)
    assert len(picks) == 20
    assert not faults([list(each) for each in rows], scores, picks, 20)


@every_form
def test_without_a_limit_all_of_many_candidates_are_picked_in_their_order(form):
    vectors, scores = random_pool(2, 250, 12)
    picks = picks_of(form, vectors, scores, None, 0.7, 2)
    assert sorted(picks) == list(range(250))
    assert not faults(vectors, scores, picks, None, 0.7, 2)


@every_form
def test_of_candidates_that_are_all_alike_the_first_ones_are_picked(form):
    assert picks_of(form, [[0.1, 0.7, 0.2]] * 100, [1.0] * 100, 3, 0.7, 1.1, few=2) == [0, 1, 2]
    assert picks_of(form, [[0.1, 0.7, 0.2]] * 100, [1.0] * 100, 3, few=2) == [0]


@every_form
def test_a_tie_between_a_relevant_and_a_different_one_goes_to_the_first(form):
    # After the first pick both others are worth 0.35: 0.5 * 1 - 0.5 * 0.3 and 0.5 * 0.7.
    like_it = [0.3, math.sqrt(1 - 0.09), 0.0]
    vectors = [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], like_it]
    assert picks_of(form, vectors, [1.0, 0.7, 1.0], 2, 0.5, few=1) == [0, 1]
    vectors[1], vectors[2] = vectors[2], vectors[1]
    assert picks_of(form, vectors, [1.0, 1.0, 0.7], 2, 0.5, few=1) == [0, 1]


@every_form
@pytest.mark.parametrize("top_k", [0, 1, None])
def test_candidates_without_embeddings_are_picked_by_relevance(form, top_k):
    picks = picks_of(form, [None] * 4, [0.2, 0.9, 0.9, 0.1], top_k, few=1)
    assert picks == [1, 2, 0, 3][:top_k]


@every_form
def test_a_threshold_of_zero_keeps_only_what_points_away(form):
    vectors = [[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], None, [1.0]]
    assert picks_of(form, vectors, [5, 4, 3, 2, 1], None, 0.7, 0, few=1) == [0, 1]
