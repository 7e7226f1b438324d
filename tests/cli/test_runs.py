from __future__ import annotations

import io
import json
import re
import sys
from pathlib import Path
from types import ModuleType

import anyio
import pytest
import structlog
from typer.testing import CliRunner

from agentmaker import Agent, Reply, RunPolicy, Scope, Session, SessionStore, Usage, tool, wrap
from agentmaker.agents.events import ToolEnded, ToolStarted
from agentmaker.cli import app
from agentmaker.cli.stores import DEFAULT
from agentmaker.memory.records import RunRecord
from agentmaker.testing import ModelServer, ScriptedLLM

LOOK = ScriptedLLM.tool_call("look", {"at": "the sky"}, call_id="c1")
DROP = ScriptedLLM.tool_call("drop", {"table": "users"}, call_id="c2")
dropped: list[str] = []


@tool(idempotent=True)
def look(at: str) -> str:
    """Look at something."""
    return f"{at} is blue"


@tool(confirm=True)
def drop(table: str) -> str:
    """Drop a table."""
    dropped.append(table)
    return "gone"


def agent(*script: object, name: str = "helper", **options: object) -> Agent:
    return Agent(name, ScriptedLLM(list(script)), tools=[look, drop], **options)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the commands are run: empty, with no store named anywhere."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("AGENTMAKER_STORE", raising=False)
    dropped.clear()
    return tmp_path


