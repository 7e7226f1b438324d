from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmaker import ConfigError, ContextConfig
from agentmaker.context.allocation import Demand, allocate


def spent(demand, kept):
    return sum(demand.costs[index] for index in kept) + (demand.opening if kept else 0)


def demand(name, quota, *costs, opening=0):
    return Demand(name=name, quota=quota, costs=costs, opening=opening)


class TestConfig:
    def test_the_defaults_are_those_of_the_documentation(self):
        config = ContextConfig()
        assert config.max_tokens is None
        assert config.output_reserve_ratio == 0.2
        assert config.source_ratios == {"history": 0.35, "rag": 0.30, "memory": 0.20, "tool": 0.15}
        assert (config.mmr_lambda, config.dedup_threshold) == (0.7, 0.95)
        assert (config.allow_borrow, config.min_chunk_tokens) == (True, 64)

    def test_a_known_window_gives_half_of_it(self):
        assert ContextConfig.for_window(1_000_000).max_tokens == 500_000
        assert ContextConfig.for_window(None, fallback_window=8000).max_tokens == 4000
        config = ContextConfig.for_window(16_000, use_ratio=0.25, allow_borrow=False)
        assert (config.max_tokens, config.allow_borrow) == (4000, False)

    def test_an_unknown_window_without_a_fallback_is_refused(self):
        with pytest.raises(ConfigError, match="fallback_window"):
            ContextConfig.for_window(None)

    @pytest.mark.parametrize(
        "knobs",
        [
            {"max_tokens": 0},
            {"max_tokens": "8000"},
            {"max_tokens": True},
            {"output_reserve_ratio": 1},
            {"output_reserve_ratio": -0.1},
            {"source_ratios": {}},
            {"source_ratios": ["rag"]},
            {"source_ratios": {"rag": -0.1}},
            {"source_ratios": {"rag": "0.5"}},
            {"source_ratios": {"rag": 0.7, "memory": 0.7}},
            {"mmr_lambda": 1.5},
            {"dedup_threshold": math.nan},
            {"min_chunk_tokens": 0},
            {"source_timeout": 0},
        ],
    )
    def test_a_knob_out_of_range_is_a_value_error_that_names_it(self, knobs):
        with pytest.raises(ValueError, match=next(iter(knobs))):
            ContextConfig(**knobs)

    def test_a_quota_smaller_than_a_chunk_is_named(self):
        config = ContextConfig(max_tokens=400)
        with pytest.raises(ConfigError, match=r"'tool' is 48 tokens, less than one chunk \(64\)"):
            config.validate()
        config.validate(min_chunk_tokens=48)

    def test_a_ratio_of_zero_only_borrows_and_needs_no_quota(self):
        ContextConfig(max_tokens=400, source_ratios={"rag": 1.0, "notes": 0}).validate()

    def test_max_tokens_may_be_missing_only_where_it_is_not_required(self):
        ContextConfig().validate(require_max_tokens=False)
        with pytest.raises(ConfigError, match="max_tokens is not set"):
            ContextConfig().validate()

    def test_the_callers_ratios_are_copied(self):
        ratios = {"rag": 0.5}
        config = ContextConfig(source_ratios=ratios)
        ratios["rag"] = 9
        assert config.source_ratios == {"rag": 0.5}

    def test_it_goes_to_a_dictionary_and_back(self):
        config = ContextConfig(max_tokens=900, source_ratios={"rag": 0.5})
        assert ContextConfig.from_dict(config.to_dict()) == config
        with pytest.raises(ConfigError, match="unknown keys max_token"):
            ContextConfig.from_dict({"max_token": 5})


def test_each_source_fills_its_quota_in_rank_order():
    kept = allocate([demand("a", 50, 20, 20, 20), demand("b", 50, 40, 30)], 100, borrow=False)
    assert kept == {"a": (0, 1), "b": (0,)}


