from __future__ import annotations

import json
from threading import Thread

import pytest
import structlog

from agentmaker.calls.call import Usage
from agentmaker.calls.ledger import ROWS, Ledger, Row
from agentmaker.calls.recording import Record
from agentmaker.errors import ConfigError
from agentmaker.observe import JsonlSink, MemorySink, StructlogSink


def record(**changes):
    used = {"output": 1_000, "system": 100, "history": 400, "free": 500}
    rows = tuple(Row(name=name, used=used.get(name, 0), allotted=10, dropped=7) for name in ROWS)
    given = {
        "ledger": Ledger(window=2_000, rows=rows, estimate=500),
        "usage": Usage(prompt_tokens=505),
        "model": "gpt-4o",
        "run_id": "run",
    }
    return Record(**{**given, **changes})


def lines(path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_structlog_gets_one_event_with_flat_fields():
    with structlog.testing.capture_logs() as logs:
        StructlogSink()(record())
    assert len(logs) == 1
    assert logs[0]["event"] == "agentmaker.request"
    assert logs[0]["history_used"] == 400
    assert logs[0]["prompt_tokens"] == 505


def test_structlog_logs_as_the_program_configured_it_meanwhile():
    sink, seen = StructlogSink(), []

    def keep(logger, method, event):
        seen.append(method)
        raise structlog.DropEvent

    before = structlog.get_config()
    try:
        structlog.configure(processors=[keep])
        sink(record())
    finally:
        structlog.configure(**before)
    assert seen == ["info"]


def test_case_98_what_json_cannot_hold_reaches_no_log():
    with structlog.testing.capture_logs() as logs:
        StructlogSink()(record(model="m\ud83d", own_ms=float("nan")))
    assert (logs[0]["model"], logs[0]["own_ms"]) == ("m\N{REPLACEMENT CHARACTER}", None)


def test_a_file_gets_one_line_a_record(tmp_path):
    sink = JsonlSink(tmp_path / "ledger.jsonl")
    sink(record(run_id="one"))
    sink(record(run_id="two"))
    assert [line["run_id"] for line in lines(sink.path)] == ["one", "two"]


def test_nothing_is_made_before_the_first_record_and_then_the_folder_is(tmp_path):
    sink = JsonlSink(tmp_path / "logs" / "today" / "ledger.jsonl")
    assert not list(tmp_path.iterdir())
    sink(record())
    assert len(lines(sink.path)) == 1


def test_a_file_is_appended_to_and_may_be_moved_away_meanwhile(tmp_path):
    path = tmp_path / "ledger.jsonl"
    JsonlSink(str(path))(record())
    sink = JsonlSink(path)
    sink(record())
    path.rename(tmp_path / "ledger.1")
    sink(record())
    assert (len(lines(tmp_path / "ledger.1")), len(lines(path))) == (2, 1)


def test_threads_do_not_mix_their_lines(tmp_path):
    sink = JsonlSink(tmp_path / "ledger.jsonl")
    threads = [Thread(target=lambda: [sink(record()) for _ in range(20)]) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(lines(sink.path)) == 160


def test_a_file_that_cannot_be_written_raises(tmp_path):
    (tmp_path / "taken").write_text("")
    with pytest.raises(OSError, match="taken"):
        JsonlSink(tmp_path / "taken" / "ledger.jsonl")(record())


def test_memory_keeps_the_newest_records():
    sink = MemorySink(maximum=2)
    assert sink.last is None
    for run in ("one", "two", "three"):
        sink(record(run_id=run))
    assert [kept.run_id for kept in sink] == ["two", "three"]
    assert sink.last is sink.records[-1]
    assert len(sink) == 2


def test_memory_can_be_cleared():
    sink = MemorySink()
    sink(record())
    sink.clear()
    assert sink.records == ()


def test_memory_for_no_record_is_refused():
    with pytest.raises(ConfigError, match="at least 1"):
        MemorySink(maximum=0)
