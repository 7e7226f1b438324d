from __future__ import annotations

import re

import openai
import pytest
from typer.testing import CliRunner

import agentmaker
from agentmaker.cli import app, demo
from agentmaker.cli.loop import FOLDERS, read_sources
from agentmaker.tokens import counter_for


def invoke():
    return CliRunner().invoke(app.app, ["demo"])


@pytest.fixture(scope="module")
def shown():
    done = invoke()
    assert (done.exit_code, done.stderr) == (0, "")
    return done.stdout


@pytest.fixture
def short(monkeypatch):
    """The demo over one folder, in process."""
    names = [name for name in read_sources() if name.startswith(FOLDERS[0])]
    few = {name: read_sources()[name] for name in names}
    monkeypatch.setattr(demo, "read_sources", lambda: few)
    monkeypatch.setattr(demo, "find_spec", lambda name: None)


def requests(text):
    """The lines of the ledger as numbers, without the prefix."""
    found = re.findall(r"^ +\d+(?: +[\d,]+){9}", text, re.MULTILINE)
    return [[int(cell.replace(",", "")) for cell in line.split()] for line in found]


def number(pattern, text):
    return int(re.search(rf"{pattern} +([\d,]+)", text)[1].replace(",", ""))


def test_the_demo_reads_more_than_five_windows_of_real_text():
    tokens = sum(map(counter_for("gpt-4o"), read_sources().values()))
    assert tokens > 5 * demo.WINDOW


def test_the_same_loop_is_refused_without_the_wrapper_and_never_with_it(shown):
    refused_at = number("Request", shown)
    assert 1 < refused_at < number("requests", shown)
    assert "maximum context length is 8000 tokens" in shown
    assert number("refused by the server", shown) == 0


def test_each_request_has_a_line_that_adds_up(shown):
    lines = requests(shown)
    assert [line[0] for line in lines] == list(range(1, number("requests", shown) + 1))
    for _, _, sent, *used in lines:
        assert sent == sum(used[:5])
        assert sum(used[:7]) <= demo.WINDOW
    assert max(line[1] for line in lines) > 5 * demo.WINDOW


def test_the_totals_are_those_of_the_lines(shown):
    _, asked, sent = (
        list(column) for column in zip(*(line[:3] for line in requests(shown)), strict=True)
    )
    assert number("asked to send", shown) == sum(asked)
    assert number("sent, as counted by the provider", shown) == sum(sent)
    assert number("the largest, in tokens", shown) == max(sent) < demo.WINDOW


def test_the_demo_fits_a_terminal_of_100_columns(shown):
    assert max(map(len, shown.splitlines())) <= 100


def test_a_refused_request_makes_the_demo_exit_with_1(short, monkeypatch):
    server = demo.ModelServer
    monkeypatch.setattr(
        demo, "ModelServer", lambda script, **options: server(script, **options | {"window": 6_000})
    )
    done = invoke()
    assert done.exit_code == 1
    assert number("refused by the server", done.stdout) > 0


def test_a_request_that_stays_refused_ends_the_demo(short, monkeypatch):
    def unwrapped(client, **_):
        return client

    monkeypatch.setattr(agentmaker, "wrap", unwrapped)
    done = invoke()
    assert done.exit_code != 0
    assert isinstance(done.exception, openai.BadRequestError)


def test_the_demo_runs_in_process_where_there_is_no_web_server(short):
    done = invoke()
    assert done.exit_code == 0
    assert number("refused by the server", done.stdout) == 0