def test_an_item_that_does_not_fit_is_skipped_and_does_not_end_its_source():
    assert allocate([demand("a", 50, 20, 45, 30)], 50) == {"a": (0, 2)}


def test_a_best_item_just_over_its_quota_comes_before_anothers_third():
    demands = [demand("big", 100, 105), demand("hungry", 100, 30, 30, 30, 30, 30, 30)]
    assert allocate(demands, 200)["big"] == (0,)


def test_idle_quota_is_shared_by_unmet_demand():
    demands = [demand("idle", 100), demand("a", 50, *[10] * 30), demand("b", 50, *[10] * 15)]
    kept = allocate(demands, 200)
    # 250 and 100 are unmet: 71 and 28 of the 100 idle tokens, and the last ten by rank.
    assert (len(kept["a"]), len(kept["b"])) == (12, 8)


def test_an_item_that_opens_its_source_makes_a_skipped_one_affordable():
    kept = allocate([demand("a", 0, 18, 5, opening=10)], 33)
    assert kept == {"a": (0, 1)}
    assert allocate([demand("a", 0, 25, 5, opening=10)], 34) == {"a": (1,)}


demands_and_room = (
    st.integers(0, 300)
    .flatmap(
        lambda room: st.tuples(
            st.lists(
                st.tuples(
                    st.integers(0, 40),
                    st.lists(st.integers(1, 120), max_size=8),
                    st.integers(0, 6),
                ),
                max_size=5,
            ),
            st.just(room),
        )
    )
    .map(
        lambda drawn: (
            [
                demand(name, drawn[1] * share // 200, *costs, opening=opening)
                for name, (share, costs, opening) in zip("abcde", drawn[0], strict=False)
            ],
            drawn[1],
        )
    )
)


@given(demands_and_room)
def test_what_is_kept_fits_the_room(drawn):
    demands, room = drawn
    kept = allocate(demands, room)
    assert sum(spent(each, kept[each.name]) for each in demands) <= room


@given(demands_and_room)
def test_no_item_that_fits_is_left_out(drawn):
    demands, room = drawn
    kept = allocate(demands, room)
    free = room - sum(spent(each, kept[each.name]) for each in demands)
    for each in demands:
        for index in set(range(len(each.costs))) - set(kept[each.name]):
            assert each.costs[index] + (0 if kept[each.name] else each.opening) > free


@given(demands_and_room)
def test_a_best_item_within_its_quota_is_always_kept(drawn):
    demands, room = drawn
    kept = allocate(demands, room)
    for each in demands:
        if each.costs and each.costs[0] + each.opening <= each.quota:
            assert 0 in kept[each.name]


@given(demands_and_room)
def test_a_best_item_has_first_claim_on_quota_that_others_can_never_use(drawn):
    demands, room = drawn
    kept = allocate(demands, room)
    surely_idle = room - sum(each.quota for each in demands)
    surely_idle += sum(max(0, each.quota - sum(each.costs) - each.opening) for each in demands)
    claims = sorted(
        (each.costs[0] + each.opening - each.quota, each.name) for each in demands if each.costs
    )
    smallest = next(((claim, name) for claim, name in claims if claim > 0), None)
    if smallest and smallest[0] <= surely_idle:
        assert 0 in kept[smallest[1]]


@given(demands_and_room, st.randoms())
def test_the_order_of_sources_does_not_matter(drawn, random):
    demands, room = drawn
    shuffled = random.sample(demands, len(demands))
    assert allocate(shuffled, room) == allocate(demands, room)


@given(demands_and_room)
def test_without_borrowing_no_source_exceeds_its_quota(drawn):
    demands, room = drawn
    kept = allocate(demands, room, borrow=False)
    assert all(spent(each, kept[each.name]) <= each.quota for each in demands)


def test_a_thousand_items_are_shared_in_milliseconds():
    kept = allocate([demand(name, 100, *[7] * 1000) for name in "abcd"], 20_000)
    assert sum(map(len, kept.values())) == 20_000 // 7
