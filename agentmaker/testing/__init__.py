"""Test doubles for programs built on agentmaker: models, servers and sinks with a script."""

from __future__ import annotations

from typing import TYPE_CHECKING

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

__all__ = tuple(_HOMES)

if TYPE_CHECKING:
    from agentmaker.observe.sinks import MemorySink as MemorySink
    from agentmaker.testing.embedder import FakeEmbedder as FakeEmbedder
    from agentmaker.testing.errors import ServerError as ServerError
    from agentmaker.testing.errors import error_body as error_body
    from agentmaker.testing.gate import Gate as Gate
    from agentmaker.testing.overflows import OVERFLOWS as OVERFLOWS
    from agentmaker.testing.records import Received as Received
    from agentmaker.testing.replies import BrokenStream as BrokenStream
    from agentmaker.testing.replies import Delay as Delay
    from agentmaker.testing.replies import RawStream as RawStream
    from agentmaker.testing.scripted import ScriptedLLM as ScriptedLLM
    from agentmaker.testing.server import ModelServer as ModelServer
    from agentmaker.testing.strict import Violation as Violation
    from agentmaker.testing.strict import violations as violations
else:
    from agentmaker.lazy import names_of

    __getattr__, __dir__ = names_of(__name__, _HOMES)
