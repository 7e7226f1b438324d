"""What a model may call: tools made of functions, run in batches, their results kept in bounds."""

from agentmaker.tools.functions import tool
from agentmaker.tools.registry import ToolRegistry
from agentmaker.tools.running import run_calls
from agentmaker.tools.values import BadArguments, Given, Outcome, Runner, Tool

__all__ = [
    "BadArguments",
    "Given",
    "Outcome",
    "Runner",
    "Tool",
    "ToolRegistry",
    "run_calls",
    "tool",
]
