from __future__ import annotations

import pytest

from agentmaker import ConfigError, GSSCConfig


def test_the_defaults_are_those_of_the_documentation():
    config = GSSCConfig()
    assert (config.max_tokens, config.reserve_ratio, config.room) == (3000, 0.2, 2400)
    assert (config.min_relevance, config.enable_compression) == (0.1, True)
    assert (config.recency_weight, config.relevance_weight) == (0.3, 0.7)


@pytest.mark.parametrize(
    "knobs",
    [
        {"max_tokens": 0},
        {"max_tokens": 10.5},
        {"reserve_ratio": 1},
        {"reserve_ratio": -0.1},
        {"min_relevance": 2},
        {"enable_compression": 1},
        {"recency_weight": -0.5, "relevance_weight": 1.5},
        {"source_timeout": 0},
    ],
)
def test_a_knob_out_of_range_is_refused(knobs):
    with pytest.raises(ConfigError):
        GSSCConfig(**knobs)


def test_weights_that_do_not_sum_to_one_are_refused_by_name():
    with pytest.raises(
        ConfigError, match=r"recency_weight 0\.3 and relevance_weight 0\.6 must sum"
    ):
        GSSCConfig(relevance_weight=0.6)


def test_weights_may_be_any_that_sum_to_one():
    assert GSSCConfig(recency_weight=0.1, relevance_weight=0.9).recency_weight == 0.1
    assert GSSCConfig(recency_weight=1, relevance_weight=0).relevance_weight == 0
