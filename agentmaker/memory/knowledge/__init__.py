"""Documents to look things up in: loaded, found by their chunks, cited."""

from agentmaker.memory.knowledge.base import KnowledgeBase as KnowledgeBase
from agentmaker.memory.knowledge.citation import Citation as Citation
from agentmaker.memory.knowledge.citation import cite as cite
from agentmaker.memory.knowledge.folder import Loaded as Loaded

__all__ = ["Citation", "KnowledgeBase", "Loaded", "cite"]
