from __future__ import annotations

import math

import pytest

from agentmaker.context.knobs import check_count, check_share
from agentmaker.errors import ConfigError


def test_good_values_come_back():
    assert check_count("n", 3, least=3) == 3
    assert check_share("s", 1) == 1.0
    assert check_share("s", 0) == 0.0


@pytest.mark.parametrize("value", [2, -1, 3.0, True, None, "3", math.nan])
def test_a_count_is_a_whole_number_of_at_least_the_least(value):
    with pytest.raises(ConfigError, match=r"n must be a whole number of at least 3, not"):
        check_count("n", value, least=3)


@pytest.mark.parametrize("value", [-0.1, 1.1, True, None, "0.5", math.nan, math.inf, 10**400])
def test_a_share_lies_between_nought_and_one(value):
    with pytest.raises(ConfigError, match="s must be a number from 0 to 1, not"):
        check_share("s", value)


def test_nought_can_be_refused():
    with pytest.raises(ConfigError, match="above 0"):
        check_share("s", 0, zero=False)
