"""What an MCP server answered, as text for a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentmaker.prompts import PromptRegistry
from agentmaker.tools.text import text_of_result

if TYPE_CHECKING:
    from mcp import types as wire


def text_of_answer(result: wire.CallToolResult, prompts: PromptRegistry) -> str:
    """Its content, part by part, or its structured content as JSON where there is no other."""
    if result.content or result.structured_content is None:
        return "\n".join(_part(each, prompts) for each in result.content)
    return text_of_result(result.structured_content, prompts)


def _part(part: wire.ContentBlock, prompts: PromptRegistry) -> str:
    """Text as it is; a link by its address; of everything else, what it is."""
    if part.type == "text":
        return part.text
    if part.type == "resource_link":
        return f"{part.name}: {part.uri}"
    if part.type == "resource":
        kind = f"{part.resource.uri} {part.resource.mime_type or ''}".strip()
        text = getattr(part.resource, "text", None)
        return text if text is not None else prompts.render("tool.part", kind=kind)
    return prompts.render("tool.part", kind=part.mime_type)
