"""What a model may call: tools made of functions, run in batches, their results kept in bounds."""

from agentmaker.tools.archive import Archive, MemoryArchive
from agentmaker.tools.functions import tool
from agentmaker.tools.mcp import mcp_tools
from agentmaker.tools.recall import RECALL, recall_tool
from agentmaker.tools.registry import ToolRegistry
from agentmaker.tools.repeated import Repeats, said_once
from agentmaker.tools.results import Capped, cap, capped
from agentmaker.tools.running import run_calls
from agentmaker.tools.values import BadArguments, CallInfo, Outcome, Runner, Tool

__all__ = [
    "RECALL",
    "Archive",
    "BadArguments",
    "CallInfo",
    "Capped",
    "MemoryArchive",
    "Outcome",
    "Repeats",
    "Runner",
    "Tool",
    "ToolRegistry",
    "cap",
    "capped",
    "mcp_tools",
    "recall_tool",
    "run_calls",
    "said_once",
    "tool",
]
