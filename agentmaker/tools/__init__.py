"""What a model may call: tools made of functions, run in batches, their results kept in bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING

_HOMES = {
    "RECALL": "tools.archive",
    "Archive": "tools.archive",
    "BadArguments": "tools.values",
    "CallInfo": "tools.values",
    "Capped": "tools.results",
    "MemoryArchive": "tools.archive",
    "Outcome": "tools.values",
    "Repeats": "tools.repeated",
    "Runner": "tools.values",
    "Tool": "tools.values",
    "ToolRegistry": "tools.registry",
    "cap": "tools.results",
    "capped": "tools.results",
    "mcp_tools": "tools.mcp",
    "recall_tool": "tools.recall",
    "run_calls": "tools.running",
    "said_once": "tools.repeated",
    "tool": "tools.functions",
}

__all__ = tuple(_HOMES)

if TYPE_CHECKING:
    from agentmaker.tools.archive import RECALL as RECALL
    from agentmaker.tools.archive import Archive as Archive
    from agentmaker.tools.archive import MemoryArchive as MemoryArchive
    from agentmaker.tools.functions import tool as tool
    from agentmaker.tools.mcp import mcp_tools as mcp_tools
    from agentmaker.tools.recall import recall_tool as recall_tool
    from agentmaker.tools.registry import ToolRegistry as ToolRegistry
    from agentmaker.tools.repeated import Repeats as Repeats
    from agentmaker.tools.repeated import said_once as said_once
    from agentmaker.tools.results import Capped as Capped
    from agentmaker.tools.results import cap as cap
    from agentmaker.tools.results import capped as capped
    from agentmaker.tools.running import run_calls as run_calls
    from agentmaker.tools.values import BadArguments as BadArguments
    from agentmaker.tools.values import CallInfo as CallInfo
    from agentmaker.tools.values import Outcome as Outcome
    from agentmaker.tools.values import Runner as Runner
    from agentmaker.tools.values import Tool as Tool
else:
    from agentmaker.lazy import names_of

    __getattr__, __dir__ = names_of(__name__, _HOMES)
