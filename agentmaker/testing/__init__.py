"""Test doubles for programs built on agentmaker: models, servers and sinks with a script."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
    "OVERFLOWS": "testing.overflows",
    "BrokenStream": "testing.replies",
    "Delay": "testing.replies",
    "FakeEmbedder": "testing.embedder",
    "Gate": "testing.gate",
    "MemorySink": "observe.sinks",
    "ModelServer": "testing.server",
    "RawStream": "testing.replies",
    "Received": "testing.records",
    "ScriptedLLM": "testing.scripted",
    "ServerError": "testing.errors",
    "Violation": "testing.strict",
    "error_body": "testing.errors",
    "violations": "testing.strict",
}

if not TYPE_CHECKING:
    from agentmaker.lazy import names_of

    __getattr__, __dir__ = names_of(__name__, _HOMES)
