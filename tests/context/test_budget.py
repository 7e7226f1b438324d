from __future__ import annotations

import math
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmaker.context.budget import WindowBudget, WindowBudgetConfig
from agentmaker.errors import ConfigError


def model(window, max_output_tokens=None):
    return SimpleNamespace(context_window=window, max_output_tokens=max_output_tokens)


def test_the_accounts_of_the_documented_example():
    budget = WindowBudget.for_run(
        llm=model(200_000), cfg=WindowBudgetConfig(), system_tokens=800, tool_tokens=1200
    )
    assert budget is not None
    assert budget.output_reserve == 4096
    assert budget.fixed == 2000
    assert budget.spendable == 193_904
    assert budget.rag_budget == 67_866
    assert budget.trajectory_budget(rag_in_scope=True) == 194_704
    assert budget.trajectory_budget(rag_in_scope=False) == 126_038


def test_an_unknown_window_has_no_budget():
    assert WindowBudget.for_run(llm=model(None), cfg=WindowBudgetConfig()) is None


def test_a_model_that_says_nothing_of_its_output_cap_is_welcome():
    budget = WindowBudget.for_run(
        llm=SimpleNamespace(context_window=1_000), cfg=WindowBudgetConfig()
    )
    assert budget is not None
    assert budget.output_reserve == 500


@pytest.mark.parametrize(
    ("window", "cap", "reserve"),
    [(200_000, None, 4096), (200_000, 1000, 1000), (4_000, None, 2000), (4_000, 100, 100)],
)
def test_the_reserve_is_the_smallest_of_wish_share_and_cap(window, cap, reserve):
    cfg = WindowBudgetConfig()
    assert cfg.output_reserve(window=window, model_max_output=cap) == reserve


def test_a_ratio_for_one_run_overrides_the_configured_one():
    budget = WindowBudget.for_run(llm=model(10_000), cfg=WindowBudgetConfig(), rag_ratio=0.0)
    assert budget is not None
    assert budget.rag_budget == 0
    assert budget.trajectory_budget(rag_in_scope=False) == budget.spendable


@pytest.mark.parametrize(
    ("knob", "value", "allowed"),
    [
        ("desired_output_tokens", 0, "at least 1"),
        ("desired_output_tokens", True, "at least 1"),
        ("desired_output_tokens", 1.5, "whole number"),
        ("desired_output_tokens", "many", "whole number"),
        ("max_output_fraction", 0, "above 0 to 1"),
        ("max_output_fraction", 1.2, "above 0 to 1"),
        ("max_output_fraction", None, "above 0 to 1"),
        ("rag_ratio", -0.1, "from 0 to 1"),
        ("rag_ratio", math.nan, "from 0 to 1"),
        ("rag_ratio", True, "from 0 to 1"),
        ("min_output_tokens", -1, "at least 1"),
        ("low_water", 0, "above 0 to 1"),
    ],
)
def test_a_bad_knob_is_refused_by_name_with_the_allowed_range(knob, value, allowed):
    with pytest.raises(ConfigError, match=f"{knob}.*{allowed}"):
        WindowBudgetConfig(**{knob: value})


def test_a_config_error_is_a_value_error():
    with pytest.raises(ValueError, match="rag_ratio"):
        WindowBudgetConfig(rag_ratio=2).validate()


@pytest.mark.parametrize("bad", [{"system_tokens": -1}, {"tool_tokens": 0.5}, {"rag_ratio": 7}])
def test_a_bad_measurement_is_refused_by_name(bad):
    with pytest.raises(ConfigError, match=next(iter(bad))):
        WindowBudget.for_run(llm=model(1000), cfg=WindowBudgetConfig(), **bad)


@pytest.mark.parametrize("window", [0, -5, True, "8k"])
def test_a_model_with_an_impossible_window_is_refused(window):
    with pytest.raises(ConfigError, match="context_window"):
        WindowBudget.for_run(llm=model(window), cfg=WindowBudgetConfig())


def test_case_106_a_reserve_as_large_as_the_window_is_held_to_its_share():
    for window, wish in [(32_000, 32_000), (32_000, 64_000), (200_000, 400_000)]:
        cfg = WindowBudgetConfig(desired_output_tokens=wish)
        budget = WindowBudget.for_run(llm=model(window), cfg=cfg)
        assert budget is not None
        assert budget.output_reserve == window // 2
        assert budget.spendable == window // 2


@given(
    window=st.integers(1, 2_000_000),
    wish=st.integers(1, 500_000),
    share=st.floats(0.001, 1),
    ratio=st.floats(0, 1),
    cap=st.none() | st.integers(1, 200_000),
    system=st.integers(0, 500_000),
    tools=st.integers(0, 500_000),
)
def test_no_account_is_negative_and_the_parts_sum_to_the_window(
    window, wish, share, ratio, cap, system, tools
):
    cfg = WindowBudgetConfig(desired_output_tokens=wish, max_output_fraction=share, rag_ratio=ratio)
    budget = WindowBudget.for_run(
        llm=model(window, cap), cfg=cfg, system_tokens=system, tool_tokens=tools
    )
    assert budget is not None
    rest = budget.trajectory_budget(rag_in_scope=False)
    parts = [budget.output_reserve, budget.fixed, budget.rag_budget, rest]
    assert min(*parts, budget.spendable, budget.trajectory_budget(rag_in_scope=True)) >= 0
    if budget.output_reserve + budget.fixed <= window:
        assert sum(parts) == window
    else:
        assert budget.spendable == 0
