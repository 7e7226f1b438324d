"""What happens in a run, as its reader sees it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from agentmaker.agents.result import RunResult
from agentmaker.messages import ToolCall


@dataclass(frozen=True, slots=True, kw_only=True)
class TextDelta:
    """A piece of what the model is writing; *part* says where: ``""``, ``"step 3"``, ..."""

    text: str
    part: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolStarted:
    """A tool is about to run."""

    call: ToolCall
    part: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolEnded:
    """What a tool gave, as the model will read it; *failed* where that is an error."""

    call: ToolCall
    text: str
    failed: bool = False
    part: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """The run ended; nothing follows."""

    result: RunResult


Event: TypeAlias = TextDelta | ToolStarted | ToolEnded | Finished
