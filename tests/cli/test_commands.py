from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

import agentmaker
from agentmaker.calls.ledger import ROWS, Ledger, Row
from agentmaker.calls.recording import Record
from agentmaker.cli import INSTALL, app, main
from agentmaker.errors import ConfigError, ContextWindowExceeded
from agentmaker.observe import JsonlSink

TALK = [
    {"role": "user", "content": "hello"},
    {"role": "assistant", "content": "hi"},
    {"role": "user", "content": "[/bold] and now?"},
    {"role": "assistant", "content": "bye"},
]
PAGE = Path(__file__).parents[2] / "docs" / "cli.md"


def ledger_of(used, window=1_000):
    rows = [Row(name=name) for name in ROWS if name not in ("history", "free")]
    counted = Row(name="history", allotted=900, used=used, dropped=2_345)
    return Ledger(window=window, rows=(*rows, counted, Row(name="free", used=window - used)),
                  estimate=used, prefix_kept=0.5)  # fmt: skip


class Fitted:
    ledger = ledger_of(700)


class Session:
    async def fit(self, messages, tools=()):
        return Fitted()


class FullSession:
    async def fit(self, messages, tools=()):
        raise ContextWindowExceeded("tools", 9_000, 1_000, ledger=None)


@pytest.fixture
def run():
    def invoke(*arguments):
        return CliRunner().invoke(app.app, list(map(str, arguments)), catch_exceptions=False)

    return invoke


@pytest.fixture
def talk(tmp_path):
    path = tmp_path / "talk.json"
    path.write_text(json.dumps(TALK))
    return path


@pytest.fixture
def session(monkeypatch):
    """Replace the engine's session by one made by a class of the test."""

    def use(made):
        monkeypatch.setattr(app, "_session", lambda window, model, output_tokens: made())

    use(Session)
    return use


def test_replay_prints_what_fit_and_the_share_of_each_stream(run, talk, session):
    done = run("replay", talk, talk, "--window", 1000)
    assert done.exit_code == 0
    assert re.search(r"calls that fit +4 of 4", done.stdout)
    assert re.search(r"tokens left out +9,380", done.stdout)
    assert re.search(r"history +[█#]{28} +70\.0% +2,800", done.stdout)
    assert done.stderr == ""


def test_replay_fits_a_conversation_of_many_windows(run, tmp_path):
    path = tmp_path / "talk.jsonl"
    turns = [TALK[0] | {"content": f"{n} " + "some words " * 100} for n in range(30)]
    path.write_text(json.dumps({"messages": [m for turn in turns for m in (turn, TALK[1])]}))
    document = json.loads(run("replay", path, "--window", 3000, "--json").stdout)
    assert (document["calls"], document["errors"]) == (30, {})
    assert document["totals"]["dropped"] > 0
    assert sum(one["used"] for one in document["totals"]["streams"]) == 30 * 3000


def test_replay_prints_one_document_for_machines(run, talk, session):
    document = json.loads(run("replay", talk, "--window", 1000, "--json").stdout)
    assert (document["window"], document["calls"], document["errors"]) == (1_000, 2, {})
    assert document["totals"]["streams"][-1]["name"] == "free"


def test_replay_exits_with_1_and_counts_what_did_not_fit_by_name(run, talk, session):
    session(FullSession)
    done = run("replay", talk, "--window", 1000)
    assert done.exit_code == 1
    assert re.search(
        r"ContextWindowExceeded +2 +.*talk\.json, call 1: no room for tools: 9000", done.stdout
    )
    assert json.loads(run("replay", talk, "--window", 1000, "--json").stdout)["errors"] == {
        "ContextWindowExceeded": 2
    }


def test_replay_writes_a_ledger_file_anew_that_ledger_shows(run, talk, session, tmp_path):
    out = tmp_path / "out" / "ledger.jsonl"
    for _ in range(2):
        run("replay", talk, "--window", 1000, "--jsonl", out)
    assert len(out.read_text().splitlines()) == 2
    assert run("ledger", out).exit_code == 0


def test_replay_never_writes_over_a_file_it_reads(run, talk, session):
    before = talk.read_text()
    done = run("replay", talk, "--window", 1000, "--jsonl", talk)
    assert (done.exit_code, talk.read_text()) == (2, before)
    assert "is one of the files to read" in done.stderr


def test_replay_of_a_talk_without_answers_says_so(run, session, tmp_path):
    path = tmp_path / "talk.json"
    path.write_text(json.dumps(TALK[:1]))
    done = run("replay", path, "--window", 1000)
    assert done.exit_code == 2
    assert "no assistant message" in done.stderr


