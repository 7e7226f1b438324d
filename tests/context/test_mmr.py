from __future__ import annotations

import math
from array import array
from struct import pack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmaker import RetrievalResult, mmr_select
from agentmaker.context import mmr


def result(content, score, embedding=None):
    return RetrievalResult(content=content, score=score, source="rag", embedding=embedding)


def contents(results):
    return [each.content for each in results]


def naive(candidates, top_k, lambda_, threshold):
    """The definition, word for word."""
    best = {}
    for each in candidates:
        if each.content not in best or each.score > best[each.content].score:
            best[each.content] = each
    pool = list(best.values())
    scores = [each.score for each in pool]
    if not pool:
        return []
    if min(scores) == max(scores):
        relevance = dict.fromkeys(range(len(pool)), 1.0)
    elif min(scores) < 0:
        low, high = min(scores), max(scores)
        relevance = {i: (score - low) / (high - low) for i, score in enumerate(scores)}
    else:
        relevance = {i: score / max(scores) for i, score in enumerate(scores)}

    def cosine(a, b):
        if a is None or b is None or len(a) != len(b):
            return 0.0
        norms = math.sqrt(sum(x * x for x in a)) * math.sqrt(sum(x * x for x in b))
        return round(sum(x * y for x, y in zip(a, b, strict=True)) / norms, 9) if norms else 0.0

    chosen, waiting = [], list(range(len(pool)))
    while waiting and (top_k is None or len(chosen) < top_k):
        near = {
            i: max((cosine(pool[i].embedding, pool[j].embedding) for j in chosen), default=None)
            for i in waiting
        }
        waiting = [i for i in waiting if near[i] is None or near[i] < threshold]
        if not waiting:
            break
        value = {i: lambda_ * relevance[i] - (1 - lambda_) * max(near[i] or 0, 0) for i in waiting}
        pick = max(waiting, key=lambda i: (round(value[i], 9), -i))
        chosen.append(pick)
        waiting.remove(pick)
    return [pool[i].content for i in chosen]


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


@pytest.mark.parametrize(
    "bad",
    [
        [math.nan, 1.0],
        [math.inf, 0.0],
        [0.0, 0.0],
        [],
        [1.0],
        ["x", "y"],
        [[1.0, 0.0]],
        b"abc",
        5,
        object(),
        None,
    ],
)
@pytest.mark.parametrize("many", [0, 256], ids=["numpy", "pure"])
def test_an_embedding_that_cannot_be_compared_is_like_no_other(monkeypatch, bad, many):
    use(monkeypatch, many)
    candidates = [result("a", 1, [1.0, 0.0]), result("b", 0.9, bad), result("c", 0.8, [1.0, 0.0])]
    assert contents(mmr_select(candidates)) == ["a", "b"]


@pytest.mark.parametrize(
    "kind",
    [
        list,
        tuple,
        lambda values: array("f", values),
        lambda values: array("d", values),
        lambda values: memoryview(array("d", values)),
        lambda values: pack(f"{len(values)}f", *values),
        lambda values: bytearray(pack(f"{len(values)}f", *values)),
        lambda values: pytest.importorskip("numpy").array(values),
        lambda values: pytest.importorskip("numpy").array(values, dtype="float32"),
    ],
)
@pytest.mark.parametrize("many", [0, 256], ids=["numpy", "pure"])
def test_any_kind_of_vector_is_read(monkeypatch, kind, many):
    use(monkeypatch, many)
    vectors = [[1.0, 0.0], [0.5, 0.0], [0.0, 1.0]]
    candidates = [result(str(i), 1 - i / 10, kind(vector)) for i, vector in enumerate(vectors)]
    assert contents(mmr_select(candidates)) == ["0", "2"]


vectors = st.one_of(
    st.none(),
    st.lists(st.integers(-3, 3), min_size=3, max_size=3),
    st.lists(st.integers(-3, 3), min_size=2, max_size=2),
)
candidate_lists = st.lists(
    st.builds(result, st.sampled_from("abcdefgh"), st.integers(-2, 5), vectors), max_size=9
)


@given(
    candidate_lists,
    st.one_of(st.none(), st.integers(0, 5)),
    st.sampled_from([0, 0.3, 0.7, 1]),
    st.sampled_from([0, 0.5, 0.95, 1, 1.5]),
)
def test_picks_are_those_of_the_definition(candidates, top_k, lambda_, threshold):
    options = {"top_k": top_k, "lambda_": lambda_, "dedup_threshold": threshold}
    assert contents(mmr_select(candidates, **options)) == naive(candidates, *options.values())


@given(
    st.lists(
        st.builds(
            result,
            st.text(max_size=3),
            st.floats(0, 1),
            st.one_of(st.none(), st.lists(st.floats(-1, 1), min_size=4, max_size=4)),
        ),
        max_size=12,
    ),
    st.sampled_from([0.3, 0.7]),
)
def test_both_forms_pick_the_same(candidates, lambda_):
    pytest.importorskip("numpy")
    with pytest.MonkeyPatch.context() as patch:
        use(patch, 256)
        pure = mmr_select(candidates, lambda_=lambda_)
    with pytest.MonkeyPatch.context() as patch:
        use(patch, 0)
        assert mmr_select(candidates, lambda_=lambda_) == pure


def test_without_numpy_many_candidates_are_picked_all_the_same(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "numpy", None)
    candidates = [result(str(i), 1 / (i + 1), [i % 7, 1]) for i in range(300)]
    assert len(mmr_select(candidates, top_k=3)) == 3


def test_no_candidates_and_none_wanted():
    assert mmr_select([]) == []
    assert mmr_select([result("a", 1)], top_k=0) == []


@pytest.mark.parametrize(
    ("options", "knob"),
    [
        ({"top_k": -1}, "top_k"),
        ({"lambda_": -0.1}, "lambda_"),
        ({"lambda_": 1.1}, "lambda_"),
        ({"lambda_": math.nan}, "lambda_"),
        ({"dedup_threshold": -0.1}, "dedup_threshold"),
        ({"dedup_threshold": math.nan}, "dedup_threshold"),
    ],
)
def test_a_knob_out_of_range_is_refused(options, knob):
    with pytest.raises(ValueError, match=knob):
        mmr_select([], **options)


def use(patch, many):
    """Make mmr take the numpy form from *many* candidates on, whatever is imported."""
    if many == 0:
        pytest.importorskip("numpy")
    numpy = __import__("numpy") if many == 0 else None
    patch.setattr(mmr, "_numpy_for", lambda embeddings: numpy)
