"""One index for tasks, memories and knowledge: words and vectors, kept apart by partition."""

from __future__ import annotations

from agentmaker.errors import EmbeddingError as EmbeddingError
from agentmaker.memory.index.embedding import Embedded as Embedded
from agentmaker.memory.index.embedding import Embedder as Embedder
from agentmaker.memory.index.embedding import read_embedder as read_embedder
from agentmaker.memory.index.index import Index as Index
from agentmaker.memory.index.values import EmbeddingUsage as EmbeddingUsage
from agentmaker.memory.index.values import Found as Found
from agentmaker.memory.index.values import Hit as Hit
from agentmaker.memory.index.values import Indexed as Indexed
from agentmaker.memory.index.values import Kept as Kept
from agentmaker.memory.index.values import Passage as Passage
from agentmaker.memory.index.values import Strategy as Strategy
