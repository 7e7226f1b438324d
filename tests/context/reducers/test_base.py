from __future__ import annotations

import pytest

from agentmaker.context.reducers import (
    REDUCERS,
    ReducerConfig,
    reduce_agent,
    reduce_plan,
    reduce_reflection,
    tokens_of,
)
from agentmaker.errors import ConfigError


def test_every_paradigm_has_its_reducer():
    assert {
        "agent": reduce_agent,
        "plan": reduce_plan,
        "reflection": reduce_reflection,
    } == REDUCERS


def test_tokens_of_adds_up_texts():
    assert tokens_of() == 0
    assert tokens_of("hello world", "字") == 4
    assert tokens_of("abc", "d", counter=len) == 4


def test_the_documented_defaults():
    config = ReducerConfig()
    assert (config.agent_keep_recent_steps, config.plan_keep_recent) == (3, 3)


@pytest.mark.parametrize("knob", ["agent_keep_recent_steps", "plan_keep_recent"])
@pytest.mark.parametrize("value", [-1, True, 2.5, None])
def test_a_bad_knob_is_refused_by_name(knob, value):
    with pytest.raises(ConfigError, match=knob):
        ReducerConfig(**{knob: value})
