from __future__ import annotations

import io
import sys
from pathlib import Path

import anyio
import pytest

from agentmaker.context.sources import Grant
from agentmaker.errors import ConfigError, ToolError
from agentmaker.messages import ToolCall
from agentmaker.tokens import count_tokens
from agentmaker.tools import Outcome, Tool, ToolRegistry, mcp_tools, run_calls

mcp = pytest.importorskip("mcp")

SERVER = [str(Path(__file__).with_name("mcp_server.py"))]


async def call(tools: tuple[Tool, ...], tool: str, deadline: float | None = 30, **arguments):
    grant = Grant(1_000, deadline, count_tokens)
    asked = ToolCall(id="c", name=tool, arguments=arguments)
    [outcome] = await run_calls([asked], ToolRegistry(tools), grant=grant)
    return outcome


def told(outcome: Outcome) -> tuple[str, str]:
    return outcome.reason, outcome.text


@pytest.mark.anyio
async def test_the_tools_of_a_server_over_stdio_are_listed_run_and_ended_with_the_context():
    async with mcp_tools(sys.executable, SERVER, {"AGENT_COLOUR": "blue"}) as tools:
        by_name = {each.name: each for each in tools}
        assert list(by_name) == [
            "add",
            "put",
            "files_delete",
            "everything",
            "structured",
            "hang",
            "meet",
            "environment",
            "die",
        ]
        assert by_name["add"].description == "Add two numbers."
        assert by_name["put"].parameters == {
            "type": "object",
            "properties": {"title": {"type": "string"}},
            "required": ["title"],
        }
        idempotent = [each.name for each in tools if each.idempotent]
        assert idempotent == ["add", "put"]
        assert not any(each.confirm for each in tools)

        assert told(await call(tools, "add", a=1, b=2)) == ("ok", "3")
        assert told(await call(tools, "environment", name="AGENT_COLOUR")) == ("ok", "blue")
        assert told(await call(tools, "structured")) == ("ok", '{"城市":["北京"]}')
        assert (await call(tools, "everything")).text.splitlines() == [
            "one 一",
            "(image/png, not shown)",
            "report: file:///report.txt",
            "inside",
            "(file:///a.bin application/pdf, not shown)",
        ]

        reason, text = told(await call(tools, "files_delete", path="a.txt"))
        assert reason == "failed"
        assert text == "files_delete failed: Error executing tool files.delete"
        reason, text = told(await call(tools, "add", a="x", b=2))
        assert reason == "failed"
        assert "valid integer" in text

        assert (await call(tools, "hang", deadline=0.1)).reason == "timeout"
        assert told(await call(tools, "add", a=2, b=2)) == ("ok", "4")
    assert (await call(tools, "add", a=1, b=2)).failed


@pytest.mark.anyio
async def test_calls_of_one_server_run_at_once():
    calls = [ToolCall(id=id, name="meet") for id in "ab"]
    async with mcp_tools(sys.executable, SERVER, timeout=30) as tools:
        outcomes = await run_calls(
            calls, ToolRegistry(tools), grant=Grant(1_000, None, count_tokens)
        )
    assert [told(each) for each in outcomes] == [("ok", "met")] * 2


@pytest.mark.anyio
async def test_a_server_that_dies_makes_calls_fail_and_nothing_else():
    async with mcp_tools(sys.executable, SERVER) as tools:
        assert (await call(tools, "die")).reason == "failed"
        assert (await call(tools, "add", a=1, b=1)).reason == "failed"


@pytest.mark.anyio
async def test_what_is_raised_in_the_context_comes_out_as_it_is():
    error = LookupError("mine")
    with pytest.raises(LookupError) as caught:
        async with mcp_tools(sys.executable, SERVER):
            raise error
    assert caught.value is error


@pytest.mark.anyio
async def test_a_cancelled_context_ends_the_server_and_passes_the_cancellation_on():
    with anyio.CancelScope() as scope:
        async with mcp_tools(sys.executable, SERVER) as tools:
            scope.cancel()
            await call(tools, "hang")
    assert scope.cancelled_caught


@pytest.mark.anyio
async def test_an_open_client_or_session_is_used_and_stays_open():
    server = mcp.StdioServerParameters(command=sys.executable, args=SERVER)
    async with mcp.Client(server) as client:
        for opened in (client, client.session):
            async with mcp_tools(opened, prefix="calc.", confirm_destructive=True) as tools:
                confirmed = {each.name for each in tools if not each.confirm}
                assert confirmed == {"calc_add", "calc_put"}
                assert told(await call(tools, "calc_add", a=1, b=2)) == ("ok", "3")
        assert told(await call(tools, "calc_add", a=1, b=3)) == ("ok", "4")


class Paged:
    """Pages of one tool each; the last one names the first again."""

    def __init__(self) -> None:
        self.asked: list[str | None] = []

    async def list_tools(self, *, params=None):
        self.asked.append(params.cursor if params else None)
        at = len(self.asked)
        listed = mcp.types.Tool(name=f"t{at}", input_schema={"type": "object"})
        return mcp.types.ListToolsResult(tools=[listed], next_cursor="1" if at > 1 else "0")


@pytest.mark.anyio
async def test_all_pages_are_read_and_none_for_ever(monkeypatch):
    paged = Paged()
    monkeypatch.setattr(mcp, "ClientSession", Paged)
    async with mcp_tools(paged) as tools:
        assert [each.name for each in tools] == ["t1", "t2", "t3"]
    assert paged.asked == [None, "0", "1"]


class Timed(Paged):
    async def call_tool(self, name, arguments, *, read_timeout_seconds):
        content = [mcp.types.TextContent(text=f"{name} {read_timeout_seconds}")]
        return mcp.types.CallToolResult(content=content)


@pytest.mark.anyio
async def test_how_long_a_server_may_take_to_start_does_not_limit_its_calls(monkeypatch):
    monkeypatch.setattr(mcp, "ClientSession", Timed)
    async with mcp_tools(Timed()) as tools:
        assert told(await call(tools, "t1")) == ("ok", "t1 inf")


class Toolless:
    async def list_tools(self, *, params=None):
        raise mcp.MCPError(-32601, "Method not found")


@pytest.mark.anyio
async def test_a_server_without_tools_is_told_as_such(monkeypatch):
    monkeypatch.setattr(mcp, "ClientSession", Toolless)
    with pytest.raises(ToolError, match=r"does not list its tools \(Method not found\)"):
        async with mcp_tools(Toolless()):
            pass


@pytest.mark.anyio
async def test_a_command_that_cannot_be_started_is_refused_with_what_to_do():
    with pytest.raises(ConfigError, match=r"'/no/such/server' cannot be started.*install it"):
        async with mcp_tools("/no/such/server"):
            pass


@pytest.mark.anyio
async def test_a_command_that_is_no_server_is_told_as_such():
    with pytest.raises(ToolError, match=r"does not answer .*run the command by hand"):
        async with mcp_tools(sys.executable, ["-c", "pass"]):
            pass


@pytest.mark.anyio
async def test_a_missing_sdk_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "mcp", None)
    with pytest.raises(ConfigError, match=r"pip install 'agentmaker-runtime\[mcp\]'"):
        async with mcp_tools(sys.executable, SERVER):
            pass


def test_arguments_that_are_one_text_are_refused():
    with pytest.raises(ConfigError, match="write args="):
        mcp_tools(sys.executable, "server.py")


@pytest.mark.anyio
async def test_a_server_starts_where_standard_error_is_no_file(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())

    async with mcp_tools(sys.executable, SERVER) as tools:
        assert tools