@pytest.fixture
def run():
    def invoke(*arguments: object):
        return CliRunner().invoke(app.app, list(map(str, arguments)), catch_exceptions=False)

    return invoke


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A module that programs keep their agents in."""
    module = ModuleType("home")
    monkeypatch.setitem(sys.modules, "home", module)
    return module


def left(one: Agent, question: str = "What is up?", upto: type = ToolStarted) -> str:
    """The id of a run that is left where the first *upto* happens, as a kill would leave it."""

    async def leave() -> str:
        async with one.stream(question) as events:
            async for event in events:
                if isinstance(event, upto):
                    break
        (record,) = await one.store.runs(limit=1)
        await one.store.aclose()
        return record.id

    return anyio.run(leave)


def answered(one: Agent, question: str = "What is up?") -> str:
    async def ask() -> str:
        result = await one.arun(question)
        await one.store.aclose()
        return result.run_id

    return anyio.run(ask)


def waiting() -> str:
    return answered(agent(DROP, store=SessionStore(DEFAULT)))


def test_runs_lists_the_latest_with_the_first_words_of_the_question(run) -> None:
    first = answered(agent("Fine.", store=SessionStore(DEFAULT)), "How\n[bold]are\x1b[31m you?")
    last = left(agent(LOOK, store=SessionStore(DEFAULT)), "Why? " * 40)
    done = run("runs")
    header, newer, older = done.stdout.splitlines()
    assert header.split() == ["run", "agent", "status", "updated", "question"]
    assert re.match(rf"{last} +helper +stopped +20\d\d-\d\d-\d\d \d\d:\d\d:\d\d +Why\? .*…", newer)
    assert re.search(rf"{first} +helper +done .* How \[bold\]are \[31m you\?", older)
    assert (done.exit_code, done.stderr) == (0, "")


def test_runs_can_be_of_one_status_and_few(run) -> None:
    ids = [answered(agent("Fine.", store=SessionStore(DEFAULT))) for _ in range(2)]
    stopped = left(agent(LOOK, store=SessionStore(DEFAULT)))
    assert stopped in run("runs", "--status", "stopped").stdout
    assert ids[0] not in run("runs", "--status", "stopped").stdout
    assert len(run("runs", "--limit", 2).stdout.splitlines()) == 3
    assert run("runs", "--status", "failed").stdout == "no runs\n"


def test_the_store_is_named_by_an_option_or_by_the_environment(run, monkeypatch) -> None:
    kept = answered(agent("Fine.", store=SessionStore("other.db")))
    assert kept in run("runs", "--store", "other.db").stdout
    assert kept in run("runs", "--store", "sqlite:///other.db").stdout
    monkeypatch.setenv("AGENTMAKER_STORE", "other.db")
    assert kept in run("runs").stdout


def test_a_run_of_other_programs_without_a_question_is_listed(run) -> None:
    async def begin() -> None:
        store = SessionStore(DEFAULT)
        await store.begin(RunRecord(id="r1", agent="a", scope=Scope(), owner="me"))
        await store.aclose()

    anyio.run(begin)
    assert "r1" in run("runs").stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["runs"], "there is no store at agentmaker.db"),
        (["runs", "--store", "sqlite:///no/such.db"], "there is no store at no/such.db"),
        (["runs", "--store", "mysql://there"], "cannot be kept in 'mysql'"),
        (["runs", "--store", "junk.db"], "no SQLite file"),
        (["runs", "--store", "junk.db", "--status", "lost"], "one of running, waiting, done"),
        (["resume", "r1", "--agent", "home:helper"], "there is no store at agentmaker.db"),
        (["resume", "r1", "--agent", "home:helper", "--store", "junk.db"], "no SQLite file"),
        (["resume", "r1", "--agent", "home"], "module:attribute"),
        (["resume", "r1", "--agent", ".home:helper"], "module:attribute"),
        (["resume", "r1", "--agent", "home:nobody"], "home:nobody is no agent"),
        (["resume", "r1", "--agent", "no_such_home:a"], "cannot import no_such_home"),
        (["resume", "r1", "--agent", "home:helper", "--approve", "c", "--deny", "c"], "decide"),
    ],
)
def test_what_cannot_work_ends_with_2_and_one_line_and_makes_no_file(
    run, home, folder: Path, arguments, said
) -> None:
    home.helper = agent("Fine.")
    (folder / "junk.db").write_bytes(b"this is no database at all" * 100)
    done = run(*arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    assert said in done.stderr
    assert done.stderr.startswith("agentmaker: ")
    assert [path.name for path in folder.iterdir()] == ["junk.db"]


def test_resume_streams_the_text_and_says_on_stderr_how_it_ended(run, home) -> None:
    run_id = left(agent(LOOK, store=SessionStore(DEFAULT)))
    llm = ScriptedLLM(["It is blue."])
    home.helper = Agent("helper", llm, tools=[look])
    done = run("resume", run_id, "--agent", "home:helper")
    assert (done.exit_code, done.stdout) == (0, "It is blue.\n")
    assert [each["role"] for each in llm.calls[0]["messages"]] == ["user", "assistant", "tool"]
    assert re.fullmatch(rf"run {run_id}: done; tokens not reported\n", done.stderr)
    assert run("runs", "--status", "done").stdout.count(run_id) == 1


def test_resume_keeps_ledgers_off_the_answer(run, home) -> None:
    structlog.reset_defaults()  # what captures logs elsewhere leaves it configured
    run_id = left(agent(LOOK, store=SessionStore(DEFAULT)))
    client = wrap(ModelServer("It is blue.", window=4_000).client(), window=4_000)
    home.helper = Agent("helper", client, model="gpt-4o", tools=[look])
    done = run("resume", run_id, "--agent", "home:helper")
    assert done.stdout == "It is blue.\n"
    assert "agentmaker.request" in done.stderr
    assert not structlog.is_configured()


def test_resume_leaves_logs_where_the_program_sends_them(run, home, request) -> None:
    written = io.StringIO()
    request.addfinalizer(structlog.reset_defaults)
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(written))
    run_id = left(agent(LOOK, store=SessionStore(DEFAULT)))
    client = wrap(ModelServer("It is blue.", window=4_000).client(), window=4_000)
    home.helper = Agent("helper", client, model="gpt-4o", tools=[look])
    done = run("resume", run_id, "--agent", "home:helper")
    assert done.stdout == "It is blue.\n"
    assert "agentmaker.request" not in done.stderr
    assert "agentmaker.request" in written.getvalue()


def test_resume_says_what_was_spent_where_it_was_reported(run, home) -> None:
    run_id = left(agent(LOOK, store=SessionStore(DEFAULT)))
    usage = Usage(prompt_tokens=1_200, completion_tokens=3)
    home.helper = Agent("helper", ScriptedLLM([Reply(content="Blue.", usage=usage)]), tools=[look])
    done = run("resume", run_id, "--agent", "home:helper")
    assert done.stderr == f"run {run_id}: done; 1,200 tokens sent, 3 back\n"


def test_resume_of_a_run_nobody_knows_names_the_command_that_lists_them(run, home) -> None:
    home.helper = agent("Fine.", store=SessionStore("own.db"))
    done = run("resume", "r1", "--agent", "home:helper")
    assert done.exit_code == 2
    assert "no run 'r1' is kept in this store" in done.stderr
    assert "`agentmaker runs`" in done.stderr


def test_resume_of_a_run_that_is_done_says_its_answer_again(run, home) -> None:
    run_id = answered(agent("Fine.", store=SessionStore(DEFAULT)))
    home.helper = agent()
    done = run("resume", run_id, "--agent", "home:helper")
    assert (done.exit_code, done.stdout) == (0, "Fine.\n")


def test_an_agent_with_a_store_that_lasts_keeps_it(run, home) -> None:
    run_id = left(agent(LOOK, store=SessionStore("own.db")))
    home.helper = agent("It is blue.", store=SessionStore("own.db"))
    assert run("resume", run_id, "--agent", "home:helper").stdout == "It is blue.\n"


def test_the_turns_of_a_resumed_run_go_to_its_session_whatever_session_the_agent_has(
    run, home
) -> None:
    store = SessionStore(DEFAULT)
    ids = [left(agent(LOOK, session=Session(id, store=store))) for id in ("s1", "s2")]
    home.helper = agent("Blue.", "Blue.", session=Session("another", max_length=500))
    home.plain = agent("Blue.")
    run("resume", ids[0], "--agent", "home:helper", "--store", DEFAULT)
    run("resume", ids[1], "--agent", "home:plain")

    async def roles(id: str) -> list[str]:
        return [turn.role for turn in await Session(id, store=store).turns()]

    for id in ("s1", "s2"):
        assert anyio.run(roles, id) == ["user", "assistant", "tool", "assistant"]
    anyio.run(store.aclose)


def test_a_run_that_waits_names_its_calls_and_goes_on_once_they_are_decided(run, home) -> None:
    run_id = waiting()
    home.helper = agent()
    done = run("resume", run_id, "--agent", "home:helper")
    assert (done.exit_code, done.stdout) == (3, "")
    asked = f"  drop {json.dumps({'table': 'users'})}: --approve c2 or --deny c2"
    assert asked in done.stderr.splitlines()
    home.helper = agent("Dropped.")
    done = run("resume", run_id, "--agent", "home:helper", "--approve", "c2")
    assert (done.exit_code, done.stdout, dropped) == (0, "Dropped.\n", ["users"])


def test_a_call_that_is_denied_is_not_run(run, home) -> None:
    run_id = waiting()
    home.helper = agent("I let it be.")
    done = run("resume", run_id, "--agent", "home:helper", "--deny", "c2")
    assert (done.exit_code, done.stdout, dropped) == (0, "I let it be.\n", [])


def test_a_run_that_a_limit_ended_ends_with_1_and_says_which(run, home) -> None:
    run_id = left(agent(LOOK, store=SessionStore(DEFAULT)), upto=ToolEnded)
    home.helper = agent("Fine.", limits=RunPolicy(calls=1))
    done = run("resume", run_id, "--agent", "home:helper")
    assert (done.exit_code, done.stdout) == (1, "")
    assert f"run {run_id}: stopped (" in done.stderr


def test_a_model_that_cannot_be_asked_ends_with_1_and_says_how_to_go_on(run, home) -> None:
    from openai import OpenAIError

    run_id = left(agent(LOOK, store=SessionStore(DEFAULT)))
    home.helper = agent(OpenAIError("the model is away"))
    done = run("resume", run_id, "--agent", "home:helper")
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.startswith("agentmaker: the model is away\n")
    assert run_id in done.stderr.splitlines()[1]


def test_a_run_nobody_knows_is_named(run, home) -> None:
    answered(agent("Fine.", store=SessionStore(DEFAULT)))
    home.helper = agent()
    done = run("resume", "r7", "--agent", "home:helper")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "no run 'r7' is kept" in done.stderr


def test_another_agents_run_is_refused_and_stays_its_owners(run, home) -> None:
    run_id = left(agent(LOOK, store=SessionStore(DEFAULT)))
    before = owner(run_id)
    home.helper = agent(name="other")
    done = run("resume", run_id, "--agent", "home:helper")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "one of 'helper' (kind 'agent'), not of 'other' (kind 'agent')" in done.stderr
    assert owner(run_id) == before


def owner(run_id: str) -> str:
    async def read() -> str:
        store = SessionStore(DEFAULT)
        (record,) = [each for each in await store.runs() if each.id == run_id]
        await store.aclose()
        return record.owner

    return anyio.run(read)
