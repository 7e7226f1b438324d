from __future__ import annotations

import pytest

from agentmaker import WindowBudgetConfig
from agentmaker.calls.setting import Setting


@pytest.mark.parametrize(("mark", "fills"), [(0.6, False), (1.0, True)])
def test_a_mark_at_the_brim_fills_the_window(mark, fills):
    assert Setting(window=9, budget=WindowBudgetConfig(low_water=mark)).fills is fills


def test_settings_are_equal_whatever_they_remember():
    assert Setting(window=9) == Setting(window=9)
    assert Setting(window=9).views is not Setting(window=9).views
