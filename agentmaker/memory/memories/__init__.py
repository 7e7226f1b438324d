"""Memories: what was learnt in earlier runs, found by relevance, recency and importance."""

from __future__ import annotations

from agentmaker.memory.memories.memory import Memory
from agentmaker.memory.memories.record import MemoryRecord
from agentmaker.memory.memories.scoring import Weights

__all__ = ["Memory", "MemoryRecord", "Weights"]
