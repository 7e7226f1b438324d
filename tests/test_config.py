from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmaker.config import AgentmakerConfig
from agentmaker.context.allocation import ContextConfig
from agentmaker.context.budget import WindowBudgetConfig
from agentmaker.context.kept import CompactionConfig, ReducerConfig
from agentmaker.errors import ConfigError
from agentmaker.tokens import MediaTokens

SHARES = st.floats(0.01, 0.99)
COUNTS = st.integers(1, 10_000)
MEDIA = st.integers(1, 100_000)
CONFIGS = st.builds(
    AgentmakerConfig,
    context=st.builds(
        ContextConfig,
        max_tokens=st.none() | COUNTS,
        output_reserve_ratio=SHARES,
        source_ratios=st.dictionaries(
            st.text(min_size=1), st.floats(0.01, 0.2), min_size=1, max_size=4
        ),
        mmr_lambda=SHARES,
        allow_borrow=st.booleans(),
    ),
    reducer=st.builds(ReducerConfig, COUNTS, COUNTS),
    compaction=st.builds(CompactionConfig, COUNTS, COUNTS),
    window_budget=st.builds(
        WindowBudgetConfig, COUNTS, SHARES, SHARES, min_output_tokens=COUNTS, low_water=SHARES
    ),
    media=st.builds(MediaTokens, MEDIA, MEDIA, MEDIA, MEDIA),
    language=st.sampled_from(["en", "zh", "zh-CN"]),
    send=st.sampled_from(["auto", "body", "create"]),
)


def test_an_unknown_way_to_send_is_refused():
    with pytest.raises(ConfigError, match="send must be 'auto', 'body' or 'create', not 'bytes'"):
        AgentmakerConfig(send="bytes")


@given(CONFIGS)
def test_a_configuration_survives_json(config):
    written = json.loads(json.dumps(config.to_dict()))
    assert AgentmakerConfig.from_dict(written) == config


def test_what_is_left_out_has_its_default():
    config = AgentmakerConfig.from_dict({"compaction": {"keep_recent": 7}})
    assert config == AgentmakerConfig(compaction=CompactionConfig(keep_recent=7))
    assert AgentmakerConfig.from_dict({}) == AgentmakerConfig()


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ({"contxt": {}}, "contxt"),
        ({"context": {"max_tokenz": 5}}, "context.max_tokenz"),
        ({"window_budget": {"rag": 0.1, "low": 1}}, "window_budget.rag, window_budget.low"),
        ({"reducer": {1: 2}}, "reducer.1"),
    ],
)
def test_an_unknown_key_is_named_at_any_level(values, named):
    with pytest.raises(ConfigError, match=f"unknown configuration key {named}: "):
        AgentmakerConfig.from_dict(values)


@pytest.mark.parametrize("values", [{"context": 5}, {"context": None}, []])
def test_a_part_that_is_no_dictionary_is_refused(values):
    with pytest.raises(ConfigError, match="must be a dictionary"):
        AgentmakerConfig.from_dict(values)


def test_a_value_out_of_range_is_refused_by_name():
    with pytest.raises(ConfigError, match="rag_ratio"):
        AgentmakerConfig.from_dict({"window_budget": {"rag_ratio": 3}})
    with pytest.raises(ConfigError, match=r"media.image must be a whole number of 1 to 100,000"):
        AgentmakerConfig.from_dict({"media": {"image": 0}})


@pytest.mark.parametrize(
    "given", [{"media": 2_000}, {"media": {"image": 2_000}}, {"window_budget": None}]
)
def test_a_part_of_another_type_is_refused_when_it_is_given(given):
    (name,) = given
    with pytest.raises(ConfigError, match=f"{name} must be a .*: write {name}="):
        AgentmakerConfig(**given)


@pytest.mark.parametrize("value", ["no", 0, None])
def test_a_switch_is_true_or_false(value):
    with pytest.raises(ConfigError, match="calibrate must be True or False"):
        WindowBudgetConfig(calibrate=value)


@pytest.mark.parametrize("language", ["xx", "", None, 3])
def test_a_language_without_prompts_is_refused(language):
    with pytest.raises(ConfigError, match="language"):
        AgentmakerConfig(language=language)


def test_the_prompts_are_those_of_the_language():
    assert AgentmakerConfig().prompts.text("context.summary_prefix") == "[Recap] "
    assert AgentmakerConfig(language="zh-CN").prompts.text("context.summary_prefix") == "[回顾] "


def test_for_window_sizes_the_context_and_keeps_the_rest():
    base = AgentmakerConfig(
        context=ContextConfig(mmr_lambda=0.2), compaction=CompactionConfig(keep_recent=9)
    )
    sized = base.for_window(1_000_000)
    assert sized.context == ContextConfig(max_tokens=500_000, mmr_lambda=0.2)
    assert sized.compaction == base.compaction
    assert base.context.max_tokens is None
    assert base.for_window(8_000, use_ratio=0.25).context.max_tokens == 2_000


def test_an_unknown_window_needs_a_fallback():
    assert AgentmakerConfig().for_window(None, fallback_window=8_000).context.max_tokens == 4_000
    with pytest.raises(ConfigError, match="fallback_window"):
        AgentmakerConfig().for_window(None)
