"""One index for tasks, memories and knowledge: words and vectors, kept apart by partition."""

from __future__ import annotations

from agentmaker.memory.index.values import Hit as Hit
from agentmaker.memory.index.values import Indexed as Indexed
from agentmaker.memory.index.values import Passage as Passage
from agentmaker.memory.index.values import Strategy as Strategy
