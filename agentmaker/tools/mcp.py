"""Tools of MCP servers, by the official SDK (extra ``mcp``)."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, TextIO

from agentmaker.errors import ConfigError, ToolError
from agentmaker.prompts import DEFAULT_PROMPTS, PromptRegistry
from agentmaker.tools.mcp_text import text_of_answer
from agentmaker.tools.schemas import untitled
from agentmaker.tools.values import CallInfo, Tool

if TYPE_CHECKING:
    from mcp import Client, ClientSession
    from mcp import types as wire

_OTHER = re.compile(r"[^a-zA-Z0-9_-]")
_LONGEST_NAME = 64


class mcp_tools:
    """The tools of an MCP server, as long as the context lasts.

    ::

        async with mcp_tools("uvx", ["mcp-server-git"]) as tools:
            registry = ToolRegistry([search, *tools])

    *server* is a command, started with *args*, *env* (over a few safe variables) and *cwd* and
    ended with the context; or a ``ClientSession`` or ``Client`` that is open, and stays so.

    - What a server says to be read-only or idempotent is so; hints of servers that are not
      trusted are to be set right with ``dataclasses.replace``.
    - With *confirm_destructive*, tools that may destroy have to be approved.
    - *prefix* goes before every name; characters that a tool's name cannot have become ``_``.
    - The text of a result is what the model is told, and its structured content where there is
      no text. What the server calls an error is a failed call.

    Args:
        timeout: seconds until a call is given up, None for no limit of its own.
        start_within: seconds a started server may take for each answer until its tools are known.

    Raises:
        ConfigError: the SDK is missing, *args* is no list, or the command cannot be started.
        ToolError: the server does not answer as MCP servers do.
    """

    def __init__(
        self,
        server: str | ClientSession | Client,
        args: Sequence[str] = (),
        env: Mapping[str, str] | None = None,
        *,
        cwd: str | Path | None = None,
        prefix: str = "",
        confirm_destructive: bool = False,
        timeout: float | None = None,
        start_within: float | None = 30.0,
        prompts: PromptRegistry = DEFAULT_PROMPTS,
    ) -> None:
        if isinstance(args, str):
            raise ConfigError(f"args is a list of words: write args=[{args!r}]")
        self._server = server
        self._command: dict[str, Any] = {"args": list(args), "env": dict(env or {}), "cwd": cwd}
        self._prefix = prefix
        self._confirm_destructive = confirm_destructive
        self._timeout = timeout
        self._start_within = start_within
        self._prompts = prompts
        self._started: Client | None = None

    async def __aenter__(self) -> tuple[Tool, ...]:
        session = await self._session()
        try:
            return tuple([self._tool(each, session) async for each in _listed(session)])
        except BaseException as error:
            await self.__aexit__(type(error), error, error.__traceback__)
            raise

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._started is None:
            return
        try:
            await self._started.__aexit__(kind, error, trace)
        except BaseExceptionGroup as group:
            # What was raised in the context comes out as it is, not in the SDK's groups.
            if error is None or list(_leaves(group)) != [error]:
                raise

    async def _session(self) -> ClientSession:
        try:
            from mcp import Client, ClientSession, StdioServerParameters
            from mcp.client.stdio import stdio_client
        except ImportError as error:
            raise ConfigError(
                "the SDK of MCP is missing: pip install 'agentmaker-runtime[mcp]'"
            ) from error
        if isinstance(self._server, Client):
            return self._server.session
        if isinstance(self._server, ClientSession):
            return self._server
        server = StdioServerParameters(command=self._server, **self._command)
        transport = stdio_client(server, errlog=_errors())
        client = Client(transport, read_timeout_seconds=self._start_within)
        self._started = await _entered(client, self._server)
        return self._started.session

    def _tool(self, listed: wire.Tool, session: ClientSession) -> Tool:
        hints = listed.annotations
        reads = bool(hints and hints.read_only_hint)
        # The protocol's default is the worst: what says nothing may destroy.
        harmless = reads or (hints is not None and hints.destructive_hint is False)
        return Tool(
            name=_OTHER.sub("_", f"{self._prefix}{listed.name}")[:_LONGEST_NAME],
            description=listed.description or listed.title or "",
            parameters=untitled(listed.input_schema),
            run=_Call(session, listed.name, self._prompts),
            idempotent=reads or bool(hints and hints.idempotent_hint),
            confirm=self._confirm_destructive and not harmless,
            timeout=self._timeout,
        )


@dataclass(frozen=True, slots=True)
class _Call:
    session: ClientSession
    name: str
    prompts: PromptRegistry

    async def __call__(self, arguments: dict[str, Any], info: CallInfo) -> str:
        # How long a call may take is decided where it is run, not by the session.
        result = await self.session.call_tool(self.name, arguments, read_timeout_seconds=inf)
        text = text_of_answer(result, self.prompts)
        if result.is_error:
            raise ToolError(text)
        return text


def _errors() -> TextIO:
    """Where the server's own words go: what stands for standard error may be no file at all."""
    try:
        sys.stderr.fileno()
    except (AttributeError, OSError, ValueError):
        return sys.__stderr__ or open(os.devnull, "w")
    return sys.stderr


async def _entered(client: Client, command: object) -> Client:
    try:
        return await client.__aenter__()
    except OSError as error:
        raise ConfigError(
            f"the MCP server {command!r} cannot be started ({error}): install it, or name its path"
        ) from error
    except ExceptionGroup as group:
        why = "; ".join(map(str, _leaves(group)))
        raise ToolError(
            f"the MCP server {command!r} does not answer ({why}): run the command by hand to see "
            "what it says, or give it longer with start_within="
        ) from group


async def _listed(session: ClientSession) -> AsyncIterator[wire.Tool]:
    from mcp.types import PaginatedRequestParams

    page = await _page(session)
    seen: set[str] = set()
    while True:
        for each in page.tools:
            yield each
        # A server that names a page twice would be asked for ever.
        if not page.next_cursor or page.next_cursor in seen:
            return
        seen.add(page.next_cursor)
        page = await _page(session, PaginatedRequestParams(cursor=page.next_cursor))


async def _page(
    session: ClientSession, params: wire.PaginatedRequestParams | None = None
) -> wire.ListToolsResult:
    from mcp import MCPError

    try:
        return await session.list_tools(params=params)
    except MCPError as error:
        raise ToolError(
            f"the MCP server does not list its tools ({error}): see that it offers any"
        ) from error


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if not isinstance(error, BaseExceptionGroup):
        yield error
        return
    for each in error.exceptions:
        yield from _leaves(each)
