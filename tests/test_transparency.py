"""The benchmark of transparency sees a difference where there is one."""

from __future__ import annotations

import anyio
import pytest

from benchmarks import bench_transparency
from benchmarks.bench_transparency import compared, measured
from benchmarks.data import recorded

ASKED = {"role": "user", "content": "Where is my bag?"}
ANSWERED = {"role": "assistant", "content": "In Lyon."}


def test_a_conversation_that_fits_leaves_as_it_came():
    found = recorded("made up", [ASKED, ANSWERED, ASKED, ANSWERED])
    tally = anyio.run(compared, "made up", [found], None)
    assert tally.row() == ("made up", "2", "4", "0", "0", "0")


def test_what_is_cut_or_mended_is_a_difference(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(bench_transparency, "WINDOW", 2_000)
    talk = [{**each, "content": each["content"] * 200} for each in (ASKED, ANSWERED)] * 3
    tally = anyio.run(compared, "made up", [recorded("made up", [*talk, ANSWERED])], None)
    assert len(tally.different) == 3
    assert tally.different[-1].startswith("messages; first different message: 0")


def test_calls_that_share_an_id_are_not_compared():
    call = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    step = [{"role": "assistant", "content": None, "tool_calls": [call]}]
    step += [{"role": "tool", "tool_call_id": "c1", "content": "seen"}]
    found = recorded("made up", [ASKED, *step, *step, ANSWERED])
    tally = anyio.run(compared, "made up", [found], None)
    assert (tally.requests, tally.invalid) == (2, 1)


def test_a_folder_without_data_compares_nothing(tmp_path):
    report = anyio.run(measured, tmp_path)
    assert (report.tables[0].rows, report.met) == ([], True)