def test_replay_refuses_settings_that_cannot_work(run, talk, session):
    def refuse():
        raise ConfigError("output_tokens must be below the window")

    session(refuse)
    done = run("replay", talk, "--window", 1000, "--output-tokens", 2000)
    assert (done.exit_code, done.stderr) == (
        2,
        "agentmaker: output_tokens must be below the window\n",
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ["replay", "TALK"],
        ["replay", "TALK", "--window", "0"],
        ["replay", "TALK", "--window", "many"],
        ["replay", "--window", "1000"],
        ["replay", "missing.json", "--window", "1000"],
        ["replay", "TALK", "--window", "1000", "--tools", "TALK"],
        ["count"],
        ["count", "missing.txt"],
        ["ledger", "TALK"],
        ["ledger", "missing.jsonl"],
        ["unknown"],
    ],
)
def test_bad_usage_exits_with_2_and_a_message_on_stderr(run, talk, session, arguments):
    done = run(*[talk if word == "TALK" else word for word in arguments])
    assert (done.exit_code, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr
    assert done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["ledger", "missing.jsonl"], "missing.jsonl: No such file or directory: give the path"),
        (["ledger", "FOLDER"], ": give the path of a file"),
        (["ledger", "BYTES"], "give a file that JsonlSink or `agentmaker replay --jsonl` wrote"),
        (["count", "missing.txt"], "missing.txt: No such file or directory: give the path"),
        (["count", "BYTES"], "save it as UTF-8"),
        (["replay", "BYTES", "--window", "9"], "save it as UTF-8"),
        (["replay", "TALK", "--window", "9", "--jsonl", "FOLDER"], ": give the path of a file"),
        (["replay", "ASKED", "--window", "9"], "record one that the model has answered"),
    ],
)
def test_what_a_file_is_refused_for_comes_with_what_to_do(
    run, talk, session, tmp_path, arguments, said
):
    names = {"TALK": talk, "FOLDER": tmp_path, "BYTES": tmp_path / "b", "ASKED": tmp_path / "a"}
    names["BYTES"].write_bytes(b"\xff\xfe\xfa")
    names["ASKED"].write_text(json.dumps(TALK[:1]))
    done = run(*[names.get(word, word) for word in arguments])
    assert done.exit_code == 2
    assert said in done.stderr
    assert "Errno" not in done.stderr


def test_count_names_the_counter_and_whether_it_is_exact(run, talk, tmp_path):
    page = tmp_path / "page [draft].md"
    page.write_text("word " * 100)
    tokens = agentmaker.estimate_tokens(page.read_text())
    done = run("count", talk, page, "--model", "no-such-model")
    assert done.exit_code == 0
    assert "counter: estimate (an estimate)" in done.stdout
    assert re.search(rf"page \[draft\]\.md +text +500 +{tokens}", done.stdout)
    assert re.search(r"talk\.json +conversations +1 +4", done.stdout)


def test_count_of_texts_says_nothing_of_conversations(run, tmp_path):
    page = tmp_path / "page.md"
    page.write_text("")
    head = run("count", page).stdout.splitlines()[0]
    assert head.split() == ["file", "kind", "characters", "tokens"]


def test_count_prints_one_document_for_machines(run, talk):
    document = json.loads(run("count", talk, "--model", "no-such-model", "--json").stdout)
    assert (document["counter"], document["exact"]) == ("estimate", False)
    assert document["files"][0]["messages"] == 4


@pytest.fixture
def ledger_file(tmp_path):
    sink = JsonlSink(tmp_path / "ledger.jsonl")
    sink(Record(ledger=ledger_of(400), model="gpt-4o"))
    sink(Record(ledger=None, model="gpt-4o", outcome="APIConnectionError"))
    return sink.path


def test_ledger_shows_requests_totals_and_bars(run, ledger_file):
    shown = run("ledger", ledger_file).stdout
    assert re.search(r"1 +1,000 +400 +600 +2,345 +50% +ok", shown)
    assert re.search(r"2 +APIConnectionError", shown)
    assert re.search(r"requests +2", shown)
    assert re.search(r"free +[█#]{24} +60\.0%", shown)


def test_ledger_leaves_out_columns_that_say_nothing(run, ledger_file):
    heading = run("ledger", ledger_file).stdout.splitlines()[0]
    assert heading.split() == ["window", "history", "free", "dropped", "prefix", "outcome"]


def test_ledger_names_the_purposes_where_they_differ(run, ledger_file):
    JsonlSink(ledger_file)(Record(ledger=ledger_of(10), purpose="summary"))
    shown = run("ledger", ledger_file).stdout
    assert "purpose" in shown.splitlines()[0]
    assert re.search(r"3 +summary +1,000", shown)


def test_ledger_prints_one_document_for_machines(run, ledger_file):
    document = json.loads(run("ledger", ledger_file, "--json").stdout)
    assert document["totals"]["requests"] == 2
    assert document["requests"][0]["history_used"] == 400


@pytest.mark.parametrize("broken", ["{", "[" * 100_000])
def test_ledger_names_the_line_that_is_broken(run, ledger_file, broken):
    with ledger_file.open("a") as file:
        file.write(f"{broken}\n")
    done = run("ledger", ledger_file)
    assert done.exit_code == 2
    assert "ledger.jsonl:3: expected one JSON object a line" in done.stderr


def test_the_version_is_printed(run):
    assert run("--version").stdout == f"{agentmaker.__version__}\n"


@pytest.mark.parametrize("missing", ["typer", "rich"])
def test_without_its_packages_the_command_line_says_how_to_install_them(
    monkeypatch, capsys, missing
):
    monkeypatch.setattr("agentmaker.cli.find_spec", lambda name: name != missing or None)
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 2
    assert capsys.readouterr().err == INSTALL
    assert "agentmaker-runtime[cli]" in INSTALL


def test_the_entry_point_runs_the_command_line(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["agentmaker", "--version"])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 0
    assert capsys.readouterr().out == f"{agentmaker.__version__}\n"


COMMANDS = typer.main.get_command(app.app).commands


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_and_option_is_documented(name):
    page = PAGE.read_text("utf-8")
    assert f"## `agentmaker {name}" in page
    section = page.split(f"## `agentmaker {name}")[1].split("\n## ")[0]
    options = {option for one in COMMANDS[name].params for option in one.opts if option[0] == "-"}
    assert {option for option in options if f"`{option}" not in section} == set()


def test_no_command_is_documented_that_is_not_there():
    page = PAGE.read_text("utf-8")
    assert set(re.findall(r"^## `agentmaker (\w+)", page, re.MULTILINE)) == set(COMMANDS)
