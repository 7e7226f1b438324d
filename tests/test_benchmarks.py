"""The benchmarks measure what they say, at sizes small enough for a test."""

from __future__ import annotations

import json
import sys
from functools import partial
from pathlib import Path

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmaker import AgentmakerConfig
from benchmarks import (
    bench_builder,
    bench_calibration,
    bench_cost,
    bench_exact,
    bench_fill,
    bench_fits,
    bench_load,
    bench_low_water,
    bench_prefix,
    command,
)
from benchmarks.awkward import MEGABYTE, megabytes, mixtures
from benchmarks.bench_refusals import COLLECTED, Refusal, outcome, recorded
from benchmarks.cases import KINDS, LARGEST, OUTPUT_TOKENS, cases
from benchmarks.counted_otherwise import Told, by_template, never
from benchmarks.data import conversations
from benchmarks.docs import PAGES, filled, shown
from benchmarks.figures import Bar, Report, Table, saved
from benchmarks.independent import Validator, prompt_tokens, prompt_tokens_with_ids
from benchmarks.instant import Instant
from benchmarks.prefix import PrefixMeter, common_prefix
from benchmarks.references import REFERENCES, Encode, Reference
from benchmarks.tool_loop import FIXED, tool_loop

SCHEMA = {
    "type": "object",
    "properties": {"messages": {"items": {"properties": {"role": {"enum": ["user", "tool"]}}}}},
}
CALL = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
ASKED = {"role": "user", "content": "Where is my bag?"}
ANSWERED = {"role": "assistant", "content": "In Lyon."}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A data folder with one small conversation of every kind."""
    files = {
        "tau_airline/tools.json": [],
        "tau_airline/trajectories.jsonl": {"traj": [ASKED, ANSWERED]},
        "bfcl_memory/prereq_memory_customer.jsonl": {"question": [[ASKED], [ASKED]]},
        "memorybank/memory_bank_en.json": {
            "Ann": {"history": {"2023-05-01": [{"query": "Hello.", "response": "Hello, Ann."}]}}
        },
        "github_mcp_tools/tools.jsonl": {"name": "a", "description": "b", "inputSchema": {}},
        "openai_spec/openai_chat_request.schema.json": {"type": "object"},
    }
    for name, content in files.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(content), encoding="utf-8")
    return tmp_path


def rows(report: Report, name: str) -> list[tuple[str, ...]]:
    return [tuple(row) for table in report.all_tables() if table.name == name for row in table.rows]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_a_page_shows_the_figures_that_were_saved(path: Path) -> None:
    page = path.read_text(encoding="utf-8")
    assert shown(page)
    assert filled(page, saved()) == page


def test_every_table_that_was_saved_has_a_place() -> None:
    assert set(saved()) == {name for page in PAGES for name in shown(page.read_text("utf-8"))}


def test_no_figure_was_saved_where_what_it_is_measured_against_was_missing() -> None:
    assert [name for name, table in saved().items() if "not installed" in table.markdown()] == []


def test_a_table_reads_as_markdown() -> None:
    table = Table("t", ("name", "value"), [("one", "1")])
    assert table.markdown() == "| name | value |\n| --- | --: |\n| one | 1 |"


@pytest.mark.parametrize("met", [True, False])
def test_a_missed_bar_ends_with_one(
    met: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("AGENTMAKER_DATA", raising=False)
    monkeypatch.setattr(sys, "argv", ["bench"])
    with pytest.raises(SystemExit) as ended:
        command.run("x", lambda folder: Report([], [Bar("at most 3", "4", met)]))
    assert ended.value.code == (0 if met else 1)
    assert "at most 3 | 4" in capsys.readouterr().out


def test_without_data_a_replay_says_so_and_is_no_failure(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("AGENTMAKER_DATA", raising=False)
    monkeypatch.setattr(sys, "argv", ["bench"])
    with pytest.raises(SystemExit) as ended:
        command.run("fits", bench_fits.measure)
    assert ended.value.code == 0
    assert "set AGENTMAKER_DATA; nothing was measured" in capsys.readouterr().out


def test_a_folder_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTMAKER_DATA", "nowhere")
    monkeypatch.setattr(sys, "argv", ["bench"])
    with pytest.raises(SystemExit, match="nowhere is no folder"):
        command.run("fits", bench_fits.measure)


def test_every_set_under_the_folder_is_read(folder: Path) -> None:
    calls = {each.origin: each.calls for each in conversations(folder)}
    assert calls == {
        "tau_airline": (1,),
        "bfcl_memory": (1, 2),
        "bfcl_memory, noted": (1, 3),
        "memorybank en": (1,),
    }


def test_a_replay_of_small_conversations_meets_every_bar_but_that_of_the_tools(
    folder: Path,
) -> None:
    report = anyio.run(bench_fits.measured, folder, (8_000,), 1)
    assert rows(report, "replay")[0][:6] == ("8,000", "6", "0", "0", "0", "0")
    assert rows(report, "many_tools")[-1][:4] == ("48,000", "1", "1", "0")
    assert [bar.met for bar in report.bars] == [True] * 5 + [False, True]


def test_the_independent_counts_are_those_of_the_rules() -> None:
    called = {"role": "assistant", "content": None, "tool_calls": [CALL]}
    # "Hello" has one token, "look" one, "{}" one, the role one, "c1" two.
    assert prompt_tokens([{"role": "user", "content": "Hello"}, called]) == 3 + 5 + 4 + 8 + 2
    assert prompt_tokens_with_ids([called]) == 3 + 3 + 1 + 2 + 2


@pytest.mark.parametrize(
    "message",
    [
        {"role": "tool", "tool_call_id": "c1", "content": "x"},
        {"role": "nobody", "content": "x"},
        {"role": "user", "tool_calls": [{**CALL, "function": {"name": "a", "arguments": "[]"}}]},
        {"role": "user", "tool_calls": [{**CALL, "function": {"name": "a", "arguments": "{"}}]},
    ],
    ids=["an orphan", "a role", "no object", "no JSON"],
)
def test_the_validator_refuses(message: dict[str, object], tmp_path: Path) -> None:
    path = tmp_path / "schema.json"
    path.write_text(json.dumps(SCHEMA), encoding="utf-8")
    validator = Validator.from_file(path)
    for _ in range(2):
        assert validator.faults([ASKED, message])
    assert validator.faults([ASKED]) == []


@given(st.text("ab", max_size=9), st.text("ab", max_size=9))
def test_the_common_prefix_ends_where_the_texts_part(one: str, other: str) -> None:
    end = common_prefix(one, other)
    assert one[:end] == other[:end]
    assert not one[end:] or not other[end:] or one[end] != other[end]


def test_a_request_that_only_grows_is_no_cut_and_any_other_is() -> None:
    meter = PrefixMeter()
    for messages in ([ASKED], [ASKED, ANSWERED], [ANSWERED]):
        meter.add(messages)
    assert (meter.requests, meter.cuts) == (3, 1)
    meter.begin()
    meter.add([ASKED])
    assert meter.cuts == 1


def test_the_loop_has_the_size_it_is_said_to_have() -> None:
    loop = tool_loop(steps=200)
    assert prompt_tokens(loop.messages[:1], loop.tools) == pytest.approx(FIXED, rel=0.1)
    steps = prompt_tokens(loop.messages[2:]) / 200
    assert steps == pytest.approx(120, rel=0.1)


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_no_unit_to_fill_a_window_with_is_large(kind: object) -> None:
    for case in cases(kind, 4_000, 2):
        results = [each for each in case.messages[1:] if each["role"] in ("user", "tool")]
        assert max(prompt_tokens([each]) for each in results) < (4_000 - OUTPUT_TOKENS) * LARGEST


def test_a_window_is_filled_with_cases_of_every_kind() -> None:
    report = anyio.run(bench_fill.measured, (4_000,), 1)
    assert {row[0] for row in rows(report, "one_shot")} == set(KINDS)


def test_the_default_mark_is_held_to_its_bars() -> None:
    default = AgentmakerConfig().window_budget.low_water
    report = anyio.run(bench_low_water.measured, 12, (default,))
    assert rows(report, "curve")[0][0] == f"{default}"
    assert len(report.bars) == 1


def test_calls_at_once_and_calls_of_every_kind_are_measured() -> None:
    report = anyio.run(bench_load.measured, 4, 1, 60, 20)
    assert [row[0] for row in rows(report, "memory")] == ["20", "40", "60"]
    assert [bar.claim.split()[0] for bar in report.bars] == ["4", "from"]


def test_a_server_that_counts_otherwise_is_told_and_what_it_costs_is_measured(
    folder: Path,
) -> None:
    told = Told(model="m", counter=by_template(len), window=8_000, offered=never)
    found = [each for each in conversations(folder) if each.calls]
    case = bench_calibration.Case(found=found, name="all", server="its length", told=told)
    result = anyio.run(case.result)
    assert result.one.calls == result.each.calls == sum(len(each.calls) for each in found)
    assert bench_calibration.cost(10, rounds=3).messages == 10
    assert bench_calibration.memory(3) > 0


def test_conversations_to_cost_are_as_long_as_they_are_said_to_be() -> None:
    texts = bench_cost.Texts()
    for size in (10, 100):
        chat, loop = texts.chat(size), texts.loop(size)
        assert (len(chat), len(loop)) == (size - 1, size + 1)
        assert chat[-1]["role"] == "user"
        assert [loop[0]["role"], loop[-1]["role"]] == ["user", "tool"]
        assert prompt_tokens(chat) == pytest.approx(155 * size, rel=0.12)


def test_what_is_read_anew_is_another_object_that_says_the_same() -> None:
    talk, tools = bench_cost.Texts().loop(4), bench_cost._tools(2)
    for case in bench_cost.CASES:
        given = case.given(talk, tools)
        assert given["messages"] == talk
        assert (given["messages"] is talk) is not case.remade
        assert given.get("tools") == (tools if case.tools else None)


def test_the_worst_case_is_named_with_how_many_miss_the_bar() -> None:
    bar = bench_cost._worst("at most 2 ms", {"a": 1.0, "b": 3.0, "c": 2.5}, 2.0, " ms")
    assert bar == Bar("at most 2 ms", "3.00 ms, b; 2 of 3 cases miss it", met=False)
    assert bench_cost._worst("at most 2 ms", {"a": 1.0}, 2.0, " ms").met


def test_no_call_at_once_is_answered_before_all_are_there() -> None:
    server, ended = Instant(), []

    async def ask() -> None:
        await server.client().post("/chat/completions", body={}, cast_to=object)
        ended.append(len(asked))

    async def at_once() -> None:
        server.together = 3
        async with anyio.create_task_group() as group:
            for number in range(3):
                asked.append(number)
                group.start_soon(ask)
                await anyio.lowlevel.checkpoint()

    asked: list[int] = []
    anyio.run(at_once)
    assert ended == [3, 3, 3]


def test_a_short_loop_that_fits_keeps_its_whole_prefix() -> None:
    report = anyio.run(bench_prefix.measured, None, 12)
    assert rows(report, "prefix")[0][-1] == "0"


def test_blocks_are_built_from_slow_and_from_embedded_sources() -> None:
    assert bench_builder.built(*bench_builder.slow_sources(bench_builder.asleep), 1)[0] >= 50
    assert bench_builder.built(*bench_builder.embedded_sources(), 1)[0] > 0


@pytest.mark.parametrize(
    ("status", "body", "stream", "came"),
    [
        (400, {"error": "the prompt is too long: 30000 tokens > 9000"}, False, "recovered"),
        (400, {"error": "the prompt is too long: 30000 tokens > 9000"}, True, "recovered"),
        (200, None, True, "recovered"),
        (401, {"error": "no such key"}, False, "passed"),
        (200, {"choices": [{"message": {"content": "Hi"}}],
               "usage": {"prompt_tokens": 99, "completion_tokens": 1}}, False, "warned"),
    ],
)  # fmt: skip
def test_a_refusal_is_served_once_and_what_comes_of_it_is_told(
    status: int, body: object, stream: bool, came: str
) -> None:
    refusal = Refusal(origin="test", status=status, body=body, meaning="any")
    assert refusal.comes(stream=stream)
    assert anyio.run(partial(outcome, refusal, stream=stream)) == came


def test_of_the_collected_refusals_every_one_has_a_meaning() -> None:
    found = list(recorded(COLLECTED))
    assert len(found) > 500
    meanings = {"context_overflow", "rate_limit", "bad_request", "auth", "server", "content_filter"}
    assert {each.meaning for each in found} == meanings


def test_exact_counts_are_compared_timed_and_watched() -> None:
    texts = {"one letter": "a" * 30_000, "prose": "The quick brown fox. " * 1_000}
    vocabularies = ["o200k_base", "mistral_v1"]
    strings = list(mixtures(50))
    report = bench_exact.measured(REFERENCES[:1], strings, texts, vocabularies)
    assert rows(report, "agreement")[0][:3] == ("o200k_base", "bpe-openai", "50")
    assert rows(report, "agreement")[0][-1] == "0"
    assert [row[0] for row in rows(report, "megabytes")] == ["one letter", "prose"]
    assert {row[-1] for row in rows(report, "megabytes")} == {"0.0000 %"}
    assert all(row[2] == row[3] for row in rows(report, "tiktoken"))
    assert [row[0] for row in rows(report, "loading")] == vocabularies
    for backend, model, _ in bench_exact.LOOPS:
        assert len(rows(report, f"{model}-{backend}")) == 2


def test_a_reference_that_is_not_installed_is_said_to_be_missing() -> None:
    def missing() -> Encode:
        raise ImportError("no_such_package")

    table, bars = bench_exact.agreement([Reference("o200k_base", "nobody", missing)], ["a"])
    assert table.rows[0] == ("o200k_base", "nobody", "not installed", "", "")
    assert bars == []


def test_awkward_strings_are_the_same_every_time() -> None:
    assert list(mixtures(20)) == list(mixtures(20)) != list(mixtures(20, seed=2))
    assert {len(text) for text in megabytes().values()} == {MEGABYTE}
