"""Test doubles for programs built on agentmaker: models, servers and sinks with a script."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agentmaker.observe.sinks import MemorySink
    from agentmaker.testing.embedder import FakeEmbedder
    from agentmaker.testing.errors import ServerError, error_body
    from agentmaker.testing.gate import Gate
    from agentmaker.testing.overflows import OVERFLOWS
    from agentmaker.testing.records import Received
    from agentmaker.testing.replies import BrokenStream, Delay, RawStream
    from agentmaker.testing.scripted import ScriptedLLM
    from agentmaker.testing.server import ModelServer
    from agentmaker.testing.strict import Violation, violations

__all__ = [
    "OVERFLOWS",
    "BrokenStream",
    "Delay",
    "FakeEmbedder",
    "Gate",
    "MemorySink",
    "ModelServer",
    "RawStream",
    "Received",
    "ScriptedLLM",
    "ServerError",
    "Violation",
    "error_body",
    "violations",
]

_HOMES = {
    "OVERFLOWS": "agentmaker.testing.overflows",
    "BrokenStream": "agentmaker.testing.replies",
    "Delay": "agentmaker.testing.replies",
    "FakeEmbedder": "agentmaker.testing.embedder",
    "Gate": "agentmaker.testing.gate",
    "MemorySink": "agentmaker.observe.sinks",
    "ModelServer": "agentmaker.testing.server",
    "RawStream": "agentmaker.testing.replies",
    "Received": "agentmaker.testing.records",
    "ScriptedLLM": "agentmaker.testing.scripted",
    "ServerError": "agentmaker.testing.errors",
    "Violation": "agentmaker.testing.strict",
    "error_body": "agentmaker.testing.errors",
    "violations": "agentmaker.testing.strict",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
