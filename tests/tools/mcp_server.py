"""An MCP server over stdio with tools of every kind."""

from __future__ import annotations

import base64
import os

import anyio
from mcp import types
from mcp.server.mcpserver import MCPServer
from mcp.types import ToolAnnotations

server = MCPServer("things", log_level="CRITICAL")
waiting: list[anyio.Event] = []


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@server.tool(annotations=ToolAnnotations(idempotent_hint=True, destructive_hint=False))
def put(title: str) -> str:
    return f"put {title}"


@server.tool(name="files.delete")
def delete(path: str) -> str:
    raise ValueError(f"no {path}")


@server.tool(structured_output=False)
def everything() -> list[object]:
    data = base64.b64encode(b"\x00").decode()
    return [
        types.TextContent(text="one 一"),
        types.ImageContent(data=data, mime_type="image/png"),
        types.ResourceLink(name="report", uri="file:///report.txt"),
        types.EmbeddedResource(
            resource=types.TextResourceContents(uri="file:///a.txt", text="inside")
        ),
        types.EmbeddedResource(
            resource=types.BlobResourceContents(
                uri="file:///a.bin", blob=data, mime_type="application/pdf"
            )
        ),
    ]


@server.tool(structured_output=False)
def structured() -> types.CallToolResult:
    return types.CallToolResult(content=[], structured_content={"城市": ["北京"]})


@server.tool()
async def hang() -> str:
    await anyio.sleep_forever()
    return ""


@server.tool()
async def meet() -> str:
    """Two calls wait for each other."""
    waiting.append(anyio.Event())
    if len(waiting) == 2:
        for each in waiting:
            each.set()
    await waiting[0].wait()
    return "met"


@server.tool()
def environment(name: str) -> str:
    return os.environ.get(name, "unset")


@server.tool()
def die() -> None:
    os._exit(1)


if __name__ == "__main__":
    server.run()
