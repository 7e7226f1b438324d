"""What the estimate is learned from and how, without the texts themselves."""

from __future__ import annotations

import random

import pytest

from agentmaker.tokens.codes import ALWAYS, BEYOND_ASCII
from agentmaker.tokens.estimated import Estimate
from agentmaker.tokens.weights import WEIGHTS
from benchmarks.made_kinds import KINDS
from benchmarks.maker import Maker

WORDS = ("order", "left", "the", "warehouse", "naïve", "Status", "x")


@pytest.fixture
def fit():
    pytest.importorskip("numpy")
    pytest.importorskip("splintr")
    from benchmarks import fit_estimate

    return fit_estimate


def made(kind, seed):
    return KINDS[kind](Maker(random.Random(seed), WORDS))


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_is_made_up_the_same_from_the_same_seed_only(kind):
    texts = [made(kind, seed) for seed in range(8)]
    assert texts == [made(kind, seed) for seed in range(8)]
    assert all(texts)
    assert len(set(texts)) > 4


def test_places_in_a_source_map_are_written_as_its_format_says():
    from benchmarks.made_kinds import _variable_length

    written = {0: "A", 1: "C", -1: "D", 15: "e", 16: "gB", -16: "hB", 1_000: "w+B"}
    assert {number: _variable_length(number) for number in written} == written


def test_the_weights_stand_as_they_are_written(fit):
    assert fit.TARGET.read_text(encoding="utf-8") == fit.written(WEIGHTS)
    assert tuple(WEIGHTS) == fit.VOCABULARIES


@pytest.mark.parametrize("text", ["The order left.", "订单已经发货。", "Ünï 1,204 {x}\n" * 9])
def test_worths_are_packed_so_that_an_estimate_is_their_sum(fit, text, monkeypatch):
    import numpy as np

    worths = np.random.default_rng(1).uniform(-0.01, 0.1, (len(fit.TABLES), 256))
    worths[fit.TABLES.index("scripts"), :16] = 0
    monkeypatch.setitem(WEIGHTS, "made up", tuple(fit.tables_of(worths.ravel())))
    expected = fit.counts(text) @ worths.ravel()
    assert Estimate("made up")(text) == pytest.approx(expected, rel=0.02, abs=1)


def test_worths_that_make_up_the_counts_are_found_again(fit):
    import numpy as np

    chance = np.random.default_rng(2)
    features = np.zeros((200, 256 * (len(ALWAYS) + len(BEYOND_ASCII))), np.float32)
    features[:, :4] = chance.integers(1, 90, (200, 4))
    features[: fit.SEEN - 1, 4] = 1
    tokens = features[:, :4] @ np.array([0.2, 0.5, 0.1, 1.0])
    worths = fit.fitted(features, tokens, np.full(200, 1 / 200))
    assert worths[:4] == pytest.approx([0.2, 0.5, 0.1, 1.0], rel=0.05)
    assert not worths[4:].any()


def test_a_text_is_left_out_with_all_of_its_source(fit, monkeypatch):
    import numpy as np

    source_of = np.arange(200) // 10
    texts = [fit.Text("kind", f"source {number}", "") for number in source_of]
    learned_from = []

    def fitted(features, tokens, matters):
        learned_from.append(set(features[:, 0]))
        return np.full(1, 0.5)

    monkeypatch.setattr(fit, "fitted", fitted)
    features = source_of[:, None] + 4.0
    errors = fit.left_out(texts, features, np.full(200, 2.0), np.ones(200))
    assert errors == pytest.approx(features[:, 0] / 4 - 1)
    left_out = [set(features[:, 0]) - known for known in learned_from]
    assert sorted(source for some in left_out for source in some) == sorted(set(features[:, 0]))
