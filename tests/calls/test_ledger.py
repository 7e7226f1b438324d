from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmaker.calls.ledger import ROWS, Ledger, Row

numbers = st.lists(st.integers(0, 5_000), min_size=len(ROWS), max_size=len(ROWS))


def ledger(used: list[int]) -> Ledger:
    rows = tuple(Row(name=name, used=each) for name, each in zip(ROWS, used, strict=True))
    return Ledger(window=sum(used), rows=rows, estimate=0)


@given(numbers)
def test_case_107_the_rows_add_up_to_the_window(used):
    assert sum(row.used for row in ledger(used)) == ledger(used).window


@given(numbers, st.integers(-50, 50).filter(bool))
def test_case_107_a_ledger_that_does_not_add_up_cannot_be_made(used, off):
    with pytest.raises(ValueError, match="do not add up"):
        replace(ledger(used), window=sum(used) + off)


@pytest.mark.parametrize("name", ["allotted", "used", "dropped"])
def test_case_106_no_number_of_a_ledger_is_negative(name):
    row = replace(Row(name="free"), **{name: -1})
    with pytest.raises(ValueError, match="negative"):
        Ledger(window=row.used, rows=(row,), estimate=0)


def test_a_row_is_found_by_its_name():
    row = Row(name="tools", allotted=9, used=7)
    found = Ledger(window=7, rows=(row,), estimate=7)
    assert found["tools"] is row
    assert found["block"] == Row(name="block")


def test_what_was_left_out_adds_up_over_the_rows():
    rows = (Row(name="history", dropped=40), Row(name="trajectory", dropped=2))
    assert Ledger(window=0, rows=rows, estimate=0).dropped == 42
