"""The loop of the agents is measured as it is said to be, at a size small enough for a test."""

from __future__ import annotations

import json
import sys

import pytest

from benchmarks import bench_agent_loop
from benchmarks.bench_agent_loop import measured, ours
from benchmarks.loop_script import Steps


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_agent_loop, "EARLY", (2, 4))


def test_our_agents_come_to_the_end_of_a_loop(few: None) -> None:
    agents = ours(sys.executable)
    report = measured(agents, steps=6, rounds=1)
    loop, beside, _ = report.all_tables()
    assert [row[0] for row in loop.rows] == [agent.name for agent in agents]
    assert {row[6:10] for row in loop.rows} == {("7", "0", "0", "0")}
    assert bench_agent_loop.BARE not in beside.columns
    assert report.bars[0].met
    assert not [bar for bar in report.bars if "LangChain" in bar.claim]


def test_every_step_is_timed_where_its_tool_runs(capsys: pytest.CaptureFixture[str]) -> None:
    steps = Steps(["one", "two", "three"])
    assert [steps.look("q") for _ in range(3)] == ["one", "two", "three"]
    steps.end("Done.")
    found = json.loads(capsys.readouterr().out)
    assert found["answer"] == "Done."
    assert found["clock"] == sorted(found["clock"])
    assert 0 <= steps.spent.between(1, 3) <= found["cpu"]
    assert len(found["resident"]) == 3
    assert found["peak"] > 0


def test_langchain_is_where_the_environment_says_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(bench_agent_loop.LANGCHAIN, sys.executable)
    (found,) = bench_agent_loop.langchain()
    assert found.command[0] == sys.executable
    monkeypatch.delenv(bench_agent_loop.LANGCHAIN)
    monkeypatch.setattr(bench_agent_loop, "find_spec", lambda name: None)
    assert bench_agent_loop.langchain() == ()
