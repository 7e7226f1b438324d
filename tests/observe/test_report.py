from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmaker.calls.ledger import ROWS
from agentmaker.observe import report

TOKENS = st.integers(min_value=0, max_value=10**6)


def fields(**changes):
    record = {f"{name}_{part}": 0 for name in ROWS for part in ("allotted", "used", "dropped")}
    used = {"output_used": 500, "history_used": 400, "free_used": 100}
    return {**record, "purpose": "request", "outcome": "ok", "window": 1_000, **used, **changes}


@st.composite
def any_fields(draw):
    used = {f"{name}_used": draw(TOKENS) for name in ROWS}
    return fields(**used, window=sum(used.values()), estimate=draw(TOKENS))


@given(st.lists(any_fields(), min_size=1))
def test_shares_add_up_to_the_windows(records):
    streams = report.streams(records)
    assert sum(stream.used for stream in streams) == sum(record["window"] for record in records)
    if any(record["window"] for record in records):
        assert sum(stream.share for stream in streams) == pytest.approx(1)


def test_streams_stand_in_the_order_of_the_ledger():
    assert [stream.name for stream in report.streams([fields()])] == list(ROWS)


def test_totals_of_nothing_are_zero():
    totals = report.totals([])
    assert (totals.requests, totals.estimate, totals.prefix_kept) == (0, 0, None)
    assert {stream.share for stream in totals.streams} == {0.0}


def test_totals_add_up_what_was_sent_dropped_and_counted():
    totals = report.totals(
        [
            fields(estimate=400, history_dropped=30, prompt_tokens=410, cached_tokens=100),
            fields(estimate=300, trajectory_dropped=5, prompt_tokens=None),
        ]
    )
    assert (totals.estimate, totals.dropped) == (700, 35)
    assert (totals.prompt_tokens, totals.cached_tokens) == (410, 100)


def test_outcomes_and_purposes_are_counted_by_name():
    totals = report.totals([fields(), fields(outcome="ContextOverflow"), fields(purpose="summary")])
    assert totals.outcomes == {"ok": 2, "ContextOverflow": 1}
    assert totals.purposes == {"request": 2, "summary": 1}


def test_the_prefix_kept_is_weighted_by_size_and_skips_first_requests():
    totals = report.totals(
        [
            fields(prefix_kept=None, estimate=900),
            fields(prefix_kept=1.0, estimate=300),
            fields(prefix_kept=0.5, estimate=100),
        ]
    )
    assert totals.prefix_kept == pytest.approx((300 + 50) / 400)


def test_the_worst_error_keeps_its_sign():
    totals = report.totals([fields(estimate_error=0.01), fields(estimate_error=-0.05)])
    assert totals.worst_estimate_error == -0.05


def test_a_record_of_a_request_that_never_got_a_ledger_is_counted():
    failed = {"purpose": "request", "outcome": "ContextWindowExceeded"}
    assert report.totals([failed]).requests == 1
    assert report.table([failed])[0][1:] == ("request", *[""] * 13, "ContextWindowExceeded")


def test_a_line_of_the_table_stands_under_its_columns():
    line = report.table([fields(history_dropped=1_234, prefix_kept=0.97, estimate_error=-0.004)])
    shown = dict(zip(report.COLUMNS, line[0], strict=True))
    assert (shown[""], shown["purpose"]) == ("1", "request")
    assert shown["window"] == "1,000"
    assert shown["history"] == "400"
    assert shown["dropped"] == "1,234"
    assert shown["prefix"] == "97%"
    assert shown["error"] == "-0.4%"


def test_an_error_that_rounds_to_nothing_has_no_sign():
    line = report.table([fields(estimate_error=-0.0001)])[0]
    assert line[report.COLUMNS.index("error")] == "0.0%"


def test_a_factor_is_shown_of_requests_that_were_calibrated():
    records = [
        fields(factor=1.25, samples=2),
        fields(factor=1.3, samples=3),
        fields(factor=1.0, samples=0),
    ]
    column = report.COLUMNS.index("factor")
    assert [line[column] for line in report.table(records)] == ["1.250", "1.300", ""]
    assert report.totals(records).factor == 1.3
    assert report.totals(records[2:]).factor is None


def test_a_file_is_read_back_without_its_blank_lines(tmp_path):
    path = tmp_path / "ledger.jsonl"
    path.write_text('{"outcome": "ok"}\n\n{"outcome": "ok", "window": 5}\n')
    assert [record.get("window") for record in report.read_jsonl(path)] == [None, 5]


@pytest.mark.parametrize("broken", [b"{", b"[]", b'{"model": "m"}', b"\xff\xfe"])
def test_a_broken_line_is_named_with_its_file(tmp_path, broken):
    path = tmp_path / "ledger.jsonl"
    path.write_bytes(b'{"outcome": "ok"}\n' + broken + b"\n")
    with pytest.raises(ValueError, match=r"ledger\.jsonl:2: expected"):
        report.read_jsonl(path)
