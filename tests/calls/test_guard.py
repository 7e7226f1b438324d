from __future__ import annotations

import pytest

from agentmaker.calls.guard import guarded

CANARY = "sk-CANARY0123456789"


def fails(value):
    raise ValueError(f"the key {CANARY} is wrong")


def test_case_95_what_fails_is_logged_by_its_type_alone(caplog):
    guarded(fails, 1, "a sink")
    assert "a sink failed: ValueError" in caplog.text
    assert CANARY not in caplog.text


def test_an_order_to_stop_passes():
    def stops(value):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        guarded(stops, 1, "a sink")
